package heartflow

// Stats count what an [Attention] did since it was made, in the form that any metrics library takes. The maps are by
// reason; a caller's or policy's own codes are counted up to 256 different ones, the rest as "other".
type Stats struct {
	Chats int // known now
	Live  int // of them Summoned or Active now

	Level Level // of the budget of all chats, at the latest time seen

	Received uint64          // messages, whatever became of them
	Own      uint64          // of them the bot's own
	Dropped  map[Code]uint64 // of them not perceived: off, stale
	Called   uint64          // of them calling
	Calls    map[Code]uint64 // by what; one message may call in several ways
	Recalled uint64          // of them taken back in time

	Judged  uint64          // verdicts
	Asked   map[Code]uint64 // of them Ask or Speak, by the first reason
	Silent  map[Code]uint64 // of them Silent, by the first reason
	Spoken  uint64          // messages permitted
	Refused map[Code]uint64 // messages refused
	Skipped map[Code]uint64 // turns that ended without words
}

// A counted is Stats as they are kept: the maps point, so that counting looks up once.
type counted struct {
	Stats
	dropped, calls, asked, silent, refused, skipped tally
}

type tally map[Code]*uint64

func newCounted() counted {
	return counted{dropped: tally{}, calls: tally{}, asked: tally{}, silent: tally{}, refused: tally{}, skipped: tally{}}
}

// Stats returns a copy of the counters.
func (a *Attention[K]) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.stats.Stats
	s.Chats, s.Live = len(a.chats), len(a.live)
	if a.o.Budget != nil {
		s.Level = a.o.Budget.Level(a.now.Time(a.account.loc), "")
	}
	s.Dropped, s.Calls, s.Asked = a.stats.dropped.all(), a.stats.calls.all(), a.stats.asked.all()
	s.Silent, s.Refused, s.Skipped = a.stats.silent.all(), a.stats.refused.all(), a.stats.skipped.all()
	return s
}

func (s *counted) judged(v Verdict) {
	s.Judged++
	why := Code("other")
	if len(v.Why) > 0 {
		why = v.Why[0]
	}
	if v.Do == Silent {
		s.silent.add(why)
	} else {
		s.asked.add(why)
	}
}

func (m tally) add(why Code) {
	if n := m[why]; n != nil {
		*n++
		return
	}
	if len(m) >= 256 && why != "other" {
		m.add("other")
		return
	}
	n := uint64(1)
	m[why] = &n
}

func (m tally) all() map[Code]uint64 {
	all := make(map[Code]uint64, len(m))
	for why, n := range m {
		all[why] = *n
	}
	return all
}
