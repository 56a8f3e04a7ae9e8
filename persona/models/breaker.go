package models

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// A Breaker decides whether something that fails is asked again: a circuit breaker. It is closed while all is well;
// after Failures failures in a row it is open, and nothing is asked for Base, twice that the next time, up to Max; then
// it is half open, and one probe may ask: if that goes well it closes, if not it opens for longer.
//
// Every permission of Allow is answered once, by Done with the same ticket. Answers of a state that is over are ignored:
// a call that was begun before the breaker opened says nothing about the probe.
//
// The zero Breaker is ready. It reads no clock, and is not safe for concurrent use.
type Breaker struct {
	Failures     int           // in a row that open it; 0 means 5
	MinOpen      time.Duration // open this long at first, and up to a fifth more, by Seed; 0 means 5 s
	MaxOpen      time.Duration // Base doubles up to this; 0 means 5 min
	ProbeTimeout time.Duration // a probe without an answer in this time has failed; 0 means 2 min
	Seed         uint64

	state  BreakerState
	age    uint64 // counts the changes of state: the tickets, less one
	failed int    // in a row, while closed
	opened int    // in a row, without a good probe
	until  time.Time
	probes bool // half open: the probe is under way, until then
	latest time.Time
	dice   *rand.PCG
}

// A BreakerState is that of a [Breaker].
type BreakerState uint8

// The states of a breaker.
const (
	Closed   BreakerState = iota // all may ask
	Open                         // none may ask
	HalfOpen                     // one may ask
)

// String gives "closed", "open" or "half open".
func (s BreakerState) String() string { return [...]string{"closed", "open", "half open"}[s%3] }

// An BreakerOutcome is what came of what [Breaker.Allow] permitted.
type BreakerOutcome uint8

// The outcomes. The zero Outcome says nothing.
const (
	Ignored BreakerOutcome = iota // given up, or refused for what was asked: it says nothing about who was asked
	Succeeded
	Failed
	Fatal // it will not come back by itself soon: opens at once
)

// maxWait bounds how long anybody else may tell a breaker to stay open.
const maxWait = time.Hour

// Allow tells whether one may ask now, and gives the ticket to answer with. A ticket is never 0.
func (b *Breaker) Allow(now time.Time) (ticket uint64, ok bool) {
	now = b.tick(now)
	switch {
	case b.state == Open && !now.Before(b.until):
		b.turn(HalfOpen)
	case b.state == HalfOpen && b.probes && !now.Before(b.until):
		b.open(now, 0)
		return 0, false
	}
	switch {
	case b.state == Open, b.state == HalfOpen && b.probes:
		return 0, false
	case b.state == HalfOpen:
		b.probes, b.until = true, now.Add(cmp.Or(b.ProbeTimeout, 2*time.Minute))
	}
	return b.age + 1, true
}

// Done answers a ticket. wait is how long whoever was asked wants to be left alone, 0 if it did not say: the breaker
// that opens now stays open that long at least, but not for more than an hour because of it.
func (b *Breaker) Done(now time.Time, ticket uint64, what BreakerOutcome, wait time.Duration) {
	now = b.tick(now)
	if ticket != b.age+1 {
		return
	}
	switch {
	case what == Fatal, what == Failed && b.state == HalfOpen:
		b.open(now, wait)
	case what == Failed:
		if b.failed++; b.failed >= cmp.Or(b.Failures, 5) {
			b.open(now, wait)
		}
	case what == Succeeded && b.state == Closed:
		b.failed = 0
	case what == Succeeded:
		b.opened = 0
		b.turn(Closed)
	case b.state == HalfOpen: // Neither: another may probe
		b.turn(HalfOpen)
	}
}

// State gives the state at now. An open breaker whose time is over is half open.
func (b *Breaker) State(now time.Time) BreakerState {
	if now = b.tick(now); b.state == Open && !now.Before(b.until) {
		return HalfOpen
	}
	return b.state
}

// Ready tells whether [Breaker.Allow] would permit now, and changes nothing.
func (b *Breaker) Ready(now time.Time) bool {
	s := b.State(now)
	return s == Closed || s == HalfOpen && !b.probes
}

// Next gives when the breaker's answer changes by itself: when it is half open, or when a probe has taken too long.
func (b *Breaker) Next() (time.Time, bool) {
	return b.until, b.state == Open || b.state == HalfOpen && b.probes
}

func (b *Breaker) open(now time.Time, wait time.Duration) {
	d, most := cmp.Or(b.MinOpen, 5*time.Second), cmp.Or(b.MaxOpen, 5*time.Minute)
	for range b.opened {
		if d >= most/2 {
			d = most
			break
		}
		d *= 2
	}
	b.opened++
	if b.dice == nil {
		b.dice = rand.NewPCG(b.Seed, 1)
	}
	if fifth := int64(d / 5); fifth > 0 {
		d += time.Duration(rand.New(b.dice).Int64N(fifth + 1))
	}
	b.turn(Open)
	b.until = now.Add(max(d, min(wait, maxWait)))
}

func (b *Breaker) turn(s BreakerState) {
	b.state, b.failed, b.probes = s, 0, false
	b.age++
}

// tick drops the monotonic part. A step back counts as the latest time seen.
func (b *Breaker) tick(now time.Time) time.Time {
	if now = now.Round(0); now.After(b.latest) {
		b.latest = now
	}
	return b.latest
}
