package heartflow

import "maps"

// Stats count what an [Attention] did since it was made, in the form that any metrics library takes. The maps are by
// reason; a caller's or policy's own codes are counted up to 256 different ones, the rest as "other".
type Stats struct {
	Chats   int // known now
	Engaged int // of them Summoned or Active now

	Level Level // of the budget of all chats, at the latest time seen

	Received    uint64          // messages, whatever became of them
	Own         uint64          // of them the bot's own
	Dropped     map[Code]uint64 // of them not perceived: off, stale
	Addressed   uint64          // of them calling
	AddressedBy map[Code]uint64 // by what; one message may call in several ways
	Retracted   uint64          // of them taken back in time

	Judged  uint64          // verdicts
	Asked   map[Code]uint64 // of them Ask or Speak, by the first reason
	Silent  map[Code]uint64 // of them Silent, by the first reason
	Spoken  uint64          // messages permitted
	Refused map[Code]uint64 // messages refused
	Skipped map[Code]uint64 // turns that ended without words
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
	s.Chats, s.Engaged = len(a.chats), len(a.live)
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
