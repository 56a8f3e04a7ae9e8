package models

import (
	"context"
	"sync"

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
// If the model is a [Chain], one report contains all calls that the chain made for one call. Usage.Calls and Usage.Failed
// count them. For one budget, meter the chain or its models, but not both.
func Meter(model llms.Model, report func(context.Context, Usage)) llms.Model {
	return &meter{model: model, report: report}
}

type meter struct {
	model  llms.Model
	report func(context.Context, Usage)
}

// GenerateContent implements [llms.Model].
func (m *meter) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	t := &report{}
	inner := context.WithValue(ctx, reportKey{}, t)
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		options = append(options[:len(options):len(options)], t.countStream(o))
	}
	failure := &CallError{} // remains if the model panics
	var resp *llms.ContentResponse
	defer func() {
		u, byChain := t.sum()
		if !byChain {
			u = usageOfCall(messages, o.Tools, resp, failure, u.Completion)
		}
		m.report(ctx, u)
	}()
	resp, err := m.model.GenerateContent(inner, messages, options...)
	if failure.Err = err; err != nil {
		failure.Failure = Classify(err)
	}
	return resp, err
}

// Call implements [llms.Model]. It calls GenerateContent, which reports the call.
func (m *meter) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
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

type reportKey struct{}

// A report collects the usage of a call for the meter: from a chain inside it, or from the streamed chunks.
type report struct {
	mu      sync.Mutex
	usage   Usage
	byChain bool
	written int
}

// reportOf returns the report of the meter around this call, or nil.
func reportOf(ctx context.Context) *report {
	t, _ := ctx.Value(reportKey{}).(*report)
	return t
}

func (t *report) add(u Usage) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage, t.byChain = t.usage.Add(u), true
}

// sum returns the usage that a chain reported. If there is no chain, Usage.Completion is the number of streamed tokens.
func (t *report) sum() (u Usage, byChain bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byChain {
		return t.usage, true
	}
	return Usage{Completion: t.written}, false
}

// countStream counts the streamed tokens. Clients pass text to both functions if both are set; it is counted once.
func (t *report) countStream(o llms.CallOptions) llms.CallOption {
	count := func(b []byte) {
		n := estimate(b)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.written += n
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
