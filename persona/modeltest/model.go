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

// ErrScriptOver is what a scripted model answers when it is asked more often than its script says. [Model.Err] keeps
// it, for code under test that swallows errors.
var ErrScriptOver = errors.New("modeltest: the script is over, but the model was asked again")

// A Model is an [llms.Model] that answers as it was told and keeps every prompt. All methods may be called
// concurrently; with several callers, the script's steps go to whoever asks first.
type Model struct {
	answer func(context.Context, Prompt) Step // nil: by script

	mu      sync.Mutex
	script  []Step
	prompts []Prompt
	err     error
}

// New makes a model that answers with these steps, one per call, and with [ErrScriptOver] after the last.
func New(script ...Step) *Model { return &Model{script: script} }

// Func makes a model that answers as f says. f is called concurrently if the model is.
func Func(f func(ctx context.Context, p Prompt) Step) *Model { return &Model{answer: f} }

// Echo makes a model that answers with its whole prompt: whatever a scene holds comes out, so that a test sees what
// could have been told.
func Echo() *Model {
	return Func(func(_ context.Context, p Prompt) Step { return Say(p.Text()) })
}

// Always makes a model that answers with the same step for ever.
func Always(s Step) *Model {
	return Func(func(context.Context, Prompt) Step { return s })
}

// A Step is one answer of a model. The zero Step is an empty reply.
type Step struct {
	Text      string
	Reasoning string          // in ContentChoice.ReasoningContent
	Calls     []llms.ToolCall // see [Call]
	Chunks    []string        // how Text is streamed; nil streams it rune by rune
	Info      map[string]any  // GenerationInfo: what the provider tells of tokens

	Delay      time.Duration                         // before the answer; the context's end cuts it short
	BlockUntil <-chan struct{}                       // after Delay: waits until it is closed, whatever the context says
	Hang       bool                                  // after streaming Text: waits for the context's end, and fails with its error
	Err        error                                 // the call fails with it, after Delay and after streaming Text
	Panic      any                                   // the call panics with it, after Delay
	Raw        func() (*llms.ContentResponse, error) // gives the answer in place of all but Delay, Hold and Panic; see [Raw]
	Body       string                                // over HTTP only: the whole answer, as it stands; see [Model.Handler]
}

// Say is a reply.
func Say(text string) Step { return Step{Text: text} }

// Call is a call of one tool. args is JSON as it stands when it is a string, and is marshalled otherwise; nil is {}.
// The call's id is made up by the model when it answers.
func Call(name string, args any) Step { return Calls(ToolCall(name, args)) }

// Calls is a step with several calls.
func Calls(calls ...llms.ToolCall) Step { return Step{Calls: calls} }

// ToolCall makes a call for [Calls]; see [Call] for args. It panics when they cannot be marshalled.
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

// Fail is a call that fails with err.
func Fail(err error) Step { return Step{Err: err} }

// After delays a step.
func (s Step) After(d time.Duration) Step {
	s.Delay = d
	return s
}

// Raw is a call that returns exactly this: a nil response, one without choices, a nil choice.
func Raw(resp *llms.ContentResponse, err error) Step {
	return Step{Raw: func() (*llms.ContentResponse, error) { return resp, err }}
}

// Append adds steps to the script of a model made by [New], and gives the model back.
func (m *Model) Append(steps ...Step) *Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script = append(m.script, steps...)
	return m
}

// Remaining tells how many steps of the script have not been used.
func (m *Model) Remaining() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.script)
}

// Err gives [ErrScriptOver] when the model was asked more often than its script says, else nil.
func (m *Model) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Prompts gives every prompt so far, the oldest first.
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

// Call implements [llms.Model]: one human message in, the text out.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// next keeps the prompt and takes the script's next step. n counts the calls, from 1.
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

// play answers with the step.
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

// choice is the answer to the n'th call.
func (s Step) choice(n int) *llms.ContentChoice {
	choice := &llms.ContentChoice{Content: s.Text, ReasoningContent: s.Reasoning, StopReason: "stop", GenerationInfo: s.Info}
	for i, c := range s.Calls {
		c.ID = cmp.Or(c.ID, fmt.Sprintf("call_%d_%d", n, i+1))
		choice.ToolCalls = append(choice.ToolCalls, c)
		choice.StopReason = "tool_calls"
	}
	if len(choice.ToolCalls) > 0 { // as langchaingo's OpenAI client does
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
