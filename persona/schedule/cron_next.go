package schedule

import "time"

// next gives the first time after t that the line fires in loc. Times of day are those of the wall clock there, so a
// change of the clock needs a rule, which is Vixie cron's:
//
//   - a time that is skipped fires when the skip is over, all that were skipped together once;
//   - a time that comes twice fires the first time;
//   - a line for every hour means the hours as they pass, not a time of day: it fires in both passes of an hour that
//     comes twice, and not at all for one that is skipped.
func (s *cronSpec) next(t time.Time, loc *time.Location) (time.Time, bool) {
	hourly := s.hour == allHours
	z := zoneAt(t.Unix(), loc)
	civil := ceilMinute(t.Unix() + z.offset + 1)
	if before, ok := z.before(loc); ok && !hourly {
		civil = max(civil, ceilMinute(z.start+before)) // what the clock showed before it went back has had its turn
	}
	m, ok := s.match(civil)
	for ok && z.ends && m-z.offset >= z.end { // the zone changes first
		z = zoneAt(z.end, loc)
		switch skipped := m < z.start+z.offset; {
		case hourly: // the clock may show what it has shown before
			m, ok = s.match(ceilMinute(z.start + z.offset))
		case skipped:
			return time.Unix(z.start, 0).In(loc), true
		}
	}
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(m-z.offset, 0).In(loc), true
}

// A span is a stretch of time in which a zone's offset stays the same: [start, end), in Unix seconds.
type span struct {
	start, end   int64
	starts, ends bool // it has a start, an end
	offset       int64
}

func zoneAt(unix int64, loc *time.Location) span {
	t := time.Unix(unix, 0).In(loc)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	z := span{start.Unix(), end.Unix(), !start.IsZero(), !end.IsZero(), int64(offset)}
	if z.ends && z.end <= unix { // by a rule for all years, the last day of a leap year lies outside of its own bounds
		z.end = unix + 24*60*60
	}
	return z
}

// before gives the offset before the span began.
func (z *span) before(loc *time.Location) (int64, bool) {
	if !z.starts {
		return 0, false
	}
	_, offset := time.Unix(z.start-1, 0).In(loc).Zone()
	return int64(offset), true
}

// firstAfter gives the first time after t at which the clock in loc shows civil (in seconds as if it were UTC's), or,
// where it skips civil, the end of the skip.
func firstAfter(t time.Time, civil int64, loc *time.Location) (time.Time, bool) {
	const widest = 26 * 60 * 60 // no offset is larger
	z := zoneAt(civil-widest, loc)
	shown := false // the clock has come to civil, or beyond
	for {
		at := civil - z.offset
		if z.starts && at < z.start {
			at = z.start
		}
		if (!shown || at+z.offset == civil) && (!z.ends || at < z.end) {
			if at > t.Unix() {
				return time.Unix(at, 0).In(loc), true
			}
			shown = true
		}
		if !z.ends || z.end > civil+widest {
			return time.Time{}, false
		}
		z = zoneAt(z.end, loc)
	}
}

// ceilMinute gives the first whole minute at or after civil.
func ceilMinute(civil int64) int64 { return civil + (60-civil%60)%60 }
