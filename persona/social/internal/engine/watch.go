package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/dedupe"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/tmc/langchaingo/llms"
)

// Watchers receive events. The zero value has none, and events then cost an atomic load.
type Watchers struct {
	any atomic.Bool // there is a watcher

	mu      sync.Mutex
	seq     uint64
	last    int
	funcs   map[int]func(trace.Event)
	verdict map[persona.Chat]uint64 // Seq of the last judgement about each chat
	gone    *dedupe.Set[retraction] // the last retracted messages
}

// A retraction is a message that its author took back, by its id.
type retraction struct {
	chat persona.Chat
	id   string
}

// Watch is documented in package social.
func (w *Watchers) Watch(f func(trace.Event)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.funcs == nil {
		w.funcs, w.verdict = map[int]func(trace.Event){}, map[persona.Chat]uint64{}
	}
	w.last++
	id := w.last
	w.funcs[id] = f
	w.any.Store(true)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.funcs, id); len(w.funcs) == 0 {
			w.any.Store(false)
			clear(w.verdict)
		}
	}
}

// emit sends an event to all watchers.
func (w *Watchers) emit(chat persona.Chat, ev trace.Event) {
	if !w.any.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ev, ok := w.withoutRetractedLocked(chat, ev)
	if !ok {
		return
	}
	w.seq++
	ev.Seq, ev.At, ev.Chat = w.seq, time.Now(), chat
	switch {
	case ev.Retracted != "":
		if w.gone == nil {
			w.gone = dedupe.New[retraction](maxRetracted)
		}
		w.gone.Add(retraction{chat, ev.Retracted})
	case ev.Decision != nil && ev.Decision.Kind == heartflow.KindJudge:
		w.verdict[chat] = ev.Seq
	case ev.Erased:
		clear(w.verdict)
	}
	for _, f := range w.funcs {
		f(ev)
	}
}

// withoutRetractedLocked returns an event without retracted messages: a turn may end after a message of it was retracted. ok is false
// for a call whose prompt shows one.
func (w *Watchers) withoutRetractedLocked(chat persona.Chat, ev trace.Event) (_ trace.Event, ok bool) {
	gone := func(key string) bool { return w.gone.Has(retraction{chat, messageID(key)}) }
	switch {
	case w.gone == nil:
	case ev.Call != nil && slices.ContainsFunc(ev.Call.Prompt, func(s prompt.Segment) bool { return gone(s.ID) }):
		return ev, false
	case ev.Turn != nil && slices.ContainsFunc(ev.Turn.Messages, func(m persona.Message) bool { return gone(m.Key) }):
		kept := *ev.Turn
		kept.Messages = slices.DeleteFunc(slices.Clone(kept.Messages), func(m persona.Message) bool { return gone(m.Key) })
		ev.Turn = &kept
	}
	return ev, true
}

// decision sends a decision of attention, whose chat is a text.
func (w *Watchers) decision(t heartflow.Trace) {
	if !w.any.Load() {
		return
	}
	var chat persona.Chat
	if t.Chat != "" && chat.UnmarshalText([]byte(t.Chat)) != nil {
		return
	}
	kept := t // here, so that t is on the heap only if somebody watches
	w.emit(chat, trace.Event{Decision: &kept})
}

// turn reports that a turn has begun. The returned function reports its end.
func (w *Watchers) turn(t *Turn) (ended func(outcome string)) {
	if !w.any.Load() {
		return func(string) {}
	}
	now := trace.Turn{ID: t.ID, Kind: t.Kind, Began: time.Now(), Messages: slices.Clone(t.Items), Caller: t.Caller.Key, Received: t.receivedAt}
	if t.Verdict.Do != heartflow.Silent {
		w.mu.Lock()
		now.Decision = w.verdict[t.Chat.ID]
		w.mu.Unlock()
	}
	begun := now
	w.emit(t.Chat.ID, trace.Event{Turn: &begun})
	return func(outcome string) {
		t.mu.Lock()
		now.Ended, now.Outcome, now.Label = time.Now(), outcome, t.labelLocked()
		t.mu.Unlock()
		w.emit(t.Chat.ID, trace.Event{Turn: &now})
	}
}

// sent reports an attempt of a turn to send.
func (w *Watchers) sent(t *Turn, chat persona.Chat, out persona.Outgoing, id string, err error, unclear bool) {
	if !w.any.Load() {
		return
	}
	s := &trace.Sent{Turn: t.ID, Text: out.Content(), ReplyTo: out.ReplyTo, ID: id, Unclear: unclear}
	if err != nil {
		s.Failed = err.Error()
	}
	w.emit(chat, trace.Event{Sent: s})
}

// Act reports something that the bot did. The watchers learn the turn from ctx.
func (w *Watchers) Act(ctx context.Context, chat persona.Chat, a trace.Act) {
	if !w.any.Load() {
		return
	}
	if t := TurnFrom(ctx); t != nil && a.Turn == "" {
		a.Turn = t.ID
	}
	w.emit(chat, trace.Event{Act: &a})
}

// A watchedModel reports its calls to the watchers.
type watchedModel struct {
	llms.Model
	watchers *Watchers
}

type (
	callKey    struct{} // of the *trace.Call under way
	contextKey struct{} // of the segments of the first message
)

// withSegments returns a context that carries the segments of a prompt to the record of its calls, while somebody watches.
func (w *Watchers) withSegments(ctx context.Context, segments func() []prompt.Segment) context.Context {
	if !w.any.Load() {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, segments)
}

// GenerateContent implements [llms.Model].
func (m watchedModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (resp *llms.ContentResponse, err error) {
	if !m.watchers.any.Load() {
		return m.Model.GenerateContent(ctx, messages, options...)
	}
	call := &trace.Call{Began: time.Now(), Failed: "panic"}
	if t := TurnFrom(ctx); t != nil {
		call.Turn = t.ID
	}
	chat, _ := chatOf(ctx)
	defer func() { m.watchers.emit(chat, trace.Event{Call: call}) }()
	describeRequest(ctx, call, messages, options)
	resp, err = m.Model.GenerateContent(context.WithValue(ctx, callKey{}, call), messages, options...)
	call.Failed = ""
	if err != nil {
		call.Failed = err.Error()
	} else if resp != nil && len(resp.Choices) > 0 {
		call.Answer, call.Finish = resp.Choices[0].Content, resp.Choices[0].StopReason
		for _, tool := range resp.Choices[0].ToolCalls {
			if f := tool.FunctionCall; f != nil {
				call.Asked = append(call.Asked, trace.Step{Role: "tool", Name: f.Name, Text: f.Arguments})
			}
		}
	}
	return resp, err
}

// describeRequest adds the request to the record of a call.
func describeRequest(ctx context.Context, call *trace.Call, messages []llms.MessageContent, options []llms.CallOption) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	for _, tool := range o.Tools {
		if tool.Function != nil {
			call.Tools = append(call.Tools, tool.Function.Name)
		}
	}
	for _, message := range messages {
		for _, part := range message.Parts {
			step := stepOf(message.Role, part)
			switch {
			case message.Role == llms.ChatMessageTypeSystem && call.System == "":
				call.System = step.Text
			case message.Role == llms.ChatMessageTypeHuman && call.Prompt == nil:
				call.Prompt = promptSegments(ctx, step.Text)
			default:
				call.Steps = append(call.Steps, step)
			}
		}
	}
}

// promptSegments returns the segments that ctx carries and the text after them, or one segment.
func promptSegments(ctx context.Context, text string) []prompt.Segment {
	segments, _ := ctx.Value(contextKey{}).(func() []prompt.Segment)
	if segments == nil {
		return []prompt.Segment{{Text: text, Tokens: prompt.Tokens(text)}}
	}
	all, rest := segments(), text
	for _, s := range all {
		if s.Dropped {
			continue
		}
		if len(rest) < len(s.Text) || rest[:len(s.Text)] != s.Text { // the prompt was cut since
			return []prompt.Segment{{Text: text, Tokens: prompt.Tokens(text)}}
		}
		rest = rest[len(s.Text):]
	}
	if rest == "" {
		return all
	}
	return append(slices.Clip(all), prompt.Segment{Kind: "instructions", Text: rest, Tokens: prompt.Tokens(rest)})
}

func stepOf(role llms.ChatMessageType, part llms.ContentPart) trace.Step {
	s := trace.Step{Role: string(role)}
	switch p := part.(type) {
	case llms.TextContent:
		s.Text = p.Text
	case llms.ToolCall:
		if p.FunctionCall != nil {
			s.Name, s.Text = p.FunctionCall.Name, p.FunctionCall.Arguments
		}
	case llms.ToolCallResponse:
		s.Name, s.Text = p.Name, p.Content
	case llms.BinaryContent:
		s.Text = fmt.Sprintf("[%s, %d bytes]", p.MIMEType, len(p.Data))
	case llms.ImageURLContent:
		s.Text = "[image]"
	}
	return s
}
