package heartflow

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Until is the first minute in which the level is lower, by trying all minutes.
func TestBudgetState_Until(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		o := BudgetOptions{HourTokens: 1000, DayTokens: 6000, HourCalls: 30, DayCalls: 200}
		b, now := newBudget(o), t0.Add(time.Duration(r.IntN(60))*time.Second)
		for range 80 {
			now = now.Add(time.Duration(r.IntN(20)) * time.Minute)
			b.AddCall(now, "g", r.IntN(200))
			s := b.State(now)
			require.Equal(t, b.Level(now, ""), s.Level)
			if s.Level == LevelFull {
				require.Zero(t, s.Until)
				require.False(t, s.Daily)
				continue
			}
			seen[fmt.Sprint(s.Level, s.Daily)] = true
			saved, err := b.Snapshot()
			require.NoError(t, err)
			copied := func() *Budget {
				c := newBudget(o)
				require.NoError(t, c.Restore(saved))
				return c
			}
			require.True(t, s.Until.After(now))
			require.Less(t, copied().Level(s.Until, ""), s.Level)
			require.GreaterOrEqual(t, copied().Level(s.Until.Add(-time.Second), ""), s.Level)
			hour := newBudget(BudgetOptions{HourTokens: o.HourTokens, HourCalls: o.HourCalls, DayTokens: -1})
			require.NoError(t, hour.Restore(saved))
			if !s.Daily {
				require.Equal(t, s.Level, hour.Level(now, ""), "the hour alone causes it")
			}
		}
	}
	for _, l := range []Level{LevelSaving, LevelNoJudge, LevelMentionsOnly, LevelOff} {
		assert.True(t, seen[fmt.Sprint(l, false)] && seen[fmt.Sprint(l, true)], "%v: %v", l, seen)
	}
}

// More usage never lowers the level and never lets pass what less usage silenced. Who addresses the bot is answered
// until LevelOff.
func TestLevel_Monotone(t *testing.T) {
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 5))
		o := BudgetOptions{HourCalls: 1 + r.IntN(60)}
		o.NoJudgeFrom = .1 + .8*r.Float64()
		o.SavingFrom, o.MentionsOnlyFrom = o.NoJudgeFrom*(.1+.9*r.Float64()), o.NoJudgeFrom+(1-o.NoJudgeFrom)*r.Float64()
		score := []float64{0, r.Float64(), 1, 7}[r.IntN(4)]
		m := []Message{{}, {Text: "猫"}, {AtMe: true}, {Private: true}, {Text: "小炉"}}[r.IntN(5)]
		do := []Decision{Silent, Ask, Speak}[r.IntN(3)]
		before, silenced, b := LevelFull, false, newBudget(o)
		for range o.HourCalls + 2 {
			a := newAttention[int](Options{Seed: seed + 1, Names: []string{"小炉"}, Keywords: []string{"猫"}, Budget: b, Policy: prober{func(*PolicyInput) Verdict {
				return Verdict{Do: do, Score: score, Why: []Code{"own"}}
			}}})
			a.Observe(t0, 1, m)
			v, level := a.Judge(t0, 1), a.Level(t0, 1)
			require.GreaterOrEqual(t, level, before)
			if silenced {
				require.Equal(t, Silent, v.Do, "seed %d: %v lets pass what %v silenced", seed, level, before)
			}
			silenced = silenced || do != Silent && v.Do == Silent
			if m.AtMe || m.Private || m.Text == "小炉" {
				require.Equal(t, level == LevelOff && do != Silent, silenced, "seed %d at %v", seed, level)
			}
			before = level
			b.AddCall(t0, "", 0)
		}
		require.Equal(t, LevelOff, before)
	}
}

// At LevelSaving an interjection passes a second draw with its score as the chance.
func TestJudge_SavingDropsWeakInterjections(t *testing.T) {
	for _, c := range []struct{ score, want float64 }{{.2, .2}, {.8, .8}, {1, 1}, {0, .5}, {3, .5}} {
		passed, runs := 0, 2000
		b := newBudget(BudgetOptions{HourCalls: 10})
		for range 5 {
			b.AddCall(t0, "", 0)
		}
		a := newAttention[int](Options{Seed: 1, Budget: b, KeepTraces: 1, Policy: prober{func(*PolicyInput) Verdict {
			return Verdict{Do: Ask, Score: c.score, Why: []Code{"own"}}
		}}})
		for range runs {
			a.Observe(t0, 1, Message{Text: "今天吃什么"})
			v := a.Judge(t0, 1)
			if v.Do == Ask {
				passed++
			} else {
				require.Equal(t, []Code{WhySaving}, v.Why)
				require.Contains(t, a.Traces(1)[0].String(), "judge silent: saving [capped_window 0/6, capped_in_row 0/3, over_budget")
				require.Contains(t, a.Traces(1)[0].String(), "saving 0.5/0.5, !saving ")
			}
			a.SkipTurn(t0, 1, WhyModelSilent)
		}
		assert.InDelta(t, c.want, float64(passed)/float64(runs), .04, "score %v", c.score)
	}
}

// The state of a chat has its own usage and limits. Its level ends when those of the totals and of the chat have.
func TestAttention_BudgetState(t *testing.T) {
	assert.Zero(t, newAttention[string](Options{}).BudgetState(t0, "a"), "without a budget")

	b := newBudget(BudgetOptions{HourTokens: 1000, DayTokens: -1, PerChat: Limits{DayCalls: 10}})
	a := newAttention[string](Options{Budget: b})
	require.NoError(t, a.Configure("b", Settings{Limits: &Limits{HourTokens: 200}}))
	for range 6 {
		b.AddCall(t0, "a", 10)
	}
	b.AddCall(t0, "b", 190)
	all := b.State(t0)
	assert.Equal(t, BudgetState{Share: .25, Usage: Usage{7, 250, 7, 250}, Limits: Limits{HourTokens: 1000, DayTokens: -1}}, all)
	one := a.BudgetState(t0, "a")
	assert.Equal(t, BudgetState{Level: LevelSaving, Share: .6, Usage: Usage{6, 60, 6, 60}, Limits: Limits{DayCalls: 10}, Daily: true, Until: one.Until}, one)
	assert.Equal(t, t0.Add(24*time.Hour+time.Minute).Truncate(time.Minute), one.Until)
	other := a.BudgetState(t0, "b")
	assert.Equal(t, LevelMentionsOnly, other.Level)
	assert.Equal(t, t0.Add(61*time.Minute).Truncate(time.Minute), other.Until)
	assert.Equal(t, Limits{HourTokens: 200}, other.Limits)
	assert.Equal(t, BudgetState{Share: .25, Limits: Limits{DayCalls: 10}}, a.BudgetState(t0, "c"), "no usage of its own")

	b.AddTokens(t0.Add(30*time.Minute), 700)
	other = a.BudgetState(t0.Add(30*time.Minute), "b")
	assert.Equal(t, LevelMentionsOnly, other.Level)
	assert.Equal(t, t0.Add(61*time.Minute).Truncate(time.Minute), other.Until, "without the usage of that minute both shares are less")
	for _, chat := range []string{"a", "b", "c"} {
		assert.Equal(t, a.Level(t0.Add(30*time.Minute), chat), a.BudgetState(t0.Add(30*time.Minute), chat).Level)
	}
}
