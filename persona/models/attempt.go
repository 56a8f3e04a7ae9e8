package models

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// A request is one call of a [Chain].
type request struct {
	chain       *Chain
	messages    []llms.MessageContent
	options     []llms.CallOption
	callOptions llms.CallOptions // the result of options
	streamed    bool             // a part of the answer went to the caller
	callerErr   error            // returned by the caller's streaming function
}

// ErrPanicked is wrapped by the [CallError] of a model that panicked. The chain logs the stack.
var ErrPanicked = errors.New("the model panicked")

var (
	errEmpty     = errors.New("the answer is empty and has no finish reason")
	errFiltered  = errors.New("the provider filtered the whole answer")
	errAbandoned = errors.New("models: the caller has left")
)

// try calls one model once.
func (r *request) try(ctx context.Context, l *candidate) (*llms.ContentResponse, *CallError) {
	fail := func(k FailureKind, err error) *CallError {
		if !k.called() {
			l.reject()
		}
		f := Failure{Kind: k}
		if k == BreakerOpen {
			f.RetryAfter, err = l.breakerError(time.Now())
		}
		e := &CallError{Model: l.Name, Failure: f, Err: err}
		reportOf(ctx).add(Usage{}, Attempt{Model: l.Name, Failed: true, Failure: f})
		return e
	}
	switch {
	case ctx.Err() != nil:
		return nil, fail(Canceled, ctx.Err())
	case !l.ready(time.Now()):
		return nil, fail(BreakerOpen, nil)
	case !l.acquire(ctx):
		if ctx.Err() != nil {
			return nil, fail(Canceled, ctx.Err())
		}
		return nil, fail(Busy, nil)
	}
	ticket, ok := l.allow(time.Now())
	if !ok {
		l.release()
		return nil, fail(BreakerOpen, nil)
	}
	outcome := Ignored // if the caller's function panics
	var failure *CallError
	defer func() {
		switch opened, closed, until := l.done(time.Now(), ticket, outcome, failure); {
		case opened:
			r.chain.opts.Logger.WarnContext(ctx, "models: no calls of the model for now; the first call after that time tries it again",
				"model", l.Name, "until", until.Format(time.TimeOnly), "why", failure.Error())
		case closed:
			r.chain.opts.Logger.InfoContext(ctx, "models: the model answers again", "model", l.Name)
		}
	}()

	var resp *llms.ContentResponse
	if resp, failure = r.call(ctx, l); failure == nil {
		outcome = Succeeded
		if after := l.noteAnswer(time.Now()); after > 0 {
			r.chain.opts.Logger.InfoContext(ctx, "models: the model is loaded", "model", l.Name, "after", after.Round(time.Second).String())
		}
		return resp, nil
	}
	outcome = failure.Kind.outcome()
	if failure.RetryAfter > r.chain.opts.MaxBackoff && outcome == Failed {
		outcome = Fatal
	}
	return nil, failure
}

// call calls the model in a goroutine, which holds the slot until the model returns, and passes on the chunks.
func (r *request) call(ctx context.Context, l *candidate) (*llms.ContentResponse, *CallError) {
	limit, cancel := context.WithCancel(ctx)
	if l.Timeout > 0 {
		limit, cancel = context.WithTimeout(ctx, l.Timeout)
	}
	defer cancel()
	a := &attempt{candidate: l, began: time.Now(), chunks: make(chan chunk), result: make(chan result, 1), callerGone: make(chan struct{})}
	defer a.abandon()
	go a.run(context.WithValue(context.WithValue(limit, httpStatusKey{}, &a.http), reportKey{}, &a.reported), r)
	silent := time.NewTimer(silentFor)
	defer silent.Stop()
	for {
		select {
		case <-silent.C:
			if a.http.isSilent() && l.mayLoad(time.Now(), false) {
				r.logLoading(ctx, l, fmt.Errorf("the server has sent nothing for %s", silentFor))
			}
		case c := <-a.chunks:
			c.answer <- r.stream(c, a)
		case got := <-a.result:
			a.finished = true
			return r.finish(ctx, limit, a, got)
		case <-limit.Done():
			return r.finish(ctx, limit, a, result{err: limit.Err()})
		}
	}
}

// stream passes a chunk to the caller's function in the caller's goroutine.
func (r *request) stream(c chunk, a *attempt) error {
	if len(c.text)+len(c.reasoning) > 0 {
		r.streamed = true
		a.written += estimate(c.text) + estimate(c.reasoning)
	}
	var err error
	if c.forReasoning {
		err = r.callOptions.StreamingReasoningFunc(c.ctx, c.reasoning, c.text)
	} else {
		err = r.callOptions.StreamingFunc(c.ctx, c.text)
	}
	if err != nil {
		r.callerErr = err
	}
	return err
}

// finish classifies the result of a call and counts its tokens. An answer that arrives after ctx has ended is a failure,
// because langchaingo's OpenAI client returns the streamed part without an error when its ctx ends.
func (r *request) finish(ctx, limit context.Context, a *attempt, got result) (*llms.ContentResponse, *CallError) {
	e := &CallError{Model: a.candidate.Name, Err: got.err}
	failed, _ := got.err.(*CallError)
	switch {
	case r.callerErr != nil:
		e.Kind, e.Err = Canceled, r.callerErr
	case ctx.Err() != nil:
		e.Kind, e.Err = Canceled, ctx.Err()
	case limit.Err() != nil:
		e.Kind, e.Err = Timeout, fmt.Errorf("no answer within %s", a.candidate.Timeout)
	case got.panicked != nil:
		e.Kind, e.Err = Panicked, fmt.Errorf("%w: %v", ErrPanicked, got.panicked)
		r.chain.opts.Logger.ErrorContext(ctx, "models: a model panicked", "model", a.candidate.Name, "panic", got.panicked, "stack", got.stack)
	case failed != nil: // its text repeats the model's name
		e.Failure, e.Err = failed.Failure, failed.Err
	case got.err != nil:
		e.Failure = a.http.refine(Classify(got.err), got.err)
		e.Kind, e.Err = a.http.explain(e.Kind, a.http.cause(e.Kind, got.err))
	default:
		e.Kind, e.Err = a.http.explain(emptyAnswer(got.resp))
	}
	if e.Err != nil && r.callerErr == nil {
		a.classifyLoading(e)
	}
	u, attempts, ok := a.reported.sum() // if the model is a chain or has a meter
	if !ok {
		u = usageOfCall(r.messages, r.callOptions.Tools, got.resp, e, a.written)
	}
	a.candidate.addUsage(u)
	reportOf(ctx).add(u, a.all(attempts, e, got.err, u)...)
	if e.Err == nil {
		return got.resp, nil
	}
	return nil, e
}

// all returns the attempts of a call that ended in e: those of the chain inside, and its own unless that chain answered or
// returned the error.
func (a *attempt) all(inside []Attempt, e *CallError, err error, u Usage) []Attempt {
	var chain *ChainError
	if len(inside) > 0 && (e.Err == nil || errors.As(err, &chain)) {
		return inside
	}
	if len(inside) > 0 {
		u = Usage{} // counted inside
	}
	return append(slices.Clone(inside), attemptOf(e, time.Since(a.began), u))
}

// emptyAnswer returns an error for a response without text and tool calls, unless it has a finish reason: a model may choose
// to say nothing. langchaingo's OpenAI and Ollama clients return an empty response for a stream that is cut at its start.
func emptyAnswer(resp *llms.ContentResponse) (FailureKind, error) {
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
		case hasCompletionTokens(c.GenerationInfo):
			reason = "stop" // Ollama's client returns no finish reason
		}
	}
	switch reason {
	case "":
		return EmptyAnswer, errEmpty
	case "content_filter", "refusal", "sensitive":
		return ContentFiltered, errFiltered
	case "length", "max_tokens":
		return EmptyAnswer, errors.New("the answer is empty: reasoning used all of its tokens")
	case "error", "network_error", "insufficient_system_resource":
		return Overloaded, fmt.Errorf("the provider ended the answer: %s", reason)
	}
	return Unknown, nil
}

func hasCompletionTokens(info map[string]any) bool {
	n, _ := info["CompletionTokens"].(int)
	return n > 0
}

// An attempt is one running call of one model.
type attempt struct {
	candidate  *candidate
	began      time.Time
	chunks     chan chunk
	result     chan result
	callerGone chan struct{} // closed when the caller returns
	finished   bool          // the result was received
	written    int           // estimated tokens streamed so far
	first      atomic.Int32  // set by the first to return: 1 the model, 2 the caller
	http       httpStatus
	reported   report
}

type chunk struct {
	ctx             context.Context
	text, reasoning []byte
	forReasoning    bool // for the StreamingReasoningFunc
	answer          chan error
}

type result struct {
	resp     *llms.ContentResponse
	err      error
	panicked any
	stack    string
}

// run calls the model. It runs in a goroutine.
func (a *attempt) run(ctx context.Context, r *request) {
	var got result
	defer func() {
		if p := recover(); p != nil {
			got = result{panicked: p, stack: string(debug.Stack())}
		}
		a.candidate.release()
		if !a.first.CompareAndSwap(0, 1) {
			a.candidate.returned()
		}
		a.result <- got
	}()
	got.resp, got.err = a.candidate.Model.GenerateContent(ctx, r.messages, a.options(r)...)
}

// abandon ends the attempt when the caller returns.
func (a *attempt) abandon() {
	close(a.callerGone)
	if a.finished {
		return
	}
	a.candidate.abandon() // before the swap: returned decrements the count
	if !a.first.CompareAndSwap(0, 2) {
		a.candidate.returned()
	}
}

// options returns the caller's options and the candidate's, with streaming functions that send chunks to the caller's
// goroutine.
func (a *attempt) options(r *request) []llms.CallOption {
	if r.callOptions.StreamingFunc == nil && r.callOptions.StreamingReasoningFunc == nil && len(a.candidate.CallOptions) == 0 {
		return r.options
	}
	options := make([]llms.CallOption, 0, len(r.options)+len(a.candidate.CallOptions)+1)
	options = append(append(options, r.options...), a.candidate.CallOptions...)
	return append(options, func(o *llms.CallOptions) {
		if r.callOptions.StreamingFunc != nil {
			o.StreamingFunc = func(ctx context.Context, text []byte) error { return a.deliver(chunk{ctx: ctx, text: text}) }
		}
		if r.callOptions.StreamingReasoningFunc != nil {
			o.StreamingReasoningFunc = func(ctx context.Context, reasoning, text []byte) error {
				return a.deliver(chunk{ctx: ctx, text: text, reasoning: reasoning, forReasoning: true})
			}
		}
	})
}

func (a *attempt) deliver(c chunk) error {
	c.answer = make(chan error, 1)
	select {
	case a.chunks <- c:
	case <-a.callerGone:
		return errAbandoned
	}
	select {
	case err := <-c.answer:
		return err
	case <-a.callerGone: // the caller's function panicked
		return errAbandoned
	}
}
