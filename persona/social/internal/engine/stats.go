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
	Received     int64 // messages that the link brought
	OwnMessages  int64 // of them, the being's own, said elsewhere or echoed
	Duplicates   int64 // dropped: known already
	ChatOff      int64 // dropped: the chat is off
	TooOld       int64 // kept as context only: too old when first seen
	Erased       int64 // dropped: said before its author, or its chat, was forgotten
	Banned       int64 // journaled and not heard, for what they say
	Failed       int64 // dropped: could not be journaled
	LinkOverflow int64 // the link could not queue them
	Retracted    int64 // taken back

	SilentBatches     int64 // batches that were judged silent, without a model
	Turns             int64 // turns of a model
	ReportTurns       int64 // turns that could only report to the owner
	ModelFailed       int64 // turns that ended in an error
	ReplyRejected     int64 // messages that came too late or over a cap
	Sent              int64 // messages sent
	SendFailed        int64 // messages whose send failed or is unclear
	Truncated         int64 // replies whose rest was not said
	Requests          int64 // friend requests, group invites and requests to join that were taken up
	RequestsApproved  int64 // of them, by the being
	RequestsRejected  int64
	RequestsEscalated int64 // left to the owner
	Pictures          int64 // pictures that turns were shown, or were told of
	PicturesFailed    int64 // pictures that could not be
	ModelCalls        int64 // model calls
	Tokens            int64 // tokens of them, estimated where the provider tells none
	AutonomousRuns    int64 // what it did by itself: timers, tasks, talks of the background, reflections
	BackgroundCalls   int64 // of the calls, those of Options.Background.Digest and of what Options.Background.Autonomy never says
	BackgroundTokens  int64 // tokens of them
}

// Stats gives the counters.
func (b *Engine) Stats() Stats {
	c := &b.Counters
	return Stats{
		Received: c.received.Load(), OwnMessages: c.own.Load(), Duplicates: c.seen.Load(), ChatOff: c.off.Load(), TooOld: c.old.Load(), Erased: c.forgot.Load(), Banned: c.banned.Load(),
		Failed: c.failed.Load(), LinkOverflow: c.lost.Load(), Retracted: c.recalled.Load(), SilentBatches: c.silent.Load(),
		Turns: c.Asked.Load(), ReportTurns: c.Reporting.Load(), ModelFailed: c.ModelFailed.Load(), ReplyRejected: c.refused.Load(), Sent: c.spoken.Load(),
		SendFailed: c.sendFailed.Load(), ModelCalls: c.calls.Load(), Tokens: c.tokens.Load(),
		BackgroundCalls: c.asides.Load(), BackgroundTokens: c.asideTokens.Load(),
	}
}
