package telemetry

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// An observer reports the events of one bot. Calls of event do not overlap.
type observer struct {
	*Telemetry
	name     string
	bot      Bot
	agent    attribute.KeyValue
	agentSet attribute.Set

	online  map[persona.Account]bool
	turns   map[string]*turn             // that run, by ID
	current map[persona.Chat]*turn       // the latest of them in a chat
	judged  map[persona.Chat]trace.Event // verdicts to act, until their turn begins
}

// A turn is a turn that runs.
type turn struct {
	trace.Turn
	ctx      context.Context // has the span
	span     oteltrace.Span
	call     oteltrace.SpanContext // of the last model call
	failed   string                // error.type of the last model call; "" if it did not fail
	answered bool
}

func newObserver(t *Telemetry, name string, bot Bot) *observer {
	agent := attrAgentName.String(name)
	return &observer{
		Telemetry: t, name: name, bot: bot, agent: agent, agentSet: attribute.NewSet(agent),
		online: map[persona.Account]bool{}, turns: map[string]*turn{}, current: map[persona.Chat]*turn{}, judged: map[persona.Chat]trace.Event{},
	}
}

// event reports an event. The bot calls it.
func (b *observer) event(e trace.Event) {
	switch {
	case e.Decision != nil:
		b.decision(e)
	case e.Turn != nil && e.Turn.Ended.IsZero():
		b.turnBegan(e)
	case e.Turn != nil:
		b.turnEnded(e)
	case e.Call != nil:
		b.call(e)
	case e.Tool != nil:
		b.tool(e)
	case e.Sent != nil:
		b.sent(e)
	case e.Link != nil:
		b.link(e)
	}
}

// end ends the spans of running turns. No event comes after it.
func (b *observer) end() {
	for _, t := range b.turns {
		t.span.End()
	}
}

func (b *observer) decision(e trace.Event) {
	d := e.Decision
	if d.Kind == heartflow.KindModel { // the call reports it
		return
	}
	reason := ""
	if len(d.Why) > 0 {
		reason = string(d.Why[0])
	}
	b.instruments.decisions.Add(context.Background(), 1, metric.WithAttributes(
		b.agent, attrDecisionKind.String(string(d.Kind)), attrDecisionOutcome.String(outcomeOf(d)), b.labels.of(attrReason, reason)))
	switch t := b.current[e.Chat]; {
	case d.Kind == heartflow.KindJudge && d.Do != heartflow.Silent:
		b.judged[e.Chat] = e
	case d.Kind == heartflow.KindJudge:
		b.silence(e)
	case t != nil:
		b.addDecision(t.span, e)
	}
}

// outcomeOf returns what was decided.
func outcomeOf(d *heartflow.Trace) string {
	switch d.Kind {
	case heartflow.KindJudge, heartflow.KindSpeak:
		return d.Do.String()
	}
	return d.State.String()
}

func (b *observer) addDecision(span oteltrace.Span, e trace.Event) {
	span.AddEvent(eventDecision, oteltrace.WithTimestamp(e.At), oteltrace.WithAttributes(decisionAttributes(e.Decision)...))
}

// silence makes a span for a verdict to stay silent, if the options ask for it.
func (b *observer) silence(e trace.Event) {
	if !b.o.Decisions {
		return
	}
	attrs := append(decisionAttributes(e.Decision), b.agent)
	_, span := b.tracer.Start(context.Background(), eventDecision, oteltrace.WithTimestamp(e.At), oteltrace.WithAttributes(b.withChat(attrs, e.Chat)...))
	span.End(oteltrace.WithTimestamp(e.At))
}

func decisionAttributes(d *heartflow.Trace) []attribute.KeyValue {
	why := make([]string, len(d.Why))
	for i, c := range d.Why {
		why[i] = string(c)
	}
	attrs := []attribute.KeyValue{attrDecisionKind.String(string(d.Kind)), attrDecisionOutcome.String(outcomeOf(d)), attrReasons.StringSlice(why)}
	if d.Kind == heartflow.KindJudge {
		attrs = append(attrs, attrScore.Float64(d.Score))
	}
	return attrs
}

// withChat adds the chat, if the options ask for it.
func (b *observer) withChat(attrs []attribute.KeyValue, chat persona.Chat) []attribute.KeyValue {
	if b.o.Chats && chat != (persona.Chat{}) {
		attrs = append(attrs, attrConversationID.String(chat.String()))
	}
	return attrs
}

func (b *observer) turnBegan(e trace.Event) {
	t := &turn{Turn: *e.Turn}
	t.Messages = nil // what people wrote is not kept
	attrs := b.withChat([]attribute.KeyValue{attrOperation.String(opInvokeAgent), b.agent, attrProvider.String(b.o.Provider), attrTurnKind.String(t.Kind)}, e.Chat)
	if b.o.Chats {
		attrs = append(attrs, attrTurnID.String(t.ID))
	}
	t.ctx, t.span = b.tracer.Start(context.Background(), opInvokeAgent+" "+b.name, oteltrace.WithTimestamp(t.Began), oteltrace.WithAttributes(attrs...))
	if verdict, ok := b.judged[e.Chat]; ok {
		if verdict.Seq == t.Decision {
			b.addDecision(t.span, verdict)
		}
		delete(b.judged, e.Chat)
	}
	b.turns[t.ID], b.current[e.Chat] = t, t
}

func (b *observer) turnEnded(e trace.Event) {
	t := b.turns[e.Turn.ID]
	if t == nil { // it began before Observe
		return
	}
	delete(b.turns, t.ID)
	if b.current[e.Chat] == t {
		delete(b.current, e.Chat)
	}
	outcome, detail, failed := readOutcome(e.Turn.Outcome)
	t.span.SetAttributes(attrOutcome.String(outcome))
	attrs := []attribute.KeyValue{b.agent, b.labels.of(attrTurnKind, t.Kind), b.labels.of(attrOutcome, outcome)}
	if failed {
		kind := outcome
		if t.failed != "" {
			kind = t.failed
		}
		attrs = append(attrs, b.fail(t.span, kind, detail))
	}
	t.span.End(oteltrace.WithTimestamp(e.Turn.Ended))
	b.instruments.turn.Record(context.Background(), e.Turn.Ended.Sub(t.Began).Seconds(), metric.WithAttributes(attrs...))
}

// readOutcome splits the outcome of a turn, such as "error: …" or "spoke in part (2): …", into a word for attributes and the text
// of an error. failed reports whether the turn failed.
func readOutcome(text string) (outcome, detail string, failed bool) {
	outcome, detail, _ = strings.Cut(text, ": ")
	outcome, _, _ = strings.Cut(outcome, " (")
	outcome = strings.ReplaceAll(outcome, " ", "_")
	return outcome, detail, outcome == "error" || outcome == "unsent" || outcome == "unanswered"
}

// fail marks a span as failed, and returns the attribute for metrics. detail is the text of the error.
func (b *observer) fail(span oteltrace.Span, kind, detail string) attribute.KeyValue {
	span.SetAttributes(attrErrorType.String(kind))
	if b.o.Content {
		detail = b.o.Redact(detail)
	} else {
		detail = "" // it may quote people
	}
	span.SetStatus(codes.Error, detail)
	return b.labels.of(attrErrorType, kind)
}

func (b *observer) sent(e trace.Event) {
	s, t := e.Sent, b.turns[e.Sent.Turn]
	name := eventSend
	switch {
	case s.Unclear:
		name = eventSendUnclear
		b.instruments.unclear.Add(context.Background(), 1, metric.WithAttributeSet(b.agentSet))
	case s.Failed != "":
		name = eventSendFailure
		b.instruments.failures.Add(context.Background(), 1, metric.WithAttributeSet(b.agentSet))
	}
	if t == nil {
		return
	}
	t.span.AddEvent(name, oteltrace.WithTimestamp(e.At))
	if name == eventSend && !t.answered && !t.Received.IsZero() {
		t.answered = true
		b.instruments.latency.Record(context.Background(), seconds(e.At.Sub(t.Received)), metric.WithAttributes(b.agent, b.labels.of(attrTurnKind, t.Kind)))
	}
}

func seconds(d time.Duration) float64 { return max(d, 0).Seconds() }

// link counts lost connections. A second event that an account is online means that its connection was lost in between.
func (b *observer) link(e trace.Event) {
	l := e.Link
	lost := int64(0)
	if b.online[l.Self] || !l.Online {
		lost = 1
	}
	b.instruments.disconnects.Add(context.Background(), lost, metric.WithAttributes(b.agent, b.labels.of(attrPlatform, l.Self.Platform)))
	b.online[l.Self] = l.Online
}
