package models

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A candidate is a model of a chain with its breaker, slots and counters.
type candidate struct {
	Candidate
	slots chan struct{} // holds one token per running call; blocked senders are served in order

	mu           sync.Mutex
	breaker      Breaker
	opened       *CallError // why the breaker is open or half open
	answered     time.Time  // the last answer
	loadingSince time.Time  // the first sign since then that the server loads its model
	usage        Usage
	rejected     int
	waiting      int
	abandoned    int
	idle         chan struct{} // closed when the last abandoned call returns; nil if there is none
}

// stuckQueueWait is the maximum time that a caller waits for a slot if abandoned calls hold all of them.
const stuckQueueWait = time.Second

func newCandidate(l Candidate) *candidate {
	return &candidate{Candidate: l, slots: make(chan struct{}, cmp.Or(l.MaxConcurrent, 8)), breaker: l.Breaker}
}

// ready reports whether the breaker would permit a call at now.
func (c *candidate) ready(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.breaker.Ready(now)
}

func (c *candidate) allow(now time.Time) (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.breaker.Allow(now)
}

// done reports the outcome of a call to the breaker. failure is nil after a success. opened is set if the breaker opened, until
// that time, and closed if the call closed it.
func (c *candidate) done(now time.Time, ticket uint64, outcome BreakerOutcome, failure *CallError) (opened, closed bool, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := time.Duration(0)
	if failure != nil {
		wait = failure.RetryAfter
	}
	was, _ := c.breaker.Next()
	before := c.breaker.State(now)
	c.breaker.Done(now, ticket, outcome, wait)
	until, _ = c.breaker.Next()
	switch after := c.breaker.State(now); {
	case after == Open && (before != Open || !until.Equal(was)):
		c.opened, opened = failure, true
	case after == Closed && before != Closed:
		c.opened, closed = nil, true
	}
	return opened, closed, until
}

// breakerError returns how long the breaker stays open, and the error for a call that it does not permit.
func (c *candidate) breakerError(now time.Time) (open time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.breaker.State(now) == Open {
		until, _ := c.breaker.Next()
		open = max(until.Sub(now), 0)
	}
	return open, &openError{cause: c.opened, probing: open == 0}
}

// acquire takes a slot. It waits at most for the timeout of a call.
func (c *candidate) acquire(ctx context.Context) bool {
	select {
	case c.slots <- struct{}{}:
		return true
	default:
	}
	limit, ok := c.joinQueue()
	if !ok {
		return false
	}
	defer c.leaveQueue()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	select {
	case c.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *candidate) joinQueue() (limit time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting >= cmp.Or(c.MaxQueued, 64) {
		return 0, false
	}
	c.waiting++
	if c.abandoned == cap(c.slots) {
		return stuckQueueWait, true
	}
	return c.Timeout, true
}

func (c *candidate) leaveQueue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting--
}

func (c *candidate) release() { <-c.slots }

// abandon counts a call that keeps running after its caller has left.
func (c *candidate) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.abandoned++; c.abandoned == 1 {
		c.idle = make(chan struct{})
	}
}

func (c *candidate) returned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.abandoned--; c.abandoned == 0 {
		close(c.idle)
		c.idle = nil
	}
}

func (c *candidate) wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		idle := c.idle
		c.mu.Unlock()
		if idle == nil {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *candidate) addUsage(u Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.usage = c.usage.Add(u)
}

func (c *candidate) reject() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rejected++
}

func (c *candidate) stats(now time.Time) CandidateStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CandidateStats{
		Name: c.Name, State: c.breaker.State(now), Usage: c.usage, Rejected: c.rejected,
		Running: len(c.slots), Abandoned: c.abandoned, Waiting: c.waiting,
	}
}
