package social

import "sync/atomic"

// Stats counts what a being did since it was made.
type Stats struct {
	Received int64 // messages that the link brought
	Own      int64 // of them, the being's own, said elsewhere or echoed
	Seen     int64 // dropped: known already
	Off      int64 // dropped: the chat is off
	Old      int64 // kept as context only: too old when first seen
	Banned   int64 // journaled and not heard, for what they say
	Failed   int64 // dropped: could not be journaled
	Lost     int64 // the link could not queue them
	Recalled int64 // taken back

	Silent      int64 // batches that were judged silent, without a model
	Asked       int64 // turns of a model
	ModelFailed int64 // turns that ended in an error
	Refused     int64 // messages that came too late or over a cap
	Spoken      int64 // messages sent
	SendFailed  int64 // messages whose send failed or is unclear
	Calls       int64 // model calls
	Tokens      int64 // tokens of them, estimated where the provider tells none
}

type counters struct {
	received, own, seen, off, old, banned, failed, lost, recalled  atomic.Int64
	silent, asked, modelFailed, refused, spoken, sendFailed, calls atomic.Int64
	tokens, ownerLines                                             atomic.Int64
}

// Stats gives the counters, for any metrics library.
func (b *Being) Stats() Stats {
	c := &b.count
	return Stats{
		Received: c.received.Load(), Own: c.own.Load(), Seen: c.seen.Load(), Off: c.off.Load(), Old: c.old.Load(), Banned: c.banned.Load(),
		Failed: c.failed.Load(), Lost: c.lost.Load(), Recalled: c.recalled.Load(), Silent: c.silent.Load(),
		Asked: c.asked.Load(), ModelFailed: c.modelFailed.Load(), Refused: c.refused.Load(), Spoken: c.spoken.Load(),
		SendFailed: c.sendFailed.Load(), Calls: c.calls.Load(), Tokens: c.tokens.Load(),
	}
}
