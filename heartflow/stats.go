package heartflow

import "maps"

// Stats count the actions of an [Attention] since New, for any metrics library. Maps are keyed by reason. A map
// counts up to 256 different reasons, and the rest as "other".
type Stats struct {
	Chats   int // known chats
	Engaged int // of them Addressed or Active

	Level Level // of the totals of the budget, at the latest time seen

	Received    uint64          // all messages
	Own         uint64          // messages by the bot itself
	Dropped     map[Code]uint64 // messages not judged: off, stale
	Addressed   uint64          // messages that address the bot
	AddressedBy map[Code]uint64 // by reason; a message may have several
	Retracted   uint64          // messages retracted before an answer

	Judged  uint64          // verdicts
	Asked   map[Code]uint64 // Ask and Speak verdicts by first reason
	Silent  map[Code]uint64 // Silent verdicts by first reason
	Spoken  uint64          // permitted messages
	Refused map[Code]uint64 // refused messages
	Skipped map[Code]uint64 // turns without a reply
}

func newStats() Stats {
	tally := func() map[Code]uint64 { return map[Code]uint64{} }
	return Stats{Dropped: tally(), AddressedBy: tally(), Asked: tally(), Silent: tally(), Refused: tally(), Skipped: tally()}
}

// Stats returns a copy of the counters.
func (a *Attention[K]) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.stats
	s.Chats, s.Engaged = len(a.chats), len(a.engaged)
	if a.o.Budget != nil {
		s.Level = a.o.Budget.Level(a.now.Time(a.account.loc), "")
	}
	for _, m := range []*map[Code]uint64{&s.Dropped, &s.AddressedBy, &s.Asked, &s.Silent, &s.Refused, &s.Skipped} {
		*m = maps.Clone(*m)
	}
	return s
}

func (s *Stats) judged(v Verdict) {
	s.Judged++
	why := Code("other")
	if len(v.Why) > 0 {
		why = v.Why[0]
	}
	if v.Do == Silent {
		count(s.Silent, why)
	} else {
		count(s.Asked, why)
	}
}

func count(m map[Code]uint64, why Code) {
	if len(m) >= 256 {
		if _, known := m[why]; !known {
			why = "other"
		}
	}
	m[why]++
}
