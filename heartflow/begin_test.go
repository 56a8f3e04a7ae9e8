package heartflow

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cold is an Attention with one group, "g", and the time there.
type cold struct {
	testing.TB
	*Attention[string]
	now time.Time
	n   int
}

// newCold returns a group in which talks, each a burst of messages, began every two hours, day and night. The bot spoke in the
// last one.
func newCold(t testing.TB, o Options) *cold {
	o.Seed = 1
	if o.Begin == nil {
		o.Begin = &Begin{}
	}
	a, err := New[string](o)
	require.NoError(t, err)
	g := &cold{TB: t, Attention: a, now: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	for range 25 {
		g.now = g.now.Add(2 * time.Hour)
		g.talk()
	}
	g.answer("好的")
	return g
}

// talk is a burst of messages.
func (g *cold) talk() {
	for range 40 {
		g.say("u1", false)
		g.now = g.now.Add(2 * time.Second)
	}
}

func (g *cold) say(who string, atMe bool) {
	g.n++
	g.Observe(g.now, "g", Message{ID: fmt.Sprint(g.n), From: who, Text: "hi", AtMe: atMe})
}

// answer lets u1 call the bot, which answers.
func (g *cold) answer(text string) {
	g.say("u1", true)
	require.Equal(g, Ask, g.Judge(g.now, "g").Do)
	require.NoError(g, g.Speak(g.now, "g", text))
}

// wait passes the time in steps as a runner does, and returns when a beginning is reported first, and why.
func (g *cold) wait(d time.Duration) (after time.Duration, why Code) {
	begin := g.now
	for end := g.now.Add(d); ; {
		next, ok := g.Next()
		if !ok || next.After(end) {
			g.now = end
			return 0, ""
		}
		if next.After(g.now) {
			g.now = next
		}
		for _, c := range g.Due(g.now) {
			if c.Begin != "" {
				return g.now.Sub(begin), c.Begin
			}
		}
	}
}

func TestBegin_Cold(t *testing.T) {
	g := newCold(t, Options{})
	after, why := g.wait(24 * time.Hour)
	assert.Equal(t, 2*time.Hour, after.Round(time.Minute), "the usual pause")
	require.Equal(t, WhyCold, why)
	v := g.BeginTurn(g.now, "g", why)
	require.Equal(t, Ask, v.Do)
	assert.Equal(t, []Code{WhyCold}, v.Why)
	traces := g.Traces("g")
	assert.Regexp(t, `g judge ask: cold \[.*cold 12\d/120`, traces[len(traces)-1].String())
	require.NoError(t, g.Speak(g.now, "g", "周末去哪玩"))
	assert.Equal(t, "这里安静得比平时久，起个话头", WhyCold.Text("zh"))
	assert.NotEqual(t, "cold", WhyCold.Text("en"))

	_, why = g.wait(30 * 24 * time.Hour)
	assert.Empty(t, why, "not again before somebody has written")
	g.talk()
	g.answer("对")
	_, why = g.wait(24 * time.Hour)
	assert.Equal(t, WhyCold, why)
}

// The trap: the time since the last message, divided by the mean time between messages, is large shortly after any burst.
func TestBegin_Bursts(t *testing.T) {
	o := Options{Begin: &Begin{Silence: 10 * time.Minute}}
	g := newCold(t, o)
	for range 1000 { // one talk of hours: the mean gap is two seconds
		g.say("u1", false)
		g.now = g.now.Add(2 * time.Second)
	}
	g.answer("嗯")
	after, why := g.wait(24 * time.Hour)
	assert.Equal(t, WhyCold, why)
	assert.Equal(t, 2*time.Hour, after.Round(time.Minute), "thousands of messages do not shorten the usual pause")

	a, err := New[string](o)
	require.NoError(t, err)
	new := &cold{TB: t, Attention: a, now: g.now}
	new.talk()
	new.answer("嗯")
	_, why = new.wait(24 * time.Hour)
	assert.Empty(t, why, "a chat without known pauses has no usual silence")
}

func TestBegin_Unanswered(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		then func(g *cold)
		want Code
	}{
		"a question":     {"要带外套吗？", func(*cold) {}, WhyUnanswered},
		"no question":    {"带上外套吧。", func(*cold) {}, WhyCold},
		"answered":       {"要带外套吗?", func(g *cold) { g.say("u1", false) }, WhyCold},
		"somebody else":  {"要带外套吗?", func(g *cold) { g.say("u2", false) }, WhyUnanswered},
		"the talk moved": {"要带外套吗?", func(g *cold) { g.say("u2", false); g.say("u3", false); g.say("u2", false); g.say("u3", false) }, WhyCold},
	} {
		t.Run(name, func(t *testing.T) {
			g := newCold(t, Options{})
			for range 13 { // most pauses are short
				g.now = g.now.Add(40 * time.Minute)
				g.say("u1", false)
			}
			g.answer(test.text)
			test.then(g)
			after, why := g.wait(24 * time.Hour)
			assert.Equal(t, test.want, why)
			if test.want == WhyUnanswered {
				assert.Equal(t, 40*time.Minute, after.Round(time.Minute))
				require.Equal(t, Ask, g.BeginTurn(g.now, "g", why).Do)
				_, why = g.wait(30 * 24 * time.Hour)
				assert.Empty(t, why, "it asks again once")
			}
		})
	}
}

// Each bound holds, and without it the bot begins.
func TestBegin_Bounds(t *testing.T) {
	budget, err := NewBudget(BudgetOptions{HourTokens: 100})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		o      Options
		before func(g *cold)
	}{
		"off":           {before: func(g *cold) { require.NoError(g, g.Configure("g", Settings{Begin: &Begin{Off: true}})) }},
		"off for all":   {o: Options{Begin: &Begin{Off: true}}},
		"private":       {before: func(g *cold) { *g = *privateChat(g) }},
		"muted":         {before: func(g *cold) { g.Mute(g.now, "g", time.Time{}) }},
		"asleep":        {before: func(g *cold) { g.Sleep(g.now, time.Time{}) }},
		"quiet hours":   {o: Options{QuietHours: QuietHours{Spans: []Span{{0, day}}}}},
		"unwelcome":     {o: Options{Welcome: func(time.Time, string, string) float64 { return -.1 }}},
		"no budget":     {o: Options{Budget: budget}, before: func(g *cold) { g.now = g.now.Add(110 * time.Minute); budget.AddCall(g.now, "g", 60) }},
		"cap":           {o: Options{Caps: Caps{Interjections: 1, Window: 1000 * time.Hour, Consecutive: 9}}, before: func(g *cold) { require.NoError(g, g.Speak(g.now, "g", "到点了", "timer")) }},
		"in a row":      {o: Options{Caps: Caps{Consecutive: 1}}},
		"after restart": {before: func(g *cold) { restart(g) }},
		"silent bot":    {before: func(g *cold) { g.chats["g"].Said.Last = 0 }},
		"long ago":      {before: func(g *cold) { g.now = g.now.Add(80 * time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			free := newCold(t, Options{})
			require.True(t, begins(free), "the control begins")
			g := newCold(t, test.o)
			if test.before != nil {
				test.before(g)
			}
			assert.False(t, begins(g))
		})
	}
}

// Settings may turn it on in one chat, with the times of the Options.
func TestBegin_Settings(t *testing.T) {
	g := newCold(t, Options{Begin: &Begin{Off: true, Silence: 6 * time.Hour}})
	require.NoError(t, g.Configure("g", Settings{Begin: &Begin{}}))
	for range 12 {
		g.now = g.now.Add(2 * time.Hour)
		g.talk()
	}
	g.answer("好")
	after, why := g.wait(24 * time.Hour)
	assert.Equal(t, WhyCold, why)
	assert.Equal(t, 6*time.Hour, after.Round(time.Minute))
	assert.ErrorContains(t, g.Configure("g", Settings{Begin: &Begin{Silence: -1}}), "Begin.Silence")
}

// begins reports whether the bot begins a talk within two days and says something.
func begins(g *cold) bool {
	_, why := g.wait(48 * time.Hour)
	if why == "" || g.BeginTurn(g.now, "g", why).Do == Silent {
		return false
	}
	return g.Speak(g.now, "g", "有人吗") == nil
}

// privateChat returns the talks of newCold in a private chat.
func privateChat(g *cold) *cold {
	a, err := New[string](Options{Seed: 1, Begin: &Begin{}})
	require.NoError(g, err)
	p := &cold{TB: g.TB, Attention: a, now: g.now}
	for range 10 {
		p.now = p.now.Add(2 * time.Hour)
		a.Observe(p.now, "g", Message{From: "u1", Text: "hi", Private: true})
		require.Equal(g, Ask, a.Judge(p.now, "g").Do)
		require.NoError(g, a.Speak(p.now, "g", "在"))
	}
	return p
}

// restart replaces the Attention by a restored one.
func restart(g *cold) {
	b, err := g.SnapshotWithoutMessages()
	require.NoError(g, err)
	a, err := New[string](g.o)
	require.NoError(g, err)
	require.NoError(g, a.Restore(b))
	g.Attention = a
}

// Pauses and the time of the last beginning survive a restart.
func TestBegin_Restart(t *testing.T) {
	g := newCold(t, Options{})
	restart(g)
	g.answer("在")
	require.True(t, begins(g), "the pauses are known")
	restart(g)
	g.answer("在")
	after, why := g.wait(48 * time.Hour)
	assert.Equal(t, WhyCold, why)
	assert.GreaterOrEqual(t, after, 12*time.Hour, "one beginning in twelve hours")

	b, err := g.Snapshot()
	require.NoError(t, err)
	assert.Contains(t, string(b), `"Pauses":[[`)
	assert.Error(t, g.Restore([]byte(`{"Version":1,"Chats":[{"Chat":"g","Rhythm":{"Begun":-1}}]}`)))
}

// Somebody writes between the report and the turn, or between the turn and the message.
func TestBegin_TooLate(t *testing.T) {
	g := newCold(t, Options{})
	_, why := g.wait(24 * time.Hour)
	require.Equal(t, WhyCold, why)
	g.say("u2", false)
	v := g.BeginTurn(g.now, "g", why)
	assert.Equal(t, Silent, v.Do)
	assert.Equal(t, []Code{WhyPassed}, v.Why)

	g = newCold(t, Options{})
	_, why = g.wait(24 * time.Hour)
	require.Equal(t, Ask, g.BeginTurn(g.now, "g", why).Do)
	g.say("u2", false)
	assert.ErrorIs(t, g.Speak(g.now, "g", "有人吗"), ErrStale)

	g = newCold(t, Options{})
	_, why = g.wait(24 * time.Hour)
	require.Equal(t, Ask, g.BeginTurn(g.now, "g", why).Do)
	require.NoError(t, g.Configure("g", Settings{QuietHours: &QuietHours{Spans: []Span{{0, day}}}}))
	assert.ErrorIs(t, g.Speak(g.now, "g", "有人吗"), ErrQuietHours)
}

// At night nobody talks there, so the bot waits for the morning, without quiet hours.
func TestBegin_UsualTimes(t *testing.T) {
	g := newCold(t, Options{})
	for d := range 10 { // talks at 9, 11, 13 and 15 o'clock
		for h := range 4 {
			g.now = time.Date(2026, 3, 3+d, 9+2*h, 0, 0, 0, time.UTC)
			g.talk()
		}
	}
	g.now = time.Date(2026, 3, 13, 15, 0, 0, 0, time.UTC)
	g.answer("好")
	_, why := g.wait(48 * time.Hour)
	require.Equal(t, WhyCold, why)
	assert.GreaterOrEqual(t, g.now.Hour(), 7)
	assert.LessOrEqual(t, g.now.Hour(), 18)
}

// Whatever happens, the bot begins once in a silence, and at most one talk in twelve hours.
func TestBegin_Property(t *testing.T) {
	total := 0
	for seed := range uint64(12) {
		g := newCold(t, Options{})
		r := rand.New(rand.NewPCG(seed, 1))
		var last time.Time // of a beginning
		written := true    // since then
		for range 200 {
			switch r.IntN(6) {
			case 0, 1:
				g.talk()
				written = true
			case 2:
				g.now = g.now.Add(5 * time.Minute)
				g.answer([]string{"好", "要去吗？"}[r.IntN(2)])
				written = true
			case 3:
				restart(g)
			default:
				g.now = g.now.Add(time.Duration(r.IntN(600)) * time.Minute)
				if _, why := g.wait(time.Duration(r.IntN(600)) * time.Minute); why != "" && g.BeginTurn(g.now, "g", why).Do != Silent {
					require.True(t, written, "seed %d", seed)
					require.True(t, last.IsZero() || g.now.Sub(last) >= 12*time.Hour, "seed %d", seed)
					if r.IntN(2) == 0 {
						require.NoError(t, g.Speak(g.now, "g", "有人吗"))
					}
					last, written = g.now, false
					total++
				}
			}
		}
	}
	assert.Greater(t, total, 12, "it does begin talks")
}
