package heartflow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBudget_SlidingWindows(t *testing.T) {
	assert.Equal(t, 12_000_000, newBudget(BudgetOptions{}).TokensLeft(t0))
	b := newBudget(BudgetOptions{HourTokens: 200_000})
	assert.Equal(t, 200_000, b.TokensLeft(t0))
	b.AddTokens(t0, 150_000)
	assert.Equal(t, 50_000, b.TokensLeft(t0))
	b.AddTokens(t0.Add(30*time.Minute), 60_000)
	assert.Zero(t, b.TokensLeft(t0.Add(30*time.Minute)), "an overdrawn budget has none left")
	assert.Zero(t, b.TokensLeft(t0.Add(60*time.Minute)))
	assert.Equal(t, 140_000, b.TokensLeft(t0.Add(61*time.Minute)))
	b.AddTokens(t0, -5)
	assert.Equal(t, 140_000, b.TokensLeft(t0), "an earlier time counts as the latest one")

	day := newBudget(BudgetOptions{HourTokens: -1, DayTokens: 100})
	day.AddTokens(t0, 100)
	assert.Zero(t, day.TokensLeft(t0.Add(24*time.Hour)))
	assert.Equal(t, 100, day.TokensLeft(t0.Add(24*time.Hour+time.Minute)))
	assert.Equal(t, math.MaxInt, newBudget(BudgetOptions{HourTokens: -1, DayTokens: -1}).TokensLeft(t0))
	assert.Equal(t, 200_000, b.TokensLeft(t0.Add(1000*time.Hour)))
	newBudget(BudgetOptions{}).AddTokens(time.Time{}, math.MaxInt)
}

// The sums of a chat and the totals equal those of a plain list, also after restarts.
func TestBudget_MatchesNaiveModel(t *testing.T) {
	type entry struct {
		minute        int64
		chat          string
		calls, tokens int
	}
	o := BudgetOptions{HourTokens: 5000, DayTokens: 40_000, PerChat: Limits{HourTokens: 2000, DayTokens: 9000, HourCalls: 9, DayCalls: 99}}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		b, list, now, levels := newBudget(o), []entry{}, t0, [5]int{}
		for range 2000 {
			now = now.Add(time.Duration(r.IntN(600)) * time.Second)
			if r.IntN(100) == 0 {
				now = now.Add(time.Duration(r.IntN(40)) * time.Hour)
			}
			if r.IntN(20) == 0 {
				s, err := b.Snapshot()
				require.NoError(t, err)
				again := newBudget(o)
				require.NoError(t, again.Restore(s))
				require.NoError(t, again.Restore(s), "a second Restore counts nothing twice")
				b = again
			}
			minute, chat := now.Unix()/60, []string{"", "a", "b"}[r.IntN(3)]
			spentBy := func(chat string) (s Usage) {
				for _, e := range list {
					if chat != "" && e.chat != chat || minute-e.minute > 1440 {
						continue
					}
					s.DayCalls += e.calls
					s.DayTokens += e.tokens
					if minute-e.minute <= 60 {
						s.HourCalls += e.calls
						s.HourTokens += e.tokens
					}
				}
				return s
			}
			all, own := spentBy(""), spentBy(chat)
			require.Equal(t, all, b.Usage(now, ""))
			require.Equal(t, own, b.Usage(now, chat))
			require.Equal(t, max(0, min(5000-all.HourTokens, 40_000-all.DayTokens)), b.TokensLeft(now))
			used := max(float64(all.HourTokens)/5000, float64(all.DayTokens)/40_000)
			if chat != "" {
				used = max(used, float64(own.HourTokens)/2000, float64(own.DayTokens)/9000, float64(own.HourCalls)/9, float64(own.DayCalls)/99)
			}
			want := LevelFull
			for l, from := range map[Level]float64{LevelSaving: .5, LevelNoJudge: .7, LevelMentionsOnly: .9, LevelOff: 1} {
				if used >= from {
					want = max(want, l)
				}
			}
			levels[want]++
			require.Equal(t, want, b.Level(now, chat))
			e := entry{minute: minute, tokens: r.IntN(300)}
			if e.chat = chat; r.IntN(5) == 0 {
				e.chat = ""
				b.AddTokens(now, e.tokens)
			} else {
				e.calls = 1
				b.AddCall(now, chat, e.tokens)
			}
			list = append(list, e)
		}
		for l, n := range levels {
			require.NotZero(t, n, "level %v was never reached", Level(l))
		}
	}
}

// A chat without usage in the last day takes no memory.
func TestBudget_RemovesIdleChats(t *testing.T) {
	b := newBudget(BudgetOptions{HourTokens: -1, DayTokens: -1})
	for i := range 10_000 {
		b.AddCall(t0.Add(time.Duration(i)*time.Minute), fmt.Sprint(i), 1)
	}
	assert.Less(t, len(b.chats), dayMinutes+2*hourMinutes)
	assert.Less(t, len(b.total.minutes), dayMinutes+2)
	b.Level(t0.Add(20_000*time.Minute), "1")
	assert.Empty(t, b.chats)
	s, err := b.Snapshot()
	require.NoError(t, err)
	assert.Less(t, len(s), 100)
}

func TestBudgetOptions_Invalid(t *testing.T) {
	for want, o := range map[string]BudgetOptions{
		"heartflow: BudgetOptions.SavingFrom is -0.1: it must be above 0 and at most 1":            {SavingFrom: -.1},
		"heartflow: BudgetOptions.SavingFrom is NaN: it must be above 0 and at most 1":             {SavingFrom: math.NaN()},
		"heartflow: BudgetOptions.NoJudgeFrom is 0.7: it must not be below SavingFrom, 0.8":        {SavingFrom: .8},
		"heartflow: BudgetOptions.NoJudgeFrom is -0.1: it must be above 0 and at most 1":           {NoJudgeFrom: -.1},
		"heartflow: BudgetOptions.NoJudgeFrom is NaN: it must be above 0 and at most 1":            {NoJudgeFrom: math.NaN()},
		"heartflow: BudgetOptions.MentionsOnlyFrom is 1.5: it must be above 0 and at most 1":       {MentionsOnlyFrom: 1.5},
		"heartflow: BudgetOptions.MentionsOnlyFrom is 0.5: it must not be below NoJudgeFrom, 0.7":  {MentionsOnlyFrom: .5},
		"heartflow: BudgetOptions.MentionsOnlyFrom is 0.9: it must not be below NoJudgeFrom, 0.95": {NoJudgeFrom: .95},
	} {
		assert.EqualError(t, o.Validate(), want)
		_, err := NewBudget(o)
		assert.Error(t, err)
	}
}

func TestBudget_RestoreInvalidChangesNothing(t *testing.T) {
	b := newBudget(BudgetOptions{})
	b.AddCall(t0, "g", 70)
	before := b.Usage(t0, "g")
	for _, bad := range []string{
		"", "{}", `{"Version":2}`, `{"Version":1,"Minute":-1}`, `{"Version":1,"Minute":9000000000000000000}`,
		`{"Version":1,"Minute":9,"All":[[10,1,1]]}`, `{"Version":1,"Minute":9,"All":[[5,1,1],[5,1,1]]}`,
		`{"Version":1,"Minute":9,"All":[[5,1,1]],"Chats":[{"Chat":"g","Spent":[[5,-1,1]]}]}`,
		`{"Version":1,"Minute":9,"All":[[5,1,1099511627777]]}`,
		`{"Version":1,"Minute":9,"Chats":[{"Chat":"g"},{"Chat":"g"}]}`,
	} {
		assert.Error(t, b.Restore([]byte(bad)), bad)
		assert.Equal(t, before, b.Usage(t0, "g"))
	}
	big := newBudget(BudgetOptions{})
	for range 3 {
		big.AddCall(t0, "g", math.MaxInt)
	}
	assert.Equal(t, Usage{3, maxMinuteUsage, 3, maxMinuteUsage}, big.Usage(t0, "g"))
}

// FuzzBudgetRestore restores arbitrary bytes.
func FuzzBudgetRestore(f *testing.F) {
	b := newBudget(BudgetOptions{})
	b.AddCall(t0, "g", 70)
	s, _ := b.Snapshot()
	f.Add(s)
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBudget(BudgetOptions{})
		if b.Restore(data) != nil {
			return
		}
		one, err := b.Snapshot()
		require.NoError(t, err)
		again := newBudget(BudgetOptions{})
		require.NoError(t, again.Restore(one))
		two, err := again.Snapshot()
		require.NoError(t, err)
		require.Equal(t, string(one), string(two))
		b.AddCall(t0, "g", 7)
		require.GreaterOrEqual(t, b.Usage(t0, "g").HourTokens, 7)
	})
}

func TestJudge_SilentWithoutBudget(t *testing.T) {
	a := newAttention[int](Options{Budget: newBudget(BudgetOptions{HourTokens: 10})})
	a.o.Budget.AddTokens(t0, 10)
	a.Observe(t0, 1, Message{AtMe: true})
	v := a.Judge(t0, 1)
	assert.Equal(t, Silent, v.Do)
	assert.Equal(t, []Code{WhyOverBudget}, v.Why)
	a.Observe(t0.Add(2*time.Hour), 1, Message{AtMe: true})
	assert.Equal(t, Ask, a.Judge(t0.Add(2*time.Hour), 1).Do)
}

// Each level passes or silences a verdict by the message and the policy's decision.
func TestJudge_BudgetLevels(t *testing.T) {
	for _, c := range []struct {
		level Level
		m     Message
		do    Decision
		want  Decision
		why   Code
	}{
		{LevelFull, Message{}, Ask, Ask, "own"},
		{LevelSaving, Message{AtMe: true}, Ask, Ask, "own"},
		{LevelSaving, Message{}, Speak, Speak, "own"},
		{LevelSaving, Message{}, Silent, Silent, "own"},
		{LevelNoJudge, Message{AtMe: true}, Ask, Ask, "own"},
		{LevelNoJudge, Message{Text: "猫"}, Ask, Ask, "own"},
		{LevelNoJudge, Message{}, Ask, Silent, WhyNoJudge},
		{LevelNoJudge, Message{}, Speak, Speak, "own"},
		{LevelNoJudge, Message{}, Silent, Silent, "own"},
		{LevelMentionsOnly, Message{AtMe: true}, Ask, Ask, "own"},
		{LevelMentionsOnly, Message{Private: true}, Speak, Speak, "own"},
		{LevelMentionsOnly, Message{Text: "小炉"}, Ask, Ask, "own"},
		{LevelMentionsOnly, Message{Text: "猫"}, Ask, Silent, WhyMentionsOnly},
		{LevelMentionsOnly, Message{}, Ask, Silent, WhyMentionsOnly},
		{LevelMentionsOnly, Message{}, Speak, Silent, WhyMentionsOnly},
		{LevelMentionsOnly, Message{}, Silent, Silent, "own"},
		{LevelOff, Message{AtMe: true}, Ask, Silent, WhyOverBudget},
		{LevelOff, Message{}, Speak, Silent, WhyOverBudget},
	} {
		b := newBudget(BudgetOptions{PerChat: Limits{HourCalls: 10}})
		for range []int{0, 5, 7, 9, 10}[c.level] {
			b.AddCall(t0, "1", 0)
		}
		a := newAttention[int](Options{Names: []string{"小炉"}, Keywords: []string{"猫"}, Budget: b, Policy: prober{func(m *PolicyInput) Verdict {
			assert.Equal(t, c.level, m.Level)
			return Verdict{Do: c.do, Why: []Code{"own"}}
		}}})
		a.Observe(t0, 1, c.m)
		v := a.Judge(t0, 1)
		assert.Equal(t, c.want, v.Do, "%+v", c)
		assert.Equal(t, []Code{c.why}, v.Why, "%+v", c)
		want := Ask
		if c.level == LevelOff {
			want = Silent
		}
		assert.Equal(t, want, a.BeginTurn(t0, 1, "timer").Do)
		assert.Equal(t, LevelFull, a.Stats().Level, "by the totals")
		assert.Equal(t, LevelFull, b.Level(t0, "2"))
	}
	assert.Equal(t, "full saving no_judge mentions_only off Level(9)", fmt.Sprint(LevelFull, LevelSaving, LevelNoJudge, LevelMentionsOnly, LevelOff, Level(9)))
}

func TestTrace_ContainsBudgetLevel(t *testing.T) {
	b := newBudget(BudgetOptions{HourTokens: 1000})
	a := newAttention[string](Options{Budget: b, Policy: eager{}})
	b.AddTokens(t0, 750)
	a.Judge(t0, "g")
	b.AddTokens(t0, 170)
	a.Judge(t0, "g")
	assert.Equal(t, LevelMentionsOnly, a.Stats().Level)
	tr := a.Traces("g")
	assert.Contains(t, tr[0].String(), "judge speak: eager [capped_window 0/6, capped_in_row 0/3, over_budget 250, no_judge 0.75/0.7]")
	assert.Contains(t, tr[1].String(), "judge silent: mentions_only [capped_window 0/6, capped_in_row 0/3, over_budget 80, !mentions_only 0.92/0.9]")
}

// BenchmarkBudget counts a call and reads the level of one chat in a thousand.
func BenchmarkBudget(b *testing.B) {
	budget, names := newBudget(BudgetOptions{}), make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprint("qq:group:", i)
	}
	now, i := t0, 0
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		i = (i + 1) % len(names)
		budget.AddCall(now, names[i], 900)
		budget.Level(now, names[i])
	}
}

// A chat's own limits replace those of the budget.
func TestLevel_ChatLimits(t *testing.T) {
	assert.Equal(t, LevelFull, newAttention[string](Options{}).Level(t0, "a"), "without a budget")

	b := newBudget(BudgetOptions{PerChat: Limits{HourCalls: 10}})
	a := newAttention[string](Options{Budget: b})
	require.NoError(t, a.Configure("a", Settings{Limits: &Limits{HourCalls: 1}}))
	require.NoError(t, a.Configure("b", Settings{Limits: &Limits{}}))
	for _, chat := range []string{"a", "b", "c"} {
		for range 8 {
			b.AddCall(t0, chat, 1)
		}
	}
	for chat, want := range map[string]Level{"a": LevelOff, "b": LevelFull, "c": LevelNoJudge, "d": LevelFull} {
		assert.Equal(t, want, a.Level(t0, chat), chat)
	}
}
