package heartflow

import (
	"math"
	"sync"
	"time"
)

// BudgetOptions say how many model tokens may be spent. A negative number means no limit.
type BudgetOptions struct {
	HourTokens int // 0 means 200 000
	DayTokens  int // 0 means 2 000 000
}

// A Budget counts model tokens over a sliding hour and a sliding day, both in steps of a whole minute: what was spent
// in a minute leaves an hour (a day) after that minute has ended, so no 60 minutes see more than the limit once
// spending stops at it. It is spent after the fact, by whoever meters the models; what asks it ([Attention.Judge])
// stops asking models while nothing is left. So it may be overdrawn by the calls that were under way.
//
// One Budget may be shared by several Attentions. All methods may be called concurrently. A step back of the clock
// counts as the latest time seen.
type Budget struct {
	hour, day int // limits; negative: none

	mu      sync.Mutex
	minutes [1441]int // spent in each minute, by minute modulo length; the running one and a day before it
	minute  int64     // the running one, since 1970; 0: none yet
	inHour  int
	inDay   int
}

const (
	hourMinutes = 61 // the running one and an hour before it
	dayMinutes  = 1441
)

// NewBudget returns a full budget.
func NewBudget(o BudgetOptions) *Budget {
	return &Budget{hour: or(o.HourTokens, 200_000), day: or(o.DayTokens, 2_000_000)}
}

// Spend counts tokens that were used. Zero or less is no spending.
func (b *Budget) Spend(now time.Time, tokens int) {
	if tokens <= 0 {
		return
	}
	tokens = min(tokens, 1<<40) // sums of a day stay far from overflow
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	b.minutes[b.minute%dayMinutes] += tokens
	b.inHour += tokens
	b.inDay += tokens
}

// Left returns how many tokens are left of the hour or the day, whichever has less; 0 when nothing is, and
// [math.MaxInt] when there is no limit.
func (b *Budget) Left(now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	left := math.MaxInt
	if b.hour >= 0 {
		left = min(left, b.hour-b.inHour)
	}
	if b.day >= 0 {
		left = min(left, b.day-b.inDay)
	}
	return max(left, 0)
}

// advance moves to the minute of now and lets go of what has become too old.
func (b *Budget) advance(now time.Time) {
	to := int64(tickOf(now)) / int64(time.Minute)
	if to-b.minute >= dayMinutes {
		clear(b.minutes[:])
		b.minute, b.inHour, b.inDay = to, 0, 0
		return
	}
	for b.minute < to {
		b.minute++
		if b.minute >= hourMinutes {
			b.inHour -= b.minutes[(b.minute-hourMinutes)%dayMinutes]
		}
		slot := &b.minutes[b.minute%dayMinutes]
		b.inDay -= *slot
		*slot = 0
	}
}
