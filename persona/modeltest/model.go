package modeltest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/tmc/langchaingo/llms"
)

// ErrScriptOver is returned by a scripted model that is called more often than its script has steps. [Model.Err] returns it,
// too, because code under test may ignore errors.
var ErrScriptOver = errors.New("modeltest: the model was called after the end of its script")

// A Model is an [llms.Model] with prepared answers that records every prompt. All methods may be called concurrently. Callers
// get the steps of the script in the order of their calls.
type Model struct {
	answer func(context.Context, Prompt) Step // nil: use script

	mu      sync.Mutex
	script  []Step
	prompts []Prompt
	err     error
}

// New returns a model that answers with these steps, one for each call, and with [ErrScriptOver] after the last.
func New(script ...Step) *Model { return &Model{script: script} }

// Func returns a model that answers with f. f is called concurrently if the model is.
func Func(f func(ctx context.Context, p Prompt) Step) *Model { return &Model{answer: f} }

// Echo returns a model that answers with its whole prompt. A test can then check for text that must not be in the prompt.
func Echo() *Model {
	return Func(func(_ context.Context, p Prompt) Step { return Say(p.Text()) })
}

// Always returns a model that answers every call with the same step.
func Always(s Step) *Model {
	return Func(func(context.Context, Prompt) Step { return s })
}

// A Step is one answer of a [Model]. The zero Step is an empty reply.
type Step struct {
	Text      string
	Reasoning string          // in ContentChoice.ReasoningContent
	Calls     []llms.ToolCall // see [Call]
	Chunks    []string        // the streamed chunks of Text; nil means one chunk per rune
	Info      map[string]any  // GenerationInfo with the provider's token counts

	Delay      time.Duration                         // before the answer; ends early if the context ends
	BlockUntil <-chan struct{}                       // after Delay: blocks until it is closed and ignores the context
	Hang       bool                                  // after streaming Text: blocks until the context ends, and fails with its error
	Err        error                                 // error of the call, after Delay and after streaming Text
	Panic      any                                   // the call panics with it, after Delay
	Raw        func() (*llms.ContentResponse, error) // replaces all fields except Delay, BlockUntil and Panic; see [Raw]
	Body       string                                // HTTP only: the complete body; see [Model.Handler]
}

// Say returns a step with a reply.
func Say(text string) Step { return Step{Text: text} }

// Call returns a step with one tool call. A string in args is used as the JSON of the arguments, nil means {}, and other
// values are marshalled. The model creates the id of the call when it answers.
func Call(name string, args any) Step { return Calls(ToolCall(name, args)) }

// Calls returns a step with several tool calls.
func Calls(calls ...llms.ToolCall) Step { return Step{Calls: calls} }

// ToolCall returns a tool call for [Calls]. See [Call] for args; ToolCall panics if they cannot be marshalled.
func ToolCall(name string, args any) llms.ToolCall {
	text, ok := args.(string)
	if args == nil {
		text = "{}"
	} else if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			panic(fmt.Sprintf("modeltest: arguments of %s: %v", name, err))
		}
		text = string(b)
	}
	return llms.ToolCall{Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: text}}
}

// Fail returns a step that fails with err.
func Fail(err error) Step { return Step{Err: err} }

// After returns the step with a delay.
func (s Step) After(d time.Duration) Step {
	s.Delay = d
	return s
}

// Raw returns a step with exactly this result, for example a nil response, a response without choices or a nil choice.
func Raw(resp *llms.ContentResponse, err error) Step {
	return Step{Raw: func() (*llms.ContentResponse, error) { return resp, err }}
}

// Append appends steps to the script of a model from [New] and returns the model.
func (m *Model) Append(steps ...Step) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = append(m.script, steps...)
	return m
}

// Remaining returns the number of unused steps of the script.
func (m *Model) Remaining() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.script)
}

// Err returns [ErrScriptOver] if the model was called after the end of its script, else nil.
func (m *Model) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Prompts returns all prompts so far, oldest first.
func (m *Model) Prompts() []Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Prompt(nil), m.prompts...)
}

// GenerateContent implements [llms.Model].
func (m *Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	p := newPrompt(messages, options)
	step, n, err := m.next(p)
	if err != nil {
		return nil, err
	}
	if m.answer != nil {
		step = m.answer(ctx, p)
	}
	return step.play(ctx, p, n)
}

// Call implements [llms.Model].
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// next records the prompt and takes the next step of the script. n counts the calls from 1.
func (m *Model) next(p Prompt) (step Step, n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts = append(m.prompts, p)
	n = len(m.prompts)
	switch {
	case m.answer != nil:
	case len(m.script) == 0:
		m.err = ErrScriptOver
		return Step{}, n, fmt.Errorf("%w (call %d)", ErrScriptOver, n)
	default:
		step, m.script = m.script[0], m.script[1:]
	}
	return step, n, nil
}

// play returns the answer of the step.
func (s Step) play(ctx context.Context, p Prompt, n int) (*llms.ContentResponse, error) {
	s.delay(ctx)
	if s.BlockUntil != nil {
		<-s.BlockUntil
	} else if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Panic != nil {
		panic(s.Panic)
	}
	if s.Raw != nil {
		return s.Raw()
	}
	if f := p.Options.StreamingFunc; f != nil {
		for _, chunk := range s.chunks() {
			if err := f(ctx, []byte(chunk)); err != nil {
				return nil, err
			}
		}
	}
	if s.Hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.Err != nil {
		return nil, s.Err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{s.choice(n)}}, nil
}

// choice returns the answer to call number n.
func (s Step) choice(n int) *llms.ContentChoice {
	choice := &llms.ContentChoice{Content: s.Text, ReasoningContent: s.Reasoning, StopReason: "stop", GenerationInfo: s.Info}
	for i, c := range s.Calls {
		c.ID = cmp.Or(c.ID, fmt.Sprintf("call_%d_%d", n, i+1))
		choice.ToolCalls = append(choice.ToolCalls, c)
		choice.StopReason = "tool_calls"
	}
	if len(choice.ToolCalls) > 0 { // like langchaingo's OpenAI client
		choice.FuncCall = choice.ToolCalls[0].FunctionCall
	}
	return choice
}

func (s Step) delay(ctx context.Context) {
	_ = loop.Sleep(ctx, s.Delay)
}

func (s Step) chunks() []string {
	if s.Chunks != nil {
		return s.Chunks
	}
	return strings.SplitAfterN(s.Text, "", utf8.RuneCountInString(s.Text))
}
