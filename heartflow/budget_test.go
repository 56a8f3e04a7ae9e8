package heartflow

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBudget(t *testing.T) {
	b := NewBudget(BudgetOptions{})
	assert.Equal(t, 200_000, b.Left(t0))
	b.Spend(t0, 150_000)
	assert.Equal(t, 50_000, b.Left(t0))
	b.Spend(t0.Add(30*time.Minute), 60_000)
	assert.Zero(t, b.Left(t0.Add(30*time.Minute)), "overdrawn is none")
	assert.Zero(t, b.Left(t0.Add(60*time.Minute)))
	assert.Equal(t, 140_000, b.Left(t0.Add(61*time.Minute)))
	b.Spend(t0, -5)
	assert.Equal(t, 140_000, b.Left(t0), "a step back is the latest time seen")

	day := NewBudget(BudgetOptions{HourTokens: -1, DayTokens: 100})
	day.Spend(t0, 100)
	assert.Zero(t, day.Left(t0.Add(24*time.Hour)))
	assert.Equal(t, 100, day.Left(t0.Add(24*time.Hour+time.Minute)))
	assert.Equal(t, math.MaxInt, NewBudget(BudgetOptions{HourTokens: -1, DayTokens: -1}).Left(t0))
	assert.Equal(t, 200_000, b.Left(t0.Add(1000*time.Hour)))
	NewBudget(BudgetOptions{}).Spend(time.Time{}, math.MaxInt)
}

func TestBudgetAgainstAList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	type spent struct {
		minute int64
		n      int
	}
	b, list, now := NewBudget(BudgetOptions{HourTokens: 5000, DayTokens: 40_000}), []spent{}, t0
	for range 3000 {
		now = now.Add(time.Duration(r.IntN(600)) * time.Second)
		if r.IntN(100) == 0 {
			now = now.Add(time.Duration(r.IntN(40)) * time.Hour)
		}
		minute := now.Unix() / 60
		hour, day := 0, 0
		for _, s := range list {
			if minute-s.minute <= 60 {
				hour += s.n
			}
			if minute-s.minute <= 1440 {
				day += s.n
			}
		}
		require.Equal(t, max(0, min(5000-hour, 40_000-day)), b.Left(now))
		n := r.IntN(300)
		b.Spend(now, n)
		list = append(list, spent{minute, n})
	}
}

func TestJudgeAsksTheBudget(t *testing.T) {
	a := New[int](Options{Budget: NewBudget(BudgetOptions{HourTokens: 10})})
	a.o.Budget.Spend(t0, 10)
	a.Observe(t0, 1, Message{AtMe: true})
	v := a.Judge(t0, 1)
	assert.Equal(t, Silent, v.Do)
	assert.Equal(t, []Code{WhyOverBudget}, v.Why)
	a.Observe(t0.Add(2*time.Hour), 1, Message{AtMe: true})
	assert.Equal(t, Ask, a.Judge(t0.Add(2*time.Hour), 1).Do)
}
