package schedule

import "time"

// next returns the first time after t at which the line fires in loc. Daylight saving follows the rules of Vixie cron:
//
//   - Skipped times fire together once, at the end of the gap.
//   - A repeated time fires only the first time.
//   - A line for every hour fires in real hours. It fires in both passes of a repeated hour, and never in a skipped one.
func (s *cronSpec) next(t time.Time, loc *time.Location) (time.Time, bool) {
	hourly := s.hour == allHours
	z := zoneAt(t.Unix(), loc)
	civil := ceilMinute(t.Unix() + z.offset + 1)
	if before, ok := z.before(loc); ok && !hourly {
		civil = max(civil, ceilMinute(z.start+before)) // these local times were shown before the clock went back
	}
	m, ok := s.nextMatch(civil)
	for ok && z.ends && m-z.offset >= z.end { // the offset changes before m
		z = zoneAt(z.end, loc)
		switch skipped := m < z.start+z.offset; {
		case hourly: // local times may repeat
			m, ok = s.nextMatch(ceilMinute(z.start + z.offset))
		case skipped:
			return time.Unix(z.start, 0).In(loc), true
		}
	}
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(m-z.offset, 0).In(loc), true
}

// A span is a period with a constant offset of a time zone: [start, end), in Unix seconds.
type span struct {
	start, end   int64
	starts, ends bool // start and end are set
	offset       int64
}

func zoneAt(unix int64, loc *time.Location) span {
	t := time.Unix(unix, 0).In(loc)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	z := span{start.Unix(), end.Unix(), !start.IsZero(), !end.IsZero(), int64(offset)}
	if z.ends && z.end <= unix { // a rule for all years may exclude the last day of a leap year from its own bounds
		z.end = unix + 24*60*60
	}
	return z
}

// before returns the offset before the start of the span.
func (z *span) before(loc *time.Location) (int64, bool) {
	if !z.starts {
		return 0, false
	}
	_, offset := time.Unix(z.start-1, 0).In(loc).Zone()
	return int64(offset), true
}

// firstAfter returns the first time after t at which the local clock in loc shows civil. If the clock skips civil, it
// returns the end of the gap. civil is in seconds, encoded as if it were UTC.
func firstAfter(t time.Time, civil int64, loc *time.Location) (time.Time, bool) {
	const widest = 26 * 60 * 60 // no offset is larger
	z := zoneAt(civil-widest, loc)
	shown := false // the local clock has reached civil
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

// ceilMinute rounds civil up to a whole minute.
func ceilMinute(civil int64) int64 { return civil + (60-civil%60)%60 }
