package models

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// A request is one call of a chain.
type request struct {
	chain    *Chain
	messages []llms.MessageContent
	options  []llms.CallOption
	set      llms.CallOptions // what the options say
	streamed bool             // some of an answer went to the caller
	refused  error            // what the caller's streaming function returned
}

// ErrPanicked is in the chain of a [CallError] when the model panicked; the logger is told where.
var ErrPanicked = errors.New("the model panicked")

var (
	errEmpty    = errors.New("the answer is empty and does not say why it ended")
	errFiltered = errors.New("the provider ended the answer before it began")
	errLetGo    = errors.New("models: nobody waits for this answer any more")
)

// try asks one model once.
func (r *request) try(ctx context.Context, l *link) (*llms.ContentResponse, *CallError) {
	fail := func(k FailureKind, err error) *CallError {
		if !k.asked() {
			l.refuse()
		}
		return &CallError{Model: l.Name, Failure: Failure{Kind: k}, Err: err}
	}
	switch {
	case ctx.Err() != nil:
		return nil, fail(Canceled, ctx.Err())
	case !l.ready(time.Now()):
		return nil, fail(BreakerOpen, nil)
	case !l.enter(ctx):
		if ctx.Err() != nil {
			return nil, fail(Canceled, ctx.Err())
		}
		return nil, fail(Busy, nil)
	}
	ticket, ok := l.allow(time.Now())
	if !ok {
		l.leave()
		return nil, fail(BreakerOpen, nil)
	}
	outcome, wait := Ignored, time.Duration(0) // should the caller's own function panic
	defer func() { l.done(time.Now(), ticket, outcome, wait) }()

	resp, failure := r.ask(ctx, l)
	if failure == nil {
		outcome = Succeeded
		return resp, nil
	}
	outcome, wait = failure.Kind.outcome(), failure.RetryAfter
	if failure.RetryAfter > r.chain.opts.MaxBackoff && outcome == Failed {
		outcome = Fatal
	}
	return nil, failure
}

// ask makes the call in a goroutine, which holds the slot until the model returns, and sees to its streaming.
func (r *request) ask(ctx context.Context, l *link) (*llms.ContentResponse, *CallError) {
	limit, cancel := context.WithCancel(ctx)
	if l.Timeout > 0 {
		limit, cancel = context.WithTimeout(ctx, l.Timeout)
	}
	defer cancel()
	a := &attempt{link: l, chunks: make(chan chunk), result: make(chan result, 1), gone: make(chan struct{})}
	defer a.letGo()
	go a.run(context.WithValue(context.WithValue(limit, wireKey{}, &a.wire), tallyKey{}, &a.tally), r)
	for {
		select {
		case c := <-a.chunks:
			c.answer <- r.stream(c, a)
		case got := <-a.result:
			a.over = true
			return r.judge(ctx, limit, a, got)
		case <-limit.Done():
			return r.judge(ctx, limit, a, result{err: limit.Err()})
		}
	}
}

// stream passes a chunk to the caller's function, in the caller's goroutine.
func (r *request) stream(c chunk, a *attempt) error {
	if len(c.text)+len(c.reasoning) > 0 {
		r.streamed = true
		a.written += estimate(c.text) + estimate(c.reasoning)
	}
	var err error
	if c.both {
		err = r.set.StreamingReasoningFunc(c.ctx, c.reasoning, c.text)
	} else {
		err = r.set.StreamingFunc(c.ctx, c.text)
	}
	if err != nil {
		r.refused = err
	}
	return err
}

// judge says what came of a call, and counts what it cost. An answer that came as its time was up is none: langchaingo's
// OpenAI client, canceled while it streams, gives what it has so far without an error.
func (r *request) judge(ctx, limit context.Context, a *attempt, got result) (*llms.ContentResponse, *CallError) {
	e := &CallError{Model: a.link.Name, Err: got.err}
	failed, _ := got.err.(*CallError)
	switch {
	case r.refused != nil:
		e.Kind, e.Err = Canceled, r.refused
	case ctx.Err() != nil:
		e.Kind, e.Err = Canceled, ctx.Err()
	case limit.Err() != nil:
		e.Kind, e.Err = Timeout, fmt.Errorf("no answer within %s", a.link.Timeout)
	case got.panicked != nil:
		e.Kind, e.Err = Panicked, fmt.Errorf("%w: %v", ErrPanicked, got.panicked)
		r.chain.opts.Logger.ErrorContext(ctx, "models: a model panicked", "model", a.link.Name, "panic", got.panicked, "stack", got.stack)
	case failed != nil: // it names the model, and so does e
		e.Failure, e.Err = failed.Failure, failed.Err
	case got.err != nil:
		e.Failure = a.wire.better(Classify(got.err), got.err)
	default:
		e.Kind, e.Err = emptiness(got.resp)
	}
	u, told := a.tally.sum() // of a chain in the chain
	if !told {
		u = spent(r.messages, r.set.Tools, got.resp, e, a.written)
	}
	a.link.count(u)
	tallyOf(ctx).add(u)
	if e.Err == nil {
		return got.resp, nil
	}
	return nil, e
}

// emptiness tells what is wrong with a response that is no answer. A model that keeps silent says that it stopped;
// langchaingo's OpenAI and Ollama clients give an empty response for a stream that broke off before it began, too.
func emptiness(resp *llms.ContentResponse) (FailureKind, error) {
	if resp == nil {
		return EmptyAnswer, errEmpty
	}
	reason := ""
	for _, c := range resp.Choices {
		switch {
		case c == nil:
			continue
		case c.Content != "", len(c.ToolCalls) > 0, c.FuncCall != nil:
			return Unknown, nil
		case c.StopReason != "":
			reason = c.StopReason
		case counted(c.GenerationInfo):
			reason = "stop" // Ollama's client gives no reason, but what was said was counted
		}
	}
	switch reason {
	case "":
		return EmptyAnswer, errEmpty
	case "content_filter", "refusal", "sensitive":
		return ContentFiltered, errFiltered
	case "length", "max_tokens":
		return EmptyAnswer, errors.New("the answer is empty: all its tokens went into thinking")
	case "error", "network_error", "insufficient_system_resource":
		return Overloaded, fmt.Errorf("the provider ended the answer: %s", reason)
	}
	return Unknown, nil
}

func counted(info map[string]any) bool {
	n, _ := info["CompletionTokens"].(int)
	return n > 0
}

// An attempt is one call of one model under way.
type attempt struct {
	link    *link
	chunks  chan chunk
	result  chan result
	gone    chan struct{} // closed when the caller waits no more
	over    bool          // the result was taken
	written int           // tokens streamed so far, estimated
	left    atomic.Int32  // who was first: the caller who went, or the model that came back
	wire    wire
	tally   tally
}

type chunk struct {
	ctx             context.Context
	text, reasoning []byte
	both            bool // for the StreamingReasoningFunc
	answer          chan error
}

type result struct {
	resp     *llms.ContentResponse
	err      error
	panicked any
	stack    string
}

// run makes the call, in its own goroutine.
func (a *attempt) run(ctx context.Context, r *request) {
	var got result
	defer func() {
		if p := recover(); p != nil {
			got = result{panicked: p, stack: string(debug.Stack())}
		}
		a.link.leave()
		if !a.left.CompareAndSwap(0, 1) {
			a.link.cameBack()
		}
		a.result <- got
	}()
	got.resp, got.err = a.link.Model.GenerateContent(ctx, r.messages, a.options(r)...)
}

// letGo is called when the caller returns.
func (a *attempt) letGo() {
	close(a.gone)
	if a.over {
		return
	}
	a.link.letGo() // first: so that cameBack finds it counted
	if !a.left.CompareAndSwap(0, 2) {
		a.link.cameBack()
	}
}

// options are the caller's and the link's, with streaming functions that hand each chunk to the caller's goroutine.
func (a *attempt) options(r *request) []llms.CallOption {
	if r.set.StreamingFunc == nil && r.set.StreamingReasoningFunc == nil && len(a.link.CallOptions) == 0 {
		return r.options
	}
	options := make([]llms.CallOption, 0, len(r.options)+len(a.link.CallOptions)+1)
	options = append(append(options, r.options...), a.link.CallOptions...)
	return append(options, func(o *llms.CallOptions) {
		if r.set.StreamingFunc != nil {
			o.StreamingFunc = func(ctx context.Context, text []byte) error { return a.hand(chunk{ctx: ctx, text: text}) }
		}
		if r.set.StreamingReasoningFunc != nil {
			o.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
				return a.hand(chunk{ctx: ctx, text: text, reasoning: reasoning, both: true})
			}
		}
	})
}

func (a *attempt) hand(c chunk) error {
	c.answer = make(chan error, 1)
	select {
	case a.chunks <- c:
	case <-a.gone:
		return errLetGo
	}
	select {
	case err := <-c.answer:
		return err
	case <-a.gone: // the caller's function panicked
		return errLetGo
	}
}
