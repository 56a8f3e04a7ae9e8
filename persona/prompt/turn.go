package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/tmc/langchaingo/llms"
)

// A Turn is one conversation with a model. The model reads a scene, may call tools, and finally replies or stays
// silent. Only Model is required. A Turn has no state. Run may be called repeatedly and concurrently.
//
// The model is called in the caller's goroutine. It must respect its context: Run waits for a model that does not
// return.
type Turn struct {
	Model   llms.Model
	Toolbox Toolbox // nil means no tools

	MaxCalls  int                // maximum tool calls; 0 means 8, negative means no tools
	MaxSteps  int                // maximum model calls; 0 means MaxCalls + 1
	MaxResult int                // maximum runes of a tool result; 0 means 4000, negative means no limit
	Timeout   time.Duration      // for the whole turn; 0 means 60 s, negative means no timeout
	Parts     []llms.ContentPart // appended to the message with the scene: pictures
	Options   []llms.CallOption  // passed to every call, after the tools; streaming functions get raw chunks
	Schema    *Schema            // of an answer in JSON; nil means text. Calls without tools have it in their ctx, see [SchemaOf]
	Check     func(string) error // checks the last answer; after an error the model is asked for another one, once. nil accepts all
	Logger    *slog.Logger       // logs panics and unknown tools; nil discards

	// Shorten returns a shorter scene after the model rejected the prompt with err, or false if another error occurred. The
	// same step is then run again, at most once in a turn. The first step gets the shorter scene. A later step keeps its
	// scene, because providers give a thinking model its reasoning back only after the same messages; the latest tool results
	// are cut to an eighth of MaxResult instead. Nil means no second try.
	Shorten func(err error) (scene string, ok bool)
}

// A Reply is the result of a turn.
type Reply struct {
	Text      string // text to send; "" for silence
	Silent    bool   // the model chose silence with an empty reply or [Skip]
	Empty     bool   // the model wrote nothing, not even [Skip]
	Truncated bool   // the model's limit of tokens or the provider's content filter cut Text
	Calls     int    // tool calls passed to the toolbox
	Steps     int    // model calls, including the last one
	Usage     Usage
}

// The errors of [Turn.Run], besides errors of the model and the context.
var (
	ErrNoModel       = errors.New("prompt: turn without a model")
	ErrNoChoice      = errors.New("prompt: the model's response has no choice")
	ErrTooManySteps  = errors.New("prompt: the model still calls tools in its last step")
	ErrModelPanicked = errors.New("prompt: the model panicked")
)

const (
	defaultCalls   = 8
	defaultResult  = 4000
	defaultTimeout = 60 * time.Second
)

// Run runs the conversation. system is the output of [System], and scene that of [Context]. The model may call tools in
// several steps, up to the limits. Text next to tool calls is ignored. The reply is the text of a step without calls.
// Tool results are untrusted data. They are escaped and cut, and never parsed for calls. A tool name that the toolbox
// does not list is replaced by "unknown".
//
// If Check rejects the reply, the model gets its reply back and is asked once for one that can be read, without further tool
// calls and within the same Timeout. If that fails, too, Run returns the first reply, and no error. The call counts in
// Reply.Steps and Reply.Usage.
//
// After an error, the Reply still has the number of calls and the usage. A turn that has run a tool may have had side
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
	c := conversation{turn: t, ids: make(map[string]bool), maxCalls: max(cmp.Or(t.MaxCalls, defaultCalls), 0)}
	c.maxSteps = cmp.Or(t.MaxSteps, c.maxCalls+1)
	if t.Toolbox != nil && c.maxCalls > 0 {
		c.tools = t.Toolbox.Tools()
	}
	c.messages = []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, system),
		llms.TextParts(llms.ChatMessageTypeHuman, scene),
	}
	c.messages[1].Parts = append(c.messages[1].Parts, t.Parts...)
	c.shorten = t.Shorten
	text, err := c.run(ctx)
	c.reply.Text = text
	c.reply.Silent = err == nil && text == ""
	return c.reply, err
}

// A conversation is a running turn.
type conversation struct {
	turn     *Turn
	tools    []llms.Tool
	messages []llms.MessageContent
	maxCalls int             // limit of tool calls
	maxSteps int             // limit of model calls
	ids      map[string]bool // ids of all calls so far
	madeIDs  int             // number of generated ids
	reply    Reply
	shorten  func(err error) (scene string, ok bool) // nil after its first use
}

func (c *conversation) run(ctx context.Context) (string, error) {
	for c.reply.Steps < c.maxSteps {
		text, calls, err := c.step(ctx)
		if err != nil && c.cut(err) {
			c.reply.Steps--
			text, calls, err = c.step(ctx)
		}
		if err != nil {
			return "", err
		}
		if len(calls) == 0 {
			if text, err = c.checked(ctx, text); err != nil {
				return "", err
			}
			c.reply.Empty = strings.TrimSpace(withoutThinking(text)) == ""
			return replyText(text), nil
		}
		if c.reply.Steps == c.maxSteps {
			break // nobody would read the results
		}
		if err := c.answer(ctx, text, calls); err != nil {
			return "", err
		}
	}
	return "", ErrTooManySteps
}

// repair asks for the answer again. The shape of the JSON is in the instructions above it.
const repair = `上面的回答读不出来。按前面要求的格式，只回答一个完整的 JSON，不要写别的，也不要引用别人的话。`

// maxRepaired is the maximum length of the answer in a request to repair it, in runes.
const maxRepaired = 4000

// checked returns the answer, or another one if Turn.Check rejects it. If the other one is not better, it returns the first.
// [Skip] is always accepted.
func (c *conversation) checked(ctx context.Context, text string) (string, error) {
	answer, check := replyText(text), c.turn.Check
	if blank := strings.TrimSpace(withoutThinking(text)) == ""; check == nil || answer == "" && !blank || check(answer) == nil {
		return text, nil
	}
	// Without the tool calls: providers demand the reasoning of each until the final answer, and have just sent that.
	c.messages, c.tools, c.maxSteps = slices.Clip(c.messages[:2]), nil, c.reply.Steps+1
	if answer != "" {
		c.messages = append(c.messages, llms.TextParts(llms.ChatMessageTypeAI, clip.Runes(answer, maxRepaired)))
	}
	c.messages = append(c.messages, llms.TextParts(llms.ChatMessageTypeHuman, repair))
	again, calls, err := c.step(ctx)
	switch {
	case ctx.Err() != nil:
		return "", err
	case err != nil || len(calls) > 0 || check(replyText(again)) != nil:
		return text, nil
	}
	return again, nil
}

// step calls the model once.
func (c *conversation) step(ctx context.Context) (text string, calls []llms.ToolCall, err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, fmt.Errorf("prompt: turn: %w", err)
	}
	c.reply.Steps++
	resp, err := c.generate(ctx)
	c.reply.Usage = c.reply.Usage.Add(UsageOf(c.messages, c.tools, resp))
	if err != nil {
		return "", nil, err
	}
	if err := ctx.Err(); err != nil { // the answer is too late
		return "", nil, fmt.Errorf("prompt: turn: %w", err)
	}
	c.reply.Truncated = isTruncated(resp)
	return contentOf(resp)
}

// cut shortens the prompt if the model rejected it as too long. It reports whether to call the model again.
func (c *conversation) cut(err error) bool {
	if c.shorten == nil {
		return false
	}
	scene, ok := c.shorten(err)
	if !ok {
		return false
	}
	c.shorten = nil
	if len(c.messages) == 2 {
		c.messages[1].Parts[0] = llms.TextContent{Text: scene}
		return true
	}
	for _, m := range slices.Backward(c.messages) {
		if m.Role != llms.ChatMessageTypeTool {
			break
		}
		for i, part := range m.Parts {
			if r, ok := part.(llms.ToolCallResponse); ok {
				r.Content = cutResult(r.Content, cmp.Or(max(c.turn.MaxResult, 0), defaultResult)/8)
				m.Parts[i] = r
			}
		}
	}
	return true
}

// isTruncated reports whether the model reached its limit of tokens, or whether the provider's filter ended the answer.
func isTruncated(resp *llms.ContentResponse) bool {
	return resp != nil && slices.ContainsFunc(resp.Choices, func(c *llms.ContentChoice) bool {
		return c != nil && slices.Contains([]string{"length", "max_tokens", "content_filter", "sensitive", "refusal"}, strings.ToLower(c.StopReason))
	})
}

// generate calls the model and converts a panic to an error.
func (c *conversation) generate(ctx context.Context) (resp *llms.ContentResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log(ctx, "the model panicked", p)
			resp, err = nil, fmt.Errorf("%w: %v", ErrModelPanicked, p)
		}
	}()
	if len(c.tools) == 0 { // some providers call no tools if the answer has a schema
		ctx = withSchema(ctx, c.turn.Schema)
	}
	resp, err = c.turn.Model.GenerateContent(ctx, c.messages, c.options()...)
	if err != nil {
		return nil, fmt.Errorf("prompt: call the model: %w", err)
	}
	return resp, nil
}

func (c *conversation) options() []llms.CallOption {
	if len(c.tools) == 0 {
		return c.turn.Options
	}
	options := []llms.CallOption{llms.WithTools(c.tools)}
	if c.reply.Steps >= c.maxSteps || c.reply.Calls >= c.maxCalls {
		// The tools stay in the request, because some providers reject results of unlisted tools.
		options = append(options, llms.WithToolChoice("none"))
	}
	return append(options, c.turn.Options...)
}

func (c *conversation) log(ctx context.Context, what string, p any) {
	if l := c.turn.Logger; l != nil {
		l.ErrorContext(ctx, "prompt: "+what, "panic", p, "stack", string(debug.Stack()))
	}
}

// contentOf returns the text and the calls of a response. Some providers spread them over several choices.
func contentOf(resp *llms.ContentResponse) (text string, calls []llms.ToolCall, err error) {
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
