package heartflow

import (
	"math"
	"math/bits"
	"slices"
)

// Limits bound the model usage of one chat. Zero or negative means no limit.
type Limits struct {
	HourTokens int
	DayTokens  int
	HourCalls  int
	DayCalls   int
}

// Usage is the usage in the current sliding hour and day.
type Usage struct {
	HourCalls, HourTokens int
	DayCalls, DayTokens   int
}

// A ledger holds the usage of each minute of the last day, and the sums of the last hour and day. Minutes without
// usage have no entry.
type ledger struct {
	minutes []minuteUsage // oldest first
	hour    int           // index of the first entry within the hour
	sums    Usage
}

type minuteUsage struct {
	minute        int64 // since 1970
	calls, tokens int
}

const (
	hourMinutes = 60 // before the current one
	dayMinutes  = 1440

	maxMinuteUsage = 1 << min(40, bits.UintSize-12) // per minute, a million on 32 bits, so that the sums of a day do not overflow
)

// advance removes usage that is too old at minute.
func (l *ledger) advance(minute int64) {
	for ; l.hour < len(l.minutes) && minute-l.minutes[l.hour].minute > hourMinutes; l.hour++ {
		e := l.minutes[l.hour]
		l.sums.HourCalls -= e.calls
		l.sums.HourTokens -= e.tokens
	}
	old := 0
	for ; old < l.hour && minute-l.minutes[old].minute > dayMinutes; old++ {
		e := l.minutes[old]
		l.sums.DayCalls -= e.calls
		l.sums.DayTokens -= e.tokens
	}
	if old > 0 {
		l.minutes = slices.Delete(l.minutes, 0, old)
		l.hour -= old
	}
}

// add counts usage in minute, the newest one.
func (l *ledger) add(minute int64, calls, tokens int) {
	if n := len(l.minutes); n == 0 || l.minutes[n-1].minute != minute {
		l.minutes = append(l.minutes, minuteUsage{minute: minute})
	}
	e := &l.minutes[len(l.minutes)-1]
	calls, tokens = min(calls, maxMinuteUsage-e.calls), min(tokens, maxMinuteUsage-e.tokens)
	e.calls += calls
	e.tokens += tokens
	l.sums.HourCalls += calls
	l.sums.DayCalls += calls
	l.sums.HourTokens += tokens
	l.sums.DayTokens += tokens
}

func (l *ledger) empty() bool { return len(l.minutes) == 0 }

// share returns the largest used share of any limit.
func (l *ledger) share(m Limits) float64 {
	return max(
		share(l.sums.HourTokens, m.HourTokens), share(l.sums.DayTokens, m.DayTokens),
		share(l.sums.HourCalls, m.HourCalls), share(l.sums.DayCalls, m.DayCalls),
	)
}

// left returns the remaining tokens.
func (l *ledger) left(m Limits) int {
	return min(remaining(l.sums.HourTokens, m.HourTokens), remaining(l.sums.DayTokens, m.DayTokens))
}

// merge adds another list of minutes, oldest first. For each minute the larger figures win.
func (l *ledger) merge(other []minuteUsage) {
	all := slices.Concat(l.minutes, other)
	slices.SortStableFunc(all, func(a, b minuteUsage) int { return int(a.minute - b.minute) })
	*l = ledger{}
	for _, e := range all {
		if n := len(l.minutes); n > 0 && l.minutes[n-1].minute == e.minute {
			last := &l.minutes[n-1]
			last.calls, last.tokens = max(last.calls, e.calls), max(last.tokens, e.tokens)
			continue
		}
		l.minutes = append(l.minutes, e)
	}
	for _, e := range l.minutes {
		l.sums.HourCalls += e.calls
		l.sums.DayCalls += e.calls
		l.sums.HourTokens += e.tokens
		l.sums.DayTokens += e.tokens
	}
}

// share returns the used share of a limit; 0 without a limit.
func share(used, limit int) float64 {
	if limit <= 0 {
		return 0
	}
	return float64(used) / float64(limit)
}

// remaining returns the rest of a limit; math.MaxInt without a limit.
func remaining(used, limit int) int {
	if limit <= 0 {
		return math.MaxInt
	}
	return max(limit-used, 0)
}
