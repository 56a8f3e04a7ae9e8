package qqbot

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A route is a group of calls that share one of the platform's rate limits.
type route int

const (
	otherRoute route = iota
	sendRoute
	uploadRoute
	recallRoute
	stateRoute
	memberRoute
	gatewayRoute
	routes // their number
)

// rates are the documented limits; those of otherRoute and gatewayRoute are guesses.
var rates = [routes]struct {
	every time.Duration
	burst int
}{
	otherRoute:   {20 * time.Millisecond, 20},
	sendRoute:    {10 * time.Millisecond, 50},
	uploadRoute:  {20 * time.Millisecond, 20},
	recallRoute:  {100 * time.Millisecond, 5},
	stateRoute:   {2 * time.Second, 10},
	memberRoute:  {time.Second, 10},
	gatewayRoute: {2 * time.Second, 5},
}

const (
	firstPause = time.Second // after an answer "rate limited" that names no time
	mostPause  = time.Minute
)

// limiter spaces calls out, and makes those of a route wait after the platform has refused one as too fast.
type limiter struct {
	mu    sync.Mutex
	paces [routes]pace
}

type pace struct {
	next  time.Time     // when all calls so far are paid for
	until time.Time     // pause after a refusal
	pause time.Duration // length of the last pause; 0 after a success
}

// take reserves the next call of a route and returns how long it must wait.
func (l *limiter) take(now time.Time, r route) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, rate := &l.paces[r], rates[r]
	if p.next.Before(now) {
		p.next = now
	}
	wait := p.next.Add(-time.Duration(rate.burst-1) * rate.every).Sub(now)
	p.next = p.next.Add(rate.every)
	return max(wait, p.until.Sub(now), 0)
}

// refused records that the platform refused a call as too fast. retry is the wait that it asked for; 0 means none. The
// result is the wait before the next call.
func (l *limiter) refused(now time.Time, r route, retry time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.paces[r]
	if wait := p.until.Sub(now); wait > 0 && retry == 0 {
		return wait // a call from before the pause
	}
	p.pause = min(max(2*p.pause, firstPause), mostPause)
	if retry > 0 {
		p.pause = min(retry, 10*mostPause)
	}
	p.until = now.Add(p.pause)
	return p.pause
}

func (l *limiter) accepted(r route) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paces[r].pause = 0
}

// wait waits for the permission to call. It fails at once if ctx ends before that.
func (l *limiter) wait(ctx context.Context, r route) error {
	now := time.Now()
	wait := l.take(now, r)
	if end, ok := ctx.Deadline(); ok && end.Before(now.Add(wait)) {
		return fmt.Errorf("rate limit: next call in %v: %w", wait, context.DeadlineExceeded)
	}
	return sleep(ctx, wait)
}

// sleep returns early with an error if ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
