package heartflow

import (
	"math"
	"slices"
)

// Limits are what one chat may use of the models. Zero or negative means no limit.
type Limits struct {
	HourTokens int
	DayTokens  int
	HourCalls  int
	DayCalls   int
}

// Usage is what was used within the running hour and the running day.
type Usage struct {
	HourCalls, HourTokens int
	DayCalls, DayTokens   int
}

// A ledger holds what was spent in each minute of the last day, and the sums of the last hour and day. It has an entry
// only for a minute in which something was spent.
type ledger struct {
	minutes []spent // oldest first
	hour    int     // the first of them that is within the hour
	sums    Usage
}

type spent struct {
	minute        int64 // since 1970
	calls, tokens int
}

const (
	hourMinutes = 60 // before the running one
	dayMinutes  = 1440

	maxSpent = 1 << 40 // of a minute: the sums of a day stay far from overflow
)

// advance lets go of what is too old at minute.
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

// add takes what was spent in minute, which is the newest.
func (l *ledger) add(minute int64, calls, tokens int) {
	if n := len(l.minutes); n == 0 || l.minutes[n-1].minute != minute {
		l.minutes = append(l.minutes, spent{minute: minute})
	}
	e := &l.minutes[len(l.minutes)-1]
	calls, tokens = min(calls, maxSpent-e.calls), min(tokens, maxSpent-e.tokens)
	e.calls += calls
	e.tokens += tokens
	l.sums.HourCalls += calls
	l.sums.DayCalls += calls
	l.sums.HourTokens += tokens
	l.sums.DayTokens += tokens
}

func (l *ledger) empty() bool { return len(l.minutes) == 0 }

// share is how much is used of the limit that is the nearest.
func (l *ledger) share(m Limits) float64 {
	return max(
		share(l.sums.HourTokens, m.HourTokens), share(l.sums.DayTokens, m.DayTokens),
		share(l.sums.HourCalls, m.HourCalls), share(l.sums.DayCalls, m.DayCalls),
	)
}

// left is how many tokens are left.
func (l *ledger) left(m Limits) int {
	return min(rest(l.sums.HourTokens, m.HourTokens), rest(l.sums.DayTokens, m.DayTokens))
}

// merge takes in another list of minutes, oldest first: of each minute the larger figures.
func (l *ledger) merge(other []spent) {
	all := slices.Concat(l.minutes, other)
	slices.SortStableFunc(all, func(a, b spent) int { return int(a.minute - b.minute) })
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

// share is how much of a limit is used; 0 where there is no limit.
func share(used, limit int) float64 {
	if limit <= 0 {
		return 0
	}
	return float64(used) / float64(limit)
}

// rest is what is left of a limit.
func rest(used, limit int) int {
	if limit <= 0 {
		return math.MaxInt
	}
	return max(limit-used, 0)
}
