package script

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// ModelOptions say how [Model] wraps.
type ModelOptions struct {
	// Instructions explains the tools, and how to call them, to the model: it is added to the system prompt. choice is what
	// was given with llms.WithToolChoice, token what tags have to bear. Nil is a text in Chinese.
	Instructions func(tools []llms.Tool, choice any, token string) string
	// AcceptBareScripts takes <nit>…</nit> for a script, too. Leave it off where anybody but the owner writes what the model reads.
	AcceptBareScripts bool
	// CallTag says which tag begins a <tool_call>.
	CallTag CallTag
	// MaxScripts is how many scripts one answer may hold; those beyond are answered as malformed. 0 means 4, negative no bound.
	MaxScripts int
}

// A CallTag says which tag begins a <tool_call> in a model's answer. Where the tag bears no token, whoever can make the model
// repeat a text can call its tools.
type CallTag uint8

const (
	// AutoTag is TokenTag where [ToolName] is offered, and BareTag where it is not. Models of the kind of Hermes and Qwen were
	// trained to write <tool_call> and often know nothing else; with scripts, the model is asked to write those in any case.
	AutoTag CallTag = iota
	// TokenTag is <tool_call-TOKEN>, with the token that scripts bear. A <tool_call> without it is text.
	TokenTag
	// BareTag is <tool_call>; one with the token will do.
	BareTag
)

// bare tells whether a tag without the token begins a call.
func (t CallTag) bare(tools []llms.Tool) bool {
	return t == BareTag || t == AutoTag && !hasScript(tools)
}

// Model makes a model that writes its calls as text one that makes native calls. When tools are offered, by llms.WithTools,
// they are explained in the system prompt instead; scripts (if [ToolName] is among the tools), <tool_call> with JSON and <tool_call> with
// Qwen's XML in its answer become llms.ToolCalls (see [CallTag]); and calls and results in the conversation are shown to the model as text.
// A script is one call of [ToolName]. What cannot be read, or is not closed, is a call without a name, which a turn answers as malformed.
// Native calls that the model makes stay.
//
// Only what the model answers is read for calls. What it thinks, in <think>, becomes ReasoningContent. In all other texts the markup of calls is made inert: "&lt;" for "<".
// Streaming functions get only what may be shown, see [Splitter].
//
// The token is not shown either. Where the model miswrites a tag, so that 8 characters of the token in a row stand in its text, the tag is cut, and what
// it would have opened. A call that quotes the token is one without a name.
//
// Without tools in the request, the answer stays as it is.
func Model(model llms.Model, opts ModelOptions) llms.Model {
	opts.MaxScripts = cmp.Or(opts.MaxScripts, 4)
	return &textModel{model: model, opts: opts}
}

type textModel struct {
	model llms.Model
	opts  ModelOptions
}

// Call implements [llms.Model].
func (m *textModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements [llms.Model].
func (m *textModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	if len(o.Tools) == 0 {
		return m.model.GenerateContent(ctx, plain(messages, "", bareTags), options...)
	}
	token := tokenOf(ctx)
	split := SplitOptions{Token: token, BareScripts: m.opts.AcceptBareScripts && hasScript(o.Tools), BareCalls: m.opts.CallTag.bare(o.Tools)}
	as := tags{"nit-" + token, "tool_call-" + token}
	if split.BareCalls {
		as.call = bareTags.call
	}
	explained := lesson(o.Tools, o.ToolChoice, as)
	if m.opts.Instructions != nil {
		explained = m.opts.Instructions(o.Tools, o.ToolChoice, token)
	}
	stream := newStream(&o, split)
	inner := append(options[:len(options):len(options)], func(inner *llms.CallOptions) {
		inner.Tools, inner.ToolChoice = nil, nil
		inner.StreamingFunc, inner.StreamingReasoningFunc = stream.chunk, stream.reasoning
		if o.StreamingFunc == nil {
			inner.StreamingFunc = nil
		}
		if o.StreamingReasoningFunc == nil {
			inner.StreamingReasoningFunc = nil
		}
	})
	resp, err := m.model.GenerateContent(ctx, plain(messages, explained, as), inner...)
	if err != nil || resp == nil {
		return resp, err
	}
	if err := stream.close(ctx); err != nil {
		return nil, err
	}
	r := reader{split: split, tools: o.Tools, scripts: m.opts.MaxScripts, none: o.ToolChoice == "none", used: callIDs(messages)}
	out := *resp
	out.Choices = make([]*llms.ContentChoice, len(resp.Choices))
	for i, c := range resp.Choices {
		out.Choices[i] = r.choice(c)
	}
	return &out, nil
}

// A reader makes calls of what a model wrote.
type reader struct {
	split   SplitOptions
	tools   []llms.Tool
	scripts int
	none    bool
	used    map[string]bool // ids
}

func (r *reader) choice(c *llms.ContentChoice) *llms.ContentChoice {
	if c == nil {
		return nil
	}
	thought, answer := thoughts(c.Content)
	s := newSpeech(r.split)
	shown := s.take(answer) + s.rest()
	if len(shown) == len(c.Content) && len(c.ToolCalls) == 0 && c.FuncCall == nil {
		return c
	}
	out := *c
	out.Content = shown
	if out.ReasoningContent == "" {
		out.ReasoningContent = strings.TrimSpace(thought + s.Reasoning())
	}
	out.FuncCall, out.ToolCalls = s.call(c.FuncCall), nil
	for _, call := range c.ToolCalls {
		call.FunctionCall = s.call(call.FunctionCall)
		out.ToolCalls = append(out.ToolCalls, call)
	}
	if r.none {
		return &out
	}
	scripts := 0
	for _, b := range s.Blocks() {
		if b.Form == FormNIT {
			if scripts++; over(scripts, r.scripts) {
				b.TooLong = true
			}
		}
		for _, f := range b.calls(r.tools) {
			out.ToolCalls = append(out.ToolCalls, llms.ToolCall{ID: r.id(), Type: "function", FunctionCall: s.call(&f)})
		}
	}
	if s.Unclosed() {
		out.ToolCalls = append(out.ToolCalls, llms.ToolCall{ID: r.id(), Type: "function", FunctionCall: malformed()})
	}
	if len(out.ToolCalls) > 0 {
		out.FuncCall, out.StopReason = out.ToolCalls[0].FunctionCall, "tool_calls"
	}
	return &out
}

// id makes up an id that the conversation does not have yet.
func (r *reader) id() string {
	for n := len(r.used) + 1; ; n++ {
		id := fmt.Sprintf("call_%d", n)
		if !r.used[id] {
			r.used[id] = true
			return id
		}
	}
}

func callIDs(messages []llms.MessageContent) map[string]bool {
	ids := make(map[string]bool)
	for _, m := range messages {
		for _, p := range m.Parts {
			if call, ok := p.(llms.ToolCall); ok {
				ids[call.ID] = true
			}
		}
	}
	return ids
}

// thoughts parts what a model thought, up to a </think> that it never opened: some templates open it in the prompt.
// One that it opened is the Splitter's matter.
func thoughts(content string) (thought, answer string) {
	before, after, closed := strings.Cut(content, "</think>")
	if !closed || strings.Contains(before, "<think>") {
		return "", content
	}
	return before, after
}

// A speech is what people may see of a text that is being written.
type speech struct {
	*Splitter
	*mask
}

func newSpeech(split SplitOptions) speech { return speech{NewSplitter(split), newMask(split.Token)} }

// take takes the next chunk and gives what may be shown now.
func (s speech) take(chunk string) string { return s.write(s.Write(chunk)) }

// rest ends the text and gives what may still be shown.
func (s speech) rest() string { return s.write(s.Close()) + s.close() }

// A stream gives a caller's streaming functions only what may be shown.
type stream struct {
	to       func(context.Context, []byte) error
	both     func(ctx context.Context, reasoning, chunk []byte) error
	content  speech // of to
	content2 speech // of both
}

func newStream(o *llms.CallOptions, split SplitOptions) *stream {
	return &stream{to: o.StreamingFunc, both: o.StreamingReasoningFunc, content: newSpeech(split), content2: newSpeech(split)}
}

func (s *stream) chunk(ctx context.Context, chunk []byte) error {
	if shown := s.content.take(string(chunk)); shown != "" {
		return s.to(ctx, []byte(shown))
	}
	return nil
}

func (s *stream) reasoning(ctx context.Context, reasoning, chunk []byte) error {
	if shown := s.content2.take(string(chunk)); shown != "" || len(reasoning) > 0 {
		return s.both(ctx, reasoning, []byte(shown))
	}
	return nil
}

// close shows what was held back.
func (s *stream) close(ctx context.Context) error {
	if rest := s.content.rest(); rest != "" && s.to != nil {
		if err := s.to(ctx, []byte(rest)); err != nil {
			return err
		}
	}
	if rest := s.content2.rest(); rest != "" && s.both != nil {
		return s.both(ctx, nil, []byte(rest))
	}
	return nil
}
