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

// ChainOptions are those of [NewChain].
type ChainOptions struct {
	Timeout         time.Duration // for one call of one model, streaming included; 0 means 60 s, negative none
	Retries         int           // how often one model is asked again after a failure that is retried; 0 means 2, negative never
	Backoff         time.Duration // before the first retry; doubles, and is shortened by up to half, by Seed; 0 means 1 s
	MaxBackoff      time.Duration // the longest wait between two tries. Who asks for more (Retry-After) is not asked again in this call; 0 means 20 s
	NoFallback      []FailureKind // failures after which no other model is asked; nil means Filtered: what one provider refused is not shown to another
	RetryAfterTools bool          // a call is repeated even if the conversation ends in a tool's result; see [WithoutRetry] and [WithToolResult]
	Seed            uint64        // 0 draws one: see Chain.Seed
	Logger          *slog.Logger  // told of each failure (warning), in the words of [CallError]; nil discards
}

// A Candidate is one model of a chain.
type Candidate struct {
	Name          string            // in errors, logs and stats; "" means "model 1" for the first, and so on
	Model         llms.Model        // required
	CallOptions   []llms.CallOption // added behind the caller's: llms.WithModel, say
	Timeout       time.Duration     // 0 means that of the chain
	MaxConcurrent int               // calls at a time, those that were let go and still run among them; 0 means 8
	MaxQueued     int               // callers that wait for a slot; 0 means 64, negative none
	Breaker       Breaker           // what is set in it; its Seed is the chain's
}

// A Chain is an [llms.Model] over several: the first that answers. Each is behind a [Breaker] of its own; one that is
// rate limited or not well is asked again after a while, and then the next one is asked.
//
// A Chain may be called concurrently. Each call of a model runs in a goroutine that the chain starts, but the caller's
// streaming functions run in the caller's, and never after GenerateContent has returned. A model that does not return
// when its time is up is let go: it keeps its slot until it does, so that no more than Slots of its calls ever run.
// [Chain.Wait] waits for them.
type Chain struct {
	opts  ChainOptions
	links []*link

	mu   sync.Mutex
	dice *rand.Rand
}

// NewChain makes a chain of these models, in this order. It copies what it is given.
func NewChain(links []Candidate, opts ChainOptions) (*Chain, error) {
	if len(links) == 0 {
		return nil, errors.New("models: chain: it has no model")
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
	c := &Chain{opts: opts, dice: rand.New(rand.NewPCG(opts.Seed, 0))}
	for i, l := range links {
		l.Name = cmp.Or(l.Name, fmt.Sprintf("model %d", i+1))
		switch {
		case l.Model == nil:
			return nil, fmt.Errorf("models: chain: %s is nil", l.Name)
		case l.MaxConcurrent < 0:
			return nil, fmt.Errorf("models: chain: %s: Slots is %d", l.Name, l.MaxConcurrent)
		}
		l.Timeout = cmp.Or(l.Timeout, opts.Timeout)
		l.CallOptions = slices.Clone(l.CallOptions)
		l.Breaker.Seed = opts.Seed + uint64(i)
		c.links = append(c.links, newLink(l))
	}
	return c, nil
}

// Retries implements [Retrier]. It reports true even if ChainOptions.Retries is negative: the chain decides about retries.
func (c *Chain) Retries() bool { return true }

// Seed returns ChainOptions.Seed, or what was drawn in its place.
func (c *Chain) Seed() uint64 { return c.opts.Seed }

// Call implements [llms.Model].
func (c *Chain) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, c, prompt, options...)
}

// GenerateContent implements [llms.Model]. Its response holds a choice that says something, or says why it ended. Its
// error is a *[ChainError], or what the caller's own streaming function returned.
//
// After a chunk of an answer went to the caller's streaming functions, whatever fails is the end: neither that model nor
// another is asked. So it is after the first call where only one may be made (see [WithoutRetry]); a model that was not asked, because
// it is busy or its breaker is open, does not count.
//
// errors.Is finds the ctx's error in it when ctx ended, and not when only a link's own time was up.
func (c *Chain) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	r := &request{chain: c, messages: messages, options: options}
	for _, option := range options {
		option(&r.set)
	}
	tallyOf(ctx).add(Usage{}) // it counts its calls itself
	once := isOnce(ctx) || !c.opts.RetryAfterTools && toolRan(ctx, messages)
	failed := &ChainError{}
	for _, l := range c.links {
		for try := 0; ; try++ {
			resp, err := r.try(ctx, l)
			if err == nil {
				return resp, nil
			}
			if r.refused != nil {
				return nil, r.refused
			}
			failed.Calls = append(failed.Calls, err)
			if failed.Err = ctx.Err(); failed.Err != nil {
				return nil, failed
			}
			c.opts.Logger.WarnContext(ctx, "models: a call failed", "error", err.Error())
			if r.streamed || once && err.Kind.asked() || slices.Contains(c.opts.NoFallback, err.Kind) {
				return nil, failed
			}
			wait, again := c.again(ctx, err, try)
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

// again tells whether and when a model is asked again after its try'th failure, the first being 0.
func (c *Chain) again(ctx context.Context, err *CallError, try int) (time.Duration, bool) {
	if !err.Kind.retried() || try >= c.opts.Retries || err.RetryAfter > c.opts.MaxBackoff {
		return 0, false
	}
	wait := c.opts.Backoff
	for range try {
		wait = min(2*wait, c.opts.MaxBackoff)
	}
	c.mu.Lock()
	wait -= time.Duration(c.dice.Int64N(int64(max(wait, 0)/2) + 1))
	c.mu.Unlock()
	wait = max(wait, err.RetryAfter)
	deadline, bounded := ctx.Deadline()
	return wait, !bounded || time.Until(deadline) > wait // else it would be woken only to give up
}

// Wait waits until every call that was let go has returned, or ctx ends. New calls may begin in the meantime.
func (c *Chain) Wait(ctx context.Context) error {
	for _, l := range c.links {
		if err := l.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// CandidateStats is what became of one model's calls.
type CandidateStats struct {
	Name      string
	State     BreakerState // of its breaker
	Usage     Usage        // of the calls made: Usage.Calls, Usage.Failed among them
	Rejected  int          // calls that were not made: Busy or Open
	Running   int          // now
	Abandoned int          // of those, let go and not back yet
	Waiting   int          // for a slot, now
}

// Stats gives the figures of each model, in the chain's order.
func (c *Chain) Stats() []CandidateStats {
	all := make([]CandidateStats, len(c.links))
	now := time.Now()
	for i, l := range c.links {
		all[i] = l.stats(now)
	}
	return all
}
