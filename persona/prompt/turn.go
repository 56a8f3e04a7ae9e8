package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// A Turn is one conversation with a model: it reads a scene, calls tools as it likes, and at last says something or
// keeps silent. Only Model is required. A Turn holds no state: Run may be called again, and concurrently.
//
// The model is called in the caller's goroutine and has to honour its context: a model that does not return is waited
// for.
type Turn struct {
	Model   llms.Model
	Toolbox Toolbox // nil: the model is told of no tools, and works without

	MaxCalls  int                // tool calls that are run; 0 means 8, negative none: the model is told of no tool
	MaxSteps  int                // model calls; 0 means MaxCalls + 1
	MaxResult int                // runes of a tool's result that the model sees; 0 means 4000, negative all
	Timeout   time.Duration      // for the whole turn; 0 means 60 s, negative none
	Parts     []llms.ContentPart // in the message of the scene, after it: pictures
	Options   []llms.CallOption  // passed with every call, after the tools; streaming functions see raw chunks
	Logger    *slog.Logger       // told of panics; nil discards
}

// A Reply is how a turn ended.
type Reply struct {
	Text   string // what to say; "" for silence
	Silent bool   // the model chose silence: an empty reply, or [Skip] and nothing else
	Calls  int    // tool calls that the toolbox was asked for
	Steps  int    // model calls, the last one among them
	Usage  Usage
}

// What can go wrong with a turn, apart from what the model or the context says.
var (
	ErrNoModel       = errors.New("persona: turn: it has no model")
	ErrNoChoice      = errors.New("persona: turn: the model's response holds no choice")
	ErrTooManySteps  = errors.New("persona: turn: the model still calls tools after its last step")
	ErrModelPanicked = errors.New("persona: turn: the model panicked")
)

const (
	defaultCalls   = 8
	defaultResult  = 4000
	defaultTimeout = 60 * time.Second
)

// Run holds the conversation: system is [Profile.System], scene is [Profile.Context]. The model may call tools in as
// many steps as the limits allow; text beside calls is thinking aloud, and only the text of a step without calls is
// the reply. What tools answer goes back as data: escaped, cut, and never read for calls. A name that the toolbox does not list
// goes back as "unknown".
//
// After an error the Reply still tells how many calls were run and what it cost: a turn that ran a tool may have had
// effects.
func (t *Turn) Run(ctx context.Context, system, scene string) (Reply, error) {
	if t.Model == nil {
		return Reply{}, ErrNoModel
	}
	if d := cmp.Or(t.Timeout, defaultTimeout); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	c := conversation{turn: t, ids: make(map[string]bool), calls: max(cmp.Or(t.MaxCalls, defaultCalls), 0)}
	c.steps = cmp.Or(t.MaxSteps, c.calls+1)
	if t.Toolbox != nil && c.calls > 0 {
		c.tools = t.Toolbox.Tools()
	}
	c.messages = []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, system),
		llms.TextParts(llms.ChatMessageTypeHuman, scene),
	}
	c.messages[1].Parts = append(c.messages[1].Parts, t.Parts...)
	text, err := c.run(ctx)
	c.reply.Text = text
	c.reply.Silent = err == nil && text == ""
	return c.reply, err
}

// A conversation is a turn under way.
type conversation struct {
	turn     *Turn
	tools    []llms.Tool
	messages []llms.MessageContent
	calls    int // limits
	steps    int
	ids      map[string]bool // of the calls so far
	made     int             // ids that were made up
	reply    Reply
}

func (c *conversation) run(ctx context.Context) (string, error) {
	for c.reply.Steps < c.steps {
		text, calls, err := c.step(ctx)
		if err != nil {
			return "", err
		}
		if len(calls) == 0 {
			return spoken(text), nil
		}
		if c.reply.Steps == c.steps {
			break // nobody would read the results
		}
		if err := c.answer(ctx, text, calls); err != nil {
			return "", err
		}
	}
	return "", ErrTooManySteps
}

// step asks the model once.
func (c *conversation) step(ctx context.Context) (text string, calls []llms.ToolCall, err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, fmt.Errorf("persona: turn: %w", err)
	}
	c.reply.Steps++
	resp, err := c.generate(ctx)
	c.reply.Usage = c.reply.Usage.Add(UsageOf(c.messages, c.tools, resp))
	if err != nil {
		return "", nil, err
	}
	if err := ctx.Err(); err != nil { // the answer came too late to be of use
		return "", nil, fmt.Errorf("persona: turn: %w", err)
	}
	return said(resp)
}

// generate calls the model, and makes a panic an error.
func (c *conversation) generate(ctx context.Context) (resp *llms.ContentResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log(ctx, "the model panicked", p)
			resp, err = nil, fmt.Errorf("%w: %v", ErrModelPanicked, p)
		}
	}()
	resp, err = c.turn.Model.GenerateContent(ctx, c.messages, c.options()...)
	if err != nil {
		return nil, fmt.Errorf("persona: turn: model: %w", err)
	}
	return resp, nil
}

func (c *conversation) options() []llms.CallOption {
	if len(c.tools) == 0 {
		return c.turn.Options
	}
	options := []llms.CallOption{llms.WithTools(c.tools)}
	if c.reply.Steps >= c.steps || c.reply.Calls >= c.calls {
		// The tools stay in the request: some providers refuse results of tools that they are not told of.
		options = append(options, llms.WithToolChoice("none"))
	}
	return append(options, c.turn.Options...)
}

func (c *conversation) log(ctx context.Context, what string, p any) {
	if l := c.turn.Logger; l != nil {
		l.ErrorContext(ctx, "persona: turn: "+what, "panic", p, "stack", string(debug.Stack()))
	}
}

// said gives the text and the calls of a response. Some providers spread them over several choices.
func said(resp *llms.ContentResponse) (text string, calls []llms.ToolCall, err error) {
	if resp == nil {
		return "", nil, ErrNoChoice
	}
	found := false
	for _, choice := range resp.Choices {
		if choice == nil {
			continue
		}
		found = true
		if strings.TrimSpace(text) == "" {
			text = choice.Content
		}
		calls = append(calls, choice.ToolCalls...)
		if len(choice.ToolCalls) == 0 && choice.FuncCall != nil {
			calls = append(calls, llms.ToolCall{FunctionCall: choice.FuncCall})
		}
	}
	if !found {
		return "", nil, ErrNoChoice
	}
	return text, calls, nil
}
