package telemetry

import (
	"cmp"
	"context"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/trace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// parent returns the context with the span of a turn, and the turn. A call may belong to none.
func (b *observer) parent(id string) (context.Context, *turn) {
	if t := b.turns[id]; t != nil {
		return t.ctx, t
	}
	return context.Background(), nil
}

func (b *observer) call(e trace.Event) {
	c := e.Call
	ctx, t := b.parent(c.Turn)
	model, failure := readAttempts(c)
	attrs := b.withChat([]attribute.KeyValue{attrOperation.String(opChat), b.agent, attrProvider.String(b.o.Provider), attrPurpose.String(c.Purpose)}, e.Chat)
	name := opChat
	if model != "" {
		name += " " + model
		attrs = append(attrs, attrRequestModel.String(model))
	}
	_, span := b.tracer.Start(ctx, name, oteltrace.WithSpanKind(oteltrace.SpanKindClient), oteltrace.WithTimestamp(c.Began), oteltrace.WithAttributes(attrs...))
	if span.IsRecording() {
		span.SetAttributes(answerAttributes(c)...)
		b.addContent(span, c)
		for _, a := range c.Attempts {
			if a.Error != "" {
				span.AddEvent(eventModelFailure, oteltrace.WithTimestamp(e.At), oteltrace.WithAttributes(attrRequestModel.String(a.Model), attrErrorType.String(a.Error)))
			}
		}
	}
	b.countCall(span, c, model, failure)
	span.End(oteltrace.WithTimestamp(e.At))
	if t != nil {
		t.call, t.failed = span.SpanContext(), failure
	}
}

// readAttempts returns the model that answered or failed last, and why the call failed; "" if it did not.
func readAttempts(c *trace.Call) (model, failure string) {
	model = c.Model
	if n := len(c.Attempts); n > 0 {
		model, failure = cmp.Or(model, c.Attempts[n-1].Model), c.Attempts[n-1].Error
	}
	if c.Failed == "" {
		return model, ""
	}
	return model, cmp.Or(failure, other)
}

func answerAttributes(c *trace.Call) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attrInputTokens.Int(c.ModelCall.Prompt), attrOutputTokens.Int(c.Tokens - c.ModelCall.Prompt), attrCacheReadTokens.Int(c.CacheRead), attrAttempts.Int(len(c.Attempts)),
	}
	if c.Model != "" {
		attrs = append(attrs, attrResponseModel.String(c.Model))
	}
	if c.Finish != "" {
		attrs = append(attrs, attrFinishReasons.StringSlice([]string{c.Finish}))
	}
	if c.Streamed {
		attrs = append(attrs, attrTimeToFirst.Float64(c.FirstToken.Seconds()))
	}
	return attrs
}

// countCall adds a call to the metrics, and marks its span if it failed.
func (b *observer) countCall(span oteltrace.Span, c *trace.Call, model, failure string) {
	i, ctx := &b.instruments, context.Background()
	attrs := []attribute.KeyValue{b.agent, attrOperation.String(opChat), attrProvider.String(b.o.Provider), b.labels.of(attrPurpose, c.Purpose)}
	if model != "" {
		attrs = append(attrs, b.labels.of(attrRequestModel, model))
	}
	with := func(more ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributes(append(attrs[:len(attrs):len(attrs)], more...)...)
	}
	i.tokens.Record(ctx, int64(c.ModelCall.Prompt), with(attrTokenType.String(tokenInput)))
	i.tokens.Record(ctx, int64(c.Tokens-c.ModelCall.Prompt), with(attrTokenType.String(tokenOutput)))
	if c.Streamed {
		i.firstChunk.Record(ctx, c.FirstToken.Seconds(), with())
	}
	for _, a := range c.Attempts {
		if a.Error != "" {
			i.models.Add(ctx, 1, metric.WithAttributes(b.agent, b.labels.of(attrRequestModel, a.Model), b.labels.of(attrErrorType, a.Error)))
		}
	}
	if failure == "" {
		i.chat.Record(ctx, c.Took.Seconds(), with())
		return
	}
	i.chat.Record(ctx, c.Took.Seconds(), with(b.fail(span, failure, c.Failed)))
}

// tool reports a tool call. Its span is a child of the turn, because the call of the model that asked for it is over; it has a link
// to that call.
func (b *observer) tool(e trace.Event) {
	c := e.Tool
	ctx, t := b.parent(c.Turn)
	options := []oteltrace.SpanStartOption{oteltrace.WithTimestamp(c.Began), oteltrace.WithAttributes(
		attrOperation.String(opExecuteTool), b.agent, attrToolName.String(c.Name), attrToolType.String(toolFunction), attrToolCallID.String(c.ID))}
	if t != nil && t.call.IsValid() {
		options = append(options, oteltrace.WithLinks(oteltrace.Link{SpanContext: t.call}))
	}
	_, span := b.tracer.Start(ctx, opExecuteTool+" "+c.Name, options...)
	if b.o.Content && span.IsRecording() {
		span.SetAttributes(attrToolArguments.String(b.o.Redact(c.Arguments)), attrToolResult.String(b.o.Redact(c.Result)))
	}
	attrs := []attribute.KeyValue{b.agent, b.labels.of(attrToolName, c.Name)}
	if c.Outcome != string(nit.OK) && c.Outcome != string(nit.Replayed) {
		attrs = append(attrs, b.fail(span, c.Outcome, c.Result))
	}
	span.End(oteltrace.WithTimestamp(c.Began.Add(c.Took)))
	b.instruments.tool.Record(context.Background(), c.Took.Seconds(), metric.WithAttributes(attrs...))
}
