package models

import (
	"context"
	"sync"

	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/tmc/langchaingo/llms"
)

// Usage is what model calls cost.
type Usage = prompt.Usage

// Meter wraps a model so that report is told what each call cost, once per call and before the call returns, in the
// caller's goroutine and with the caller's ctx, by which it may know whom the call was made for: report is called
// concurrently if the model is. It sees the failed calls too, those that panicked among them; their prompt counts as
// spent, since the provider may have read it, and so does what was streamed, except where the failure says that the call was
// turned away before ([FailureKind] tells which are free).
//
// Around a [Chain], one report holds all calls that the chain made for one call: Usage.Calls and Usage.Failed tell how
// many. Meter the chain or its models, not both for the same budget.
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
	t := &tally{}
	inner := context.WithValue(ctx, tallyKey{}, t)
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		options = append(options[:len(options):len(options)], t.listen(o))
	}
	failure := &CallError{} // what a panic leaves
	var resp *llms.ContentResponse
	defer func() {
		u, told := t.sum()
		if !told {
			u = spent(messages, o.Tools, resp, failure, u.Completion)
		}
		m.report(ctx, u)
	}()
	resp, err := m.model.GenerateContent(inner, messages, options...)
	if failure.Err = err; err != nil {
		failure.Failure = Classify(err)
	}
	return resp, err
}

// Call implements [llms.Model]. It goes through GenerateContent, so that it is counted like any other.
func (m *meter) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}

// spent gives what one call cost: what the provider tells, or else an estimate. written are the tokens that were
// streamed before it failed.
func spent(messages []llms.MessageContent, tools []llms.Tool, resp *llms.ContentResponse, e *CallError, written int) Usage {
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

type tallyKey struct{}

// A tally is what a chain made known to the meter around it.
type tally struct {
	mu      sync.Mutex
	usage   Usage
	told    bool
	written int
}

// tallyOf gives the meter's tally, or nil.
func tallyOf(ctx context.Context) *tally {
	t, _ := ctx.Value(tallyKey{}).(*tally)
	return t
}

func (t *tally) add(u Usage) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage, t.told = t.usage.Add(u), true
}

// sum gives what a chain told; if none did, what was streamed is Usage.Completion.
func (t *tally) sum() (u Usage, told bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told {
		return t.usage, true
	}
	return Usage{Completion: t.written}, false
}

// listen counts what is streamed. Where both functions are set, chunks of text come to both.
func (t *tally) listen(o llms.CallOptions) llms.CallOption {
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
