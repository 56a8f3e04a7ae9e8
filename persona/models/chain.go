package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/tmc/langchaingo/llms"
)

// ChainOptions are the options of [NewChain].
type ChainOptions struct {
	Timeout         time.Duration // of one call of one model including streaming; 0 means 60 s, negative none
	Retries         int           // maximum retries of one model; 0 means 2, negative none
	Backoff         time.Duration // delay before the first retry. It doubles each time, and Seed shortens it by up to half; 0 means 1 s
	MaxBackoff      time.Duration // maximum delay. A model with a longer Retry-After is not retried; 0 means 20 s
	NoFallback      []FailureKind // no fallback to another model after these failures; nil means ContentFiltered, to keep rejected content from other providers
	RetryAfterTools bool          // retries even if the conversation ends in a tool result; see [WithoutRetry] and [WithToolResult]
	Seed            uint64        // 0 draws one; see Chain.Seed
	Logger          *slog.Logger  // logs each failure as a warning; nil discards
}

// A Candidate is one model of a [Chain].
type Candidate struct {
	Name          string            // for errors, logs and stats; "" means "model 1" for the first, and so on
	Model         llms.Model        // required
	CallOptions   []llms.CallOption // appended to the caller's, for example llms.WithModel
	Timeout       time.Duration     // 0 means ChainOptions.Timeout
	MaxConcurrent int               // maximum concurrent calls, including abandoned ones; 0 means 8
	MaxQueued     int               // maximum callers that wait for a slot; 0 means 64, negative none
	Breaker       Breaker           // settings of the breaker; the chain sets its Seed
}

// A Chain is an [llms.Model] that calls several models in order and returns the first answer. Each model has its own
// [Breaker]. The chain retries a rate limited or overloaded model after a delay, and then falls back to the next model.
//
// A Chain may be called concurrently. Each call of a model runs in a goroutine of the chain. The caller's streaming functions
// run in the caller's goroutine, and never after GenerateContent has returned. If a model does not return by its timeout,
// the chain abandons the call. The call keeps its slot until it returns, so the limit on concurrent calls holds.
// [Chain.Wait] waits for abandoned calls.
//
// A server on this machine or in a private network may load its model first. Such a failure has the kind [Loading], and no
// breaker opens for it: the server answers 503 "Loading model", it refuses connections, or it sends nothing until the timeout
// and has not answered in the last 4 minutes. The chain logs that it waits. A model that loads for more than 5 minutes fails as any other.
type Chain struct {
	opts       ChainOptions
	candidates []*candidate

	mu  sync.Mutex
	rng *rand.Rand
}

// NewChain returns a chain that calls links in this order. It copies links and opts.
func NewChain(links []Candidate, opts ChainOptions) (*Chain, error) {
	if len(links) == 0 {
		return nil, errors.New("models: chain: no models")
	}
	for opts.Seed == 0 {
		opts.Seed = rand.Uint64()
	}
	opts.Timeout = cmp.Or(opts.Timeout, 60*time.Second)
	opts.Retries = cmp.Or(opts.Retries, 2)
	opts.Backoff = cmp.Or(opts.Backoff, time.Second)
	opts.MaxBackoff = cmp.Or(opts.MaxBackoff, 20*time.Second)
	if opts.NoFallback == nil {
		opts.NoFallback = []FailureKind{ContentFiltered}
	}
	opts.NoFallback = slices.Clone(opts.NoFallback)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	c := &Chain{opts: opts, rng: rand.New(rand.NewPCG(opts.Seed, 0))}
	for i, l := range links {
		l.Name = cmp.Or(l.Name, fmt.Sprintf("model %d", i+1))
		switch {
		case l.Model == nil:
			return nil, fmt.Errorf("models: chain: %s is nil", l.Name)
		case l.MaxConcurrent < 0:
			return nil, fmt.Errorf("models: chain: %s: MaxConcurrent of %d is negative", l.Name, l.MaxConcurrent)
		}
		l.Timeout = cmp.Or(l.Timeout, opts.Timeout)
		l.CallOptions = slices.Clone(l.CallOptions)
		l.Breaker.Seed = opts.Seed + uint64(i)
		c.candidates = append(c.candidates, newCandidate(l))
	}
	return c, nil
}

// Retries implements [Retrier]. It reports true even if ChainOptions.Retries is negative.
func (c *Chain) Retries() bool { return true }

// Seed returns ChainOptions.Seed, or the drawn seed if that is 0.
func (c *Chain) Seed() uint64 { return c.opts.Seed }

// Call implements [llms.Model].
func (c *Chain) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, c, prompt, options...)
}

// GenerateContent implements [llms.Model]. The response has text, a tool call or a finish reason. The error is a
// *[ChainError], or the error of the caller's streaming function.
//
// There is no retry and no fallback after a chunk was streamed to the caller. The same holds after the first call with [WithoutRetry].
// A model that was not called, because it is busy or its breaker is open, does not count as a call.
//
// While a server says that it loads its model, the chain calls the next model, and waits for the last one.
//
// errors.Is finds the error of ctx if ctx ended the call. It does not if only the timeout of a single model ended it.
func (c *Chain) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	r := &request{chain: c, messages: messages, options: options}
	for _, option := range options {
		option(&r.callOptions)
	}
	reportOf(ctx).add(Usage{}) // tells Meter that the chain counts
	once := mustNotRetry(ctx) || !c.opts.RetryAfterTools && toolRan(ctx, messages)
	failed := &ChainError{}
	for _, l := range c.candidates {
		for try := 0; ; try++ {
			resp, err := r.try(ctx, l)
			if err == nil {
				return resp, nil
			}
			if r.callerErr != nil {
				return nil, r.callerErr
			}
			failed.Calls = append(failed.Calls, err)
			if err.Kind == Loading {
				r.logLoading(ctx, l, err)
			}
			if failed.Err = ctx.Err(); failed.Err != nil {
				return nil, failed
			}
			if err.Kind != Loading {
				c.opts.Logger.WarnContext(ctx, "models: call failed", "error", err, "advice", err.Advice())
			}
			if r.streamed || once && err.Kind.called() || slices.Contains(c.opts.NoFallback, err.Kind) {
				return nil, failed
			}
			wait, again := c.retryDelay(ctx, err, try)
			if poll, ok := c.retriesLoading(err); ok && poll > 0 {
				wait, again = poll, l == c.candidates[len(c.candidates)-1]
			}
			if !again || !l.ready(time.Now().Add(wait)) {
				break
			}
			if failed.Err = loop.Sleep(ctx, wait); failed.Err != nil {
				return nil, failed
			}
		}
	}
	return nil, failed
}

// retryDelay returns the delay before a retry after failure number try, beginning with 0, and whether to retry.
func (c *Chain) retryDelay(ctx context.Context, err *CallError, try int) (time.Duration, bool) {
	if _, loading := c.retriesLoading(err); !loading && !err.Kind.retried() || try >= c.opts.Retries || err.RetryAfter > c.opts.MaxBackoff {
		return 0, false
	}
	wait := c.opts.Backoff
	for range try {
		wait = min(2*wait, c.opts.MaxBackoff)
	}
	c.mu.Lock()
	wait -= time.Duration(c.rng.Int64N(int64(max(wait, 0)/2) + 1))
	c.mu.Unlock()
	wait = max(wait, err.RetryAfter)
	deadline, bounded := ctx.Deadline()
	return wait, !bounded || time.Until(deadline) > wait // a longer delay would end in the error of ctx
}

// Wait waits until every abandoned call has returned, or ctx ends. New calls may begin in the meantime.
func (c *Chain) Wait(ctx context.Context) error {
	for _, l := range c.candidates {
		if err := l.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// CandidateStats are the counters of one model of a [Chain].
type CandidateStats struct {
	Name      string
	State     BreakerState // of the breaker
	Usage     Usage        // of all calls; Usage.Calls and Usage.Failed count them
	Rejected  int          // calls that were not made: Busy or BreakerOpen
	Running   int          // current calls
	Abandoned int          // abandoned calls among the current ones
	Waiting   int          // callers that wait for a slot
}

// Stats returns the counters of each model, in the chain's order.
func (c *Chain) Stats() []CandidateStats {
	all := make([]CandidateStats, len(c.candidates))
	now := time.Now()
	for i, l := range c.candidates {
		all[i] = l.stats(now)
	}
	return all
}
