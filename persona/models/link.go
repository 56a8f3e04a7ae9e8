package models

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A link is a model of a chain with its breaker and its slots.
type link struct {
	Candidate
	slots chan struct{} // holds one token per call that runs; who waits sends, and is served in order

	mu      sync.Mutex
	breaker Breaker
	usage   Usage
	refused int
	waiting int
	stuck   int
	back    chan struct{} // closed when no call is stuck any more; nil while none is
}

// crowded is how long a caller waits for a slot while all of them are held by calls that were let go.
const crowded = time.Second

func newLink(l Candidate) *link {
	return &link{Candidate: l, slots: make(chan struct{}, cmp.Or(l.MaxConcurrent, 8)), breaker: l.Breaker}
}

// ready tells whether the breaker would let a call through at now.
func (l *link) ready(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.breaker.Ready(now)
}

func (l *link) allow(now time.Time) (uint64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.breaker.Allow(now)
}

func (l *link) done(now time.Time, ticket uint64, what BreakerOutcome, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.breaker.Done(now, ticket, what, wait)
}

// enter takes a slot. It waits no longer than a call may take.
func (l *link) enter(ctx context.Context) bool {
	select {
	case l.slots <- struct{}{}:
		return true
	default:
	}
	limit, ok := l.queue()
	if !ok {
		return false
	}
	defer l.unqueue()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	select {
	case l.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *link) queue() (limit time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting >= cmp.Or(l.MaxQueued, 64) {
		return 0, false
	}
	l.waiting++
	if l.stuck == cap(l.slots) {
		return crowded, true
	}
	return l.Timeout, true
}

func (l *link) unqueue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
}

func (l *link) leave() { <-l.slots }

// letGo counts a call that is left running.
func (l *link) letGo() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stuck++; l.stuck == 1 {
		l.back = make(chan struct{})
	}
}

func (l *link) cameBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stuck--; l.stuck == 0 {
		close(l.back)
		l.back = nil
	}
}

func (l *link) wait(ctx context.Context) error {
	for {
		l.mu.Lock()
		back := l.back
		l.mu.Unlock()
		if back == nil {
			return nil
		}
		select {
		case <-back:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *link) count(u Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage = l.usage.Add(u)
}

func (l *link) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused++
}

func (l *link) stats(now time.Time) CandidateStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return CandidateStats{
		Name: l.Name, State: l.breaker.State(now), Usage: l.usage, Rejected: l.refused,
		Running: len(l.slots), Abandoned: l.stuck, Waiting: l.waiting,
	}
}
