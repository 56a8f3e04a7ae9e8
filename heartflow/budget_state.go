package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A BudgetState says how much of the totals of a [Budget] is used.
type BudgetState struct {
	Level Level
	Share float64 // largest used share of any limit

	// Without further usage, Level ends at Until. It is zero at LevelFull.
	Until time.Time
	// Daily means that a limit of the day has reached Level. Otherwise only a limit of the hour has.
	Daily bool
}

// State returns the state of the totals at now.
func (b *Budget) State(now time.Time) BudgetState {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	s := b.standingOf("", Limits{})
	state := BudgetState{Level: s.level, Share: s.share}
	if s.level == LevelFull {
		return state
	}
	hour := b.total.minutes[b.total.hour:]
	tokens, calls := func(e minuteUsage) int { return e.tokens }, func(e minuteUsage) int { return e.calls }
	until := max(
		fallsBelow(hour, hourMinutes, tokens, s.from, b.o.HourTokens),
		fallsBelow(hour, hourMinutes, calls, s.from, b.o.HourCalls),
	)
	day := max(
		fallsBelow(b.total.minutes, dayMinutes, tokens, s.from, b.o.DayTokens),
		fallsBelow(b.total.minutes, dayMinutes, calls, s.from, b.o.DayCalls),
	)
	state.Daily = day > 0
	state.Until = tick.Tick(max(until, day) * int64(time.Minute)).Time(now.Location())
	return state
}

// fallsBelow returns the minute in which the used share of a limit falls below from, because old usage leaves the
// window of that many minutes. It returns 0 if the share is below from already.
func fallsBelow(list []minuteUsage, window int64, of func(minuteUsage) int, from float64, limit int) int64 {
	used := 0
	for _, e := range list {
		used += of(e)
	}
	at := int64(0)
	for i := 0; i < len(list) && share(used, limit) >= from; i++ {
		used -= of(list[i])
		at = list[i].minute + window + 1
	}
	return at
}
