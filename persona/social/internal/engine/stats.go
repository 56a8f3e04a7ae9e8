package engine

import (
	"sync/atomic"
)

// Counters count what the engine did since its start.
type Counters struct {
	received, own, seen, off, old, banned, failed, lost, recalled  atomic.Int64
	silent, Asked, ModelFailed, refused, spoken, sendFailed, calls atomic.Int64
	forgot, asides, asideTokens                                    atomic.Int64
	Reporting                                                      atomic.Int64
	tokens, ownerLines                                             atomic.Int64
}

// Stats are documented in package social, which adds the counters of the parts.
type Stats struct {
	Received int64 // messages that the link brought
	Own      int64 // of them, the being's own, said elsewhere or echoed
	Seen     int64 // dropped: known already
	Off      int64 // dropped: the chat is off
	Old      int64 // kept as context only: too old when first seen
	Forgot   int64 // dropped: said before its author, or its chat, was forgotten
	Banned   int64 // journaled and not heard, for what they say
	Failed   int64 // dropped: could not be journaled
	Lost     int64 // the link could not queue them
	Recalled int64 // taken back

	Silent      int64 // batches that were judged silent, without a model
	Asked       int64 // turns of a model
	Reporting   int64 // turns that could only report to the owner
	ModelFailed int64 // turns that ended in an error
	Refused     int64 // messages that came too late or over a cap
	Spoken      int64 // messages sent
	SendFailed  int64 // messages whose send failed or is unclear
	Cut         int64 // replies whose rest was not said
	Requests    int64 // friend requests, group invites and requests to join that were taken up
	Approved    int64 // of them, by the being
	Rejected    int64
	Held        int64 // left to the owner
	Pictures    int64 // pictures that turns were shown, or were told of
	Unseen      int64 // pictures that could not be
	Calls       int64 // model calls
	Tokens      int64 // tokens of them, estimated where the provider tells none
	Wakes       int64 // what it did by itself: timers, tasks, talks of the background, reflections
	Asides      int64 // of the calls, those of Options.Layers and of what Options.Days never says
	AsideTokens int64 // tokens of them
}

// Stats gives the counters.
func (b *Engine) Stats() Stats {
	c := &b.Counters
	return Stats{
		Received: c.received.Load(), Own: c.own.Load(), Seen: c.seen.Load(), Off: c.off.Load(), Old: c.old.Load(), Forgot: c.forgot.Load(), Banned: c.banned.Load(),
		Failed: c.failed.Load(), Lost: c.lost.Load(), Recalled: c.recalled.Load(), Silent: c.silent.Load(),
		Asked: c.Asked.Load(), Reporting: c.Reporting.Load(), ModelFailed: c.ModelFailed.Load(), Refused: c.refused.Load(), Spoken: c.spoken.Load(),
		SendFailed: c.sendFailed.Load(), Calls: c.calls.Load(), Tokens: c.tokens.Load(),
		Asides: c.asides.Load(), AsideTokens: c.asideTokens.Load(),
	}
}
