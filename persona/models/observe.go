package models

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// A Call is the record of one model call with the attempts of the chains inside.
type Call struct {
	Model      string        // name of the model that answered; "" if none did, or if it has no name
	Attempts   []Attempt     // calls of single models, in order, at most 32; the last one answered, unless it failed
	Took       time.Duration // with all attempts and delays
	FirstToken time.Duration // until the first streamed token; without streaming until the answer; 0 without either
	Streamed   bool          // FirstToken is that of a streamed token
	Usage      Usage         // of all attempts
}

// An Attempt is one call of one model. It contains no text of the provider, which may have keys.
type Attempt struct {
	Model  string // its name; "" if it has none
	Failed bool
	Failure
	Took  time.Duration // 0 if the model was not called
	Usage Usage         // of this call; the sum of all attempts may be less than that of the Call, never more
}

// Reason returns the kind of the failure with its HTTP status, for example "rate limited (429)", or "" for an answer.
func (a Attempt) Reason() string {
	switch {
	case !a.Failed:
		return ""
	case a.Status == 0:
		return a.Kind.String()
	}
	return fmt.Sprintf("%s (%d)", a.Kind, a.Status)
}

// maxAttempts is the largest number of attempts in a Call.
const maxAttempts = 32

// Observe wraps a model and calls report with a record of each call, once and before the call returns. Wrap the outermost model:
// Observe sees the attempts of [Chain] and [Retry] inside, through wrappers that pass on the ctx. See [Meter] for the
// rules about goroutines and costs.
func Observe(model llms.Model, report func(context.Context, Call)) llms.Model {
	return &observer{model: model, report: report}
}

type observer struct {
	model  llms.Model
	report func(context.Context, Call)
}

// GenerateContent implements [llms.Model].
func (m *observer) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	t := &report{}
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		options = append(options[:len(options):len(options)], t.countStream(o))
	}
	failure := &CallError{Failure: Failure{Kind: Panicked}, Err: ErrPanicked} // remains if the model panics
	var resp *llms.ContentResponse
	began := time.Now()
	defer func() {
		c := t.call(began, failure, func(written int) Usage { return usageOfCall(messages, o.Tools, resp, failure, written) })
		c.Usage = withRepeated(ctx, c.Usage)
		_, attempts, _ := t.sum() // an observer around m names a single model itself
		reportOf(ctx).add(c.Usage, attempts...)
		m.report(ctx, c)
	}()
	resp, err := m.model.GenerateContent(context.WithValue(ctx, reportKey{}, t), messages, options...)
	failure = &CallError{Err: err}
	if err != nil {
		failure.Failure = Classify(err)
		if known := (*CallError)(nil); errors.As(err, &known) {
			failure.Model = known.Model
		}
	}
	return resp, err
}

// Call implements [llms.Model]. It calls GenerateContent, which reports the call.
func (m *observer) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}

type reportKey struct{}

// A report collects the record of a call for the observer: from chains inside it, and from the streamed chunks.
type report struct {
	mu       sync.Mutex
	usage    Usage
	counted  bool // usage is that of a chain or an observer inside
	attempts []Attempt
	written  int       // estimated tokens streamed so far
	first    time.Time // time of the first streamed token
}

// reportOf returns the report of the observer around this call, or nil.
func reportOf(ctx context.Context) *report {
	t, _ := ctx.Value(reportKey{}).(*report)
	return t
}

// add adds the usage that a chain or an observer measured, and its attempts.
func (t *report) add(u Usage, attempts ...Attempt) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage, t.counted = t.usage.Add(u), true
	t.attempts = append(t.attempts, attempts[:min(len(attempts), maxAttempts-len(t.attempts))]...)
}

// sum returns the usage and the attempts that a chain or an observer added. counted is false if there was none.
func (t *report) sum() (u Usage, attempts []Attempt, counted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.usage, t.attempts, t.counted
}

// call returns the record of the call. measure returns the usage of a model without a chain, from the tokens streamed so far.
func (t *report) call(began time.Time, failure *CallError, measure func(written int) Usage) Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := Call{Attempts: t.attempts, Took: time.Since(began), Usage: t.usage, Streamed: !t.first.IsZero()}
	if !t.counted {
		c.Usage = measure(t.written)
		c.Attempts = []Attempt{attemptOf(failure, c.Took, c.Usage)}
	}
	if failure.Err == nil {
		c.FirstToken = c.Took
		if n := len(c.Attempts); n > 0 {
			c.Model = c.Attempts[n-1].Model
		}
	}
	if c.Streamed {
		c.FirstToken = t.first.Sub(began)
	}
	return c
}

// attemptOf returns the attempt that ended in e. A nil e.Err is a success.
func attemptOf(e *CallError, took time.Duration, u Usage) Attempt {
	return Attempt{Model: e.Model, Failed: e.Err != nil, Failure: e.Failure, Took: took, Usage: u}
}
