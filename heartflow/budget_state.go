package heartflow

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A BudgetState says how much of a [Budget] is used: of its totals, or of these and the limits of one chat.
type BudgetState struct {
	Level Level
	Share float64 // largest used share of any limit

	Usage  Usage  // of all chats together, or of the chat
	Limits Limits // of Usage; a number that is 0 or less means no limit

	// Without further usage, Level ends at Until. It is zero at LevelFull.
	Until time.Time
	// Daily means that a limit of the day has reached Level. Otherwise only a limit of the hour has.
	Daily bool
}

// State returns the state of the totals at now.
func (b *Budget) State(now time.Time) BudgetState {
	return b.state(now, "", Limits{})
}

// BudgetState returns the state of a chat at now, by the totals of the Budget and the chat's own Limits, as Level does. Usage and
// Limits are those of the chat. Without a Budget it returns the zero BudgetState.
func (a *Attention[K]) BudgetState(now time.Time, chat K) BudgetState {
	b := a.o.Budget
	if b == nil {
		return BudgetState{}
	}
	a.mu.Lock()
	limits := a.settingsOf(chat).limitsOf(b)
	a.mu.Unlock()
	return b.state(now, fmt.Sprint(chat), limits)
}

// state returns the state of the totals, or of a chat with its own limits.
func (b *Budget) state(now time.Time, chat string, own Limits) BudgetState {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	s := b.standingOf(chat, own)
	state := BudgetState{Level: s.level, Share: s.share, Usage: b.total.sums, Limits: b.all}
	l := b.chats[chat] // standingOf has advanced it
	if chat != "" {
		state.Usage, state.Limits = Usage{}, own
	}
	if l != nil {
		state.Usage = l.sums
	}
	if s.level == LevelFull {
		return state
	}
	hour, day := b.total.until(s.from, b.all)
	if l != nil {
		chatHour, chatDay := l.until(s.from, own)
		hour, day = max(hour, chatHour), max(day, chatDay)
	}
	state.Daily = day > 0
	state.Until = tick.Tick(max(hour, day) * int64(time.Minute)).Time(now.Location())
	return state
}

// until returns the minutes in which the used shares of all limits of the hour, and of the day, fall below from.
func (l *ledger) until(from float64, m Limits) (hour, day int64) {
	tokens, calls := func(e minuteUsage) int { return e.tokens }, func(e minuteUsage) int { return e.calls }
	recent := l.minutes[l.hour:]
	hour = max(fallsBelow(recent, hourMinutes, tokens, from, m.HourTokens), fallsBelow(recent, hourMinutes, calls, from, m.HourCalls))
	day = max(fallsBelow(l.minutes, dayMinutes, tokens, from, m.DayTokens), fallsBelow(l.minutes, dayMinutes, calls, from, m.DayCalls))
	return hour, day
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
