package models

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// A Breaker is a circuit breaker. It stops calls to a service that fails, and tries the service again later.
//
// A closed breaker permits all calls. Consecutive failures open it. An open breaker permits none. After about five seconds it
// is half open and permits a single call, the probe. If the probe succeeds, the breaker closes; if it fails, the breaker opens
// again. The breaker makes no call itself. It stays open longer after a Retry-After, and for a minute after a failure that
// somebody has to repair, such as a wrong key.
//
// Call Done once for every call that Allow permitted, with the same ticket. Done ignores tickets from before the last change
// of state, because a call from before the breaker opened says nothing about the probe.
//
// The zero Breaker is ready. It takes the time as an argument, and it is not safe for concurrent use.
type Breaker struct {
	Failures     int           // consecutive failures that open it; 0 means 5
	MinOpen      time.Duration // time that it stays open at first; Seed adds up to a fifth; 0 means 5 s
	MaxOpen      time.Duration // limit of that time, which doubles after each failed probe; 0 means MinOpen: it does not grow
	FatalOpen    time.Duration // time that it stays open after Fatal without a Retry-After; Seed adds up to a fifth; 0 means 1 min
	ProbeTimeout time.Duration // a probe without Done has failed after this time; 0 means 2 min
	Seed         uint64

	state      BreakerState
	generation uint64 // counts the changes of state; a ticket is this plus 1
	failed     int    // consecutive failures while closed
	openings   int    // times opened since the last success
	until      time.Time
	probing    bool // half open: the probe is running
	latest     time.Time
	rng        *rand.PCG
}

// A BreakerState is the state of a [Breaker].
type BreakerState uint8

// States of a [Breaker].
const (
	Closed   BreakerState = iota // permits all calls
	Open                         // permits no calls
	HalfOpen                     // permits one call
)

// String returns "closed", "open" or "half open".
func (s BreakerState) String() string { return [...]string{"closed", "open", "half open"}[s%3] }

// BreakerOutcome is the result of a call that [Breaker.Allow] permitted.
type BreakerOutcome uint8

// Outcomes of calls.
const (
	Ignored BreakerOutcome = iota // the call says nothing about the service, for example because it was canceled or invalid
	Succeeded
	Failed
	Fatal // opens the breaker immediately: the service will not recover by itself, or not before its Retry-After
)

// maxRetryAfter limits the Retry-After of a service.
const maxRetryAfter = time.Hour

// Allow reports whether a call may be made at now, and returns the ticket for Done. A ticket is never 0.
func (b *Breaker) Allow(now time.Time) (ticket uint64, ok bool) {
	now = b.tick(now)
	switch {
	case b.state == Open && !now.Before(b.until):
		b.setState(HalfOpen)
	case b.state == HalfOpen && b.probing && !now.Before(b.until):
		b.open(now, Failed, 0)
		return 0, false
	}
	switch {
	case b.state == Open, b.state == HalfOpen && b.probing:
		return 0, false
	case b.state == HalfOpen:
		b.probing, b.until = true, now.Add(cmp.Or(b.ProbeTimeout, 2*time.Minute))
	}
	return b.generation + 1, true
}

// Done reports the outcome of a call. retryAfter is the Retry-After of the service, 0 if it gave none. If Done opens the
// breaker, the breaker stays open for at least retryAfter, of which at most an hour counts.
func (b *Breaker) Done(now time.Time, ticket uint64, outcome BreakerOutcome, retryAfter time.Duration) {
	now = b.tick(now)
	if ticket != b.generation+1 {
		return
	}
	switch {
	case outcome == Fatal, outcome == Failed && b.state == HalfOpen:
		b.open(now, outcome, retryAfter)
	case outcome == Failed:
		if b.failed++; b.failed >= cmp.Or(b.Failures, 5) {
			b.open(now, outcome, retryAfter)
		}
	case outcome == Succeeded && b.state == Closed:
		b.failed = 0
	case outcome == Succeeded:
		b.openings = 0
		b.setState(Closed)
	case b.state == HalfOpen: // ignored: the next call is the probe
		b.setState(HalfOpen)
	}
}

// State returns the state at now. An open breaker is half open once its time is over.
func (b *Breaker) State(now time.Time) BreakerState {
	if now = b.tick(now); b.state == Open && !now.Before(b.until) {
		return HalfOpen
	}
	return b.state
}

// Ready reports whether [Breaker.Allow] would permit a call at now. It changes nothing.
func (b *Breaker) Ready(now time.Time) bool {
	s := b.State(now)
	return s == Closed || s == HalfOpen && !b.probing
}

// Next returns the time of the next change of state without a call: an open breaker becomes half open, or a probe times
// out. ok is false if there is none.
func (b *Breaker) Next() (at time.Time, ok bool) {
	return b.until, b.state == Open || b.state == HalfOpen && b.probing
}

func (b *Breaker) open(now time.Time, outcome BreakerOutcome, retryAfter time.Duration) {
	d := cmp.Or(b.MinOpen, 5*time.Second)
	longest := max(b.MaxOpen, d)
	for range b.openings {
		if d >= longest/2 {
			d = longest
			break
		}
		d *= 2
	}
	b.openings++
	if outcome == Fatal && retryAfter == 0 {
		d = cmp.Or(b.FatalOpen, time.Minute)
	}
	if b.rng == nil {
		b.rng = rand.NewPCG(b.Seed, 1)
	}
	if fifth := int64(d / 5); fifth > 0 {
		d += time.Duration(rand.New(b.rng).Int64N(fifth + 1))
	}
	b.setState(Open)
	b.until = now.Add(max(d, min(retryAfter, maxRetryAfter)))
}

func (b *Breaker) setState(s BreakerState) {
	b.state, b.failed, b.probing = s, 0, false
	b.generation++
}

// tick removes the monotonic part of now. A time before the latest one counts as the latest.
func (b *Breaker) tick(now time.Time) time.Time {
	if now = now.Round(0); now.After(b.latest) {
		b.latest = now
	}
	return b.latest
}
