package models

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/tmc/langchaingo/llms"
)

// Usage counts model calls and their tokens.
type Usage = prompt.Usage

// Meter wraps a model and calls report with the cost of each call, once and before the call returns. report runs in the
// caller's goroutine with the caller's ctx, for example to find the chat that the call was made for. It is called
// concurrently if the model is.
//
// Failed calls and panics are reported, too. Their prompt and the streamed part of the answer count, because the provider
// may have processed them. They cost nothing if the kind of the failure is free; see [FailureKind].
//
// [PurposeOf] returns the purpose of the call, for sums by purpose. If the model is a [Chain], one report contains all calls that the chain made for one call. Usage.Calls and Usage.Failed
// count them. For one budget, meter the chain or its models, but not both.
func Meter(model llms.Model, report func(context.Context, Usage)) llms.Model {
	return Observe(model, func(ctx context.Context, c Call) { report(ctx, c.Usage) })
}

// usageOfCall returns the provider's token counts of a call, or an estimate. written is the number of tokens that were
// streamed before a failure.
func usageOfCall(messages []llms.MessageContent, tools []llms.Tool, resp *llms.ContentResponse, e *CallError, written int) Usage {
	switch {
	case e.Err == nil:
		return prompt.UsageOf(messages, tools, resp)
	case e.Kind.free() && written == 0:
		return Usage{Calls: 1, Failed: 1}
	case e.Kind == EmptyAnswer || e.Kind == ContentFiltered:
		if u := prompt.UsageOf(messages, tools, resp); resp != nil {
			u.Failed = 1
			return u
		}
	}
	u := prompt.UsageOf(messages, tools, nil)
	u.Completion += written
	return u
}

// countStream counts the streamed tokens. Clients pass text to both functions if both are set; it is counted once.
func (t *report) countStream(o llms.CallOptions) llms.CallOption {
	count := func(b []byte) {
		n := estimate(b)
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.written += n; len(b) > 0 && t.first.IsZero() {
			t.first = time.Now()
		}
	}
	return func(inner *llms.CallOptions) {
		if f := o.StreamingFunc; f != nil {
			inner.StreamingFunc = func(ctx context.Context, text []byte) error {
				count(text)
				return f(ctx, text)
			}
		}
		if f := o.StreamingReasoningFunc; f != nil {
			inner.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
				if count(reasoning); o.StreamingFunc == nil {
					count(text)
				}
				return f(ctx, reasoning, text)
			}
		}
	}
}

func estimate(b []byte) int { return prompt.Tokens(string(b)) }
