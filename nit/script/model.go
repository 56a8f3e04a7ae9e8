package script

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// ModelOptions configure [Model].
type ModelOptions struct {
	// Instructions returns the text for the system prompt that explains the tools and the call syntax. choice is the value of
	// llms.WithToolChoice, and token is required in the tags. Nil means a text in Chinese.
	Instructions func(tools []llms.Tool, choice any, token string) string
	// AcceptBareScripts also accepts <nit>…</nit> without a token as a script. Do not set it if anyone but the owner writes text
	// that the model reads.
	AcceptBareScripts bool
	// CallTag selects the tag of a <tool_call>.
	CallTag CallTag
	// MaxScripts limits the scripts in one answer. Further scripts are treated as malformed. 0 means 4, negative means
	// unlimited.
	MaxScripts int
}

// A CallTag selects the tag that starts a <tool_call> in an answer. Without a token in the tag, a prompt injection can
// call tools by making the model repeat a text.
type CallTag uint8

const (
	// AutoTag is TokenTag if [ToolName] is offered, otherwise BareTag. Models such as Hermes and Qwen were trained on
	// <tool_call> and often know nothing else. With scripts, the model is asked to write scripts anyway.
	AutoTag CallTag = iota
	// TokenTag requires <tool_call-TOKEN>, with the token of scripts. A <tool_call> without it is text.
	TokenTag
	// BareTag accepts <tool_call> and also the tag with the token.
	BareTag
)

// bare reports whether a tag without a token starts a call.
func (t CallTag) bare(tools []llms.Tool) bool {
	return t == BareTag || t == AutoTag && !hasScript(tools)
}

// Model wraps a text-only model so that it makes native tool calls. If a request has tools, Model explains them in the
// system prompt instead of passing them on. It converts the scripts and <tool_call>s of the answer to llms.ToolCalls. It
// accepts scripts if [ToolName] is among the tools, and <tool_call> with JSON or with Qwen's XML, see [CallTag]. It
// shows earlier calls and results to the model as text. Native calls of the model are kept.
//
// A script becomes one call of [ToolName]. An invalid or unclosed block becomes a call without a name, which always
// fails.
//
// Only the answer is parsed for calls. Text in <think> becomes ReasoningContent. In all other texts, call markup is
// escaped with "&lt;". Streaming functions get only visible text, see [Splitter].
//
// The token stays hidden. If a miswritten tag leaves 8 consecutive characters of the token in the text, the tag and its
// content are removed. A call with the token in its arguments becomes a call without a name.
//
// Without tools in the request, the answer is unchanged.
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
		return m.model.GenerateContent(ctx, plainMessages(messages, "", bareTagNames), options...)
	}
	token := tokenOf(ctx)
	split := SplitOptions{Token: token, BareScripts: m.opts.AcceptBareScripts && hasScript(o.Tools), BareCalls: m.opts.CallTag.bare(o.Tools)}
	as := tagNames{"nit-" + token, "tool_call-" + token}
	if split.BareCalls {
		as.call = bareTagNames.call
	}
	explained := instructions(o.Tools, o.ToolChoice, as)
	if m.opts.Instructions != nil {
		explained = m.opts.Instructions(o.Tools, o.ToolChoice, token)
	}
	stream := newStreamFilter(&o, split)
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
	resp, err := m.model.GenerateContent(ctx, plainMessages(messages, explained, as), inner...)
	if err != nil || resp == nil {
		return resp, err
	}
	if err := stream.close(ctx); err != nil {
		return nil, err
	}
	r := answerParser{split: split, tools: o.Tools, scripts: m.opts.MaxScripts, noCalls: o.ToolChoice == "none", callIDs: callIDs(messages)}
	out := *resp
	out.Choices = make([]*llms.ContentChoice, len(resp.Choices))
	for i, c := range resp.Choices {
		out.Choices[i] = r.parseChoice(c)
	}
	return &out, nil
}

// An answerParser extracts the calls from an answer.
type answerParser struct {
	split   SplitOptions
	tools   []llms.Tool
	scripts int
	noCalls bool
	callIDs map[string]bool // ids in use
}

func (r *answerParser) parseChoice(c *llms.ContentChoice) *llms.ContentChoice {
	if c == nil {
		return nil
	}
	thought, answer := splitThinking(c.Content)
	s := newVisibleText(r.split)
	shown := s.feed(answer) + s.finish()
	if len(shown) == len(c.Content) && len(c.ToolCalls) == 0 && c.FuncCall == nil {
		return c
	}
	out := *c
	out.Content = shown
	if out.ReasoningContent == "" {
		out.ReasoningContent = strings.TrimSpace(thought + s.Reasoning())
	}
	out.FuncCall, out.ToolCalls = s.checkCall(c.FuncCall), nil
	for _, call := range c.ToolCalls {
		call.FunctionCall = s.checkCall(call.FunctionCall)
		out.ToolCalls = append(out.ToolCalls, call)
	}
	if r.noCalls {
		return &out
	}
	scripts := 0
	for _, b := range s.Blocks() {
		if b.Form == FormNIT {
			if scripts++; exceeds(scripts, r.scripts) {
				b.TooLong = true
			}
		}
		for _, f := range b.calls(r.tools) {
			out.ToolCalls = append(out.ToolCalls, llms.ToolCall{ID: r.newID(), Type: "function", FunctionCall: s.checkCall(&f)})
		}
	}
	if s.Unclosed() {
		out.ToolCalls = append(out.ToolCalls, llms.ToolCall{ID: r.newID(), Type: "function", FunctionCall: malformedCall()})
	}
	if len(out.ToolCalls) > 0 {
		out.FuncCall, out.StopReason = out.ToolCalls[0].FunctionCall, "tool_calls"
	}
	return &out
}

// newID returns an id that the conversation does not use.
func (r *answerParser) newID() string {
	for n := len(r.callIDs) + 1; ; n++ {
		id := fmt.Sprintf("call_%d", n)
		if !r.callIDs[id] {
			r.callIDs[id] = true
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

// splitThinking splits off thinking that ends with </think> but has no <think>, because some templates open it in the
// prompt. The Splitter handles the other form.
func splitThinking(content string) (thought, answer string) {
	before, after, closed := strings.Cut(content, "</think>")
	if !closed || strings.Contains(before, "<think>") {
		return "", content
	}
	return before, after
}

// visibleText filters a streamed text down to the part that people may see.
type visibleText struct {
	*Splitter
	*tokenMask
}

func newVisibleText(split SplitOptions) visibleText {
	return visibleText{NewSplitter(split), newTokenMask(split.Token)}
}

// feed adds a chunk and returns the text that may be shown now.
func (s visibleText) feed(chunk string) string { return s.write(s.Write(chunk)) }

// finish ends the text and returns the rest that may be shown.
func (s visibleText) finish() string { return s.write(s.Close()) + s.close() }

// A streamFilter passes only visible text to the caller's streaming functions.
type streamFilter struct {
	onContent   func(context.Context, []byte) error
	onBoth      func(ctx context.Context, reasoning, chunk []byte) error
	contentText visibleText // for onContent
	bothText    visibleText // for onBoth
}

func newStreamFilter(o *llms.CallOptions, split SplitOptions) *streamFilter {
	return &streamFilter{onContent: o.StreamingFunc, onBoth: o.StreamingReasoningFunc, contentText: newVisibleText(split), bothText: newVisibleText(split)}
}

func (s *streamFilter) chunk(ctx context.Context, chunk []byte) error {
	if shown := s.contentText.feed(string(chunk)); shown != "" {
		return s.onContent(ctx, []byte(shown))
	}
	return nil
}

func (s *streamFilter) reasoning(ctx context.Context, reasoning, chunk []byte) error {
	if shown := s.bothText.feed(string(chunk)); shown != "" || len(reasoning) > 0 {
		return s.onBoth(ctx, reasoning, []byte(shown))
	}
	return nil
}

// close passes the rest of the text.
func (s *streamFilter) close(ctx context.Context) error {
	if rest := s.contentText.finish(); rest != "" && s.onContent != nil {
		if err := s.onContent(ctx, []byte(rest)); err != nil {
			return err
		}
	}
	if rest := s.bothText.finish(); rest != "" && s.onBoth != nil {
		return s.onBoth(ctx, nil, []byte(rest))
	}
	return nil
}
