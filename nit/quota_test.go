package nit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var t0 = time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)

func newQuota(t testing.TB, o nit.QuotaOptions) *nit.Quota {
	t.Helper()
	q, err := nit.NewQuota(o)
	require.NoError(t, err)
	return q
}

func TestNewQuota_RejectsBadOptions(t *testing.T) {
	for _, o := range []nit.QuotaOptions{
		{PerPerson: nit.Rate{Calls: 3}}, {PerSession: nit.Rate{Per: time.Hour}}, {Total: nit.Rate{Calls: -1, Per: time.Hour}}, {MaxKeys: -1},
		{PerTool: nit.Rate{Calls: 2, Per: -time.Hour}}, {ToolRates: map[string]nit.Rate{"dice": {Calls: 1}}}, {Total: nit.Rate{Calls: 2, Per: 1}},
		{Total: nit.Rate{Calls: 1, Per: 100 * 365 * 24 * time.Hour}},
	} {
		_, err := nit.NewQuota(o)
		assert.Error(t, err, "%+v", o)
	}
	for _, q := range []*nit.Quota{nil, newQuota(t, nit.QuotaOptions{})} {
		for range 1000 {
			assert.True(t, q.Allow(t0, persona) && q.AllowTool(t0, "dice"))
		}
	}
}

func TestQuota_Counts(t *testing.T) {
	rate := nit.Rate{Calls: 3, Per: time.Minute}
	who := func(person, session string) nit.Principal {
		return nit.Principal{Platform: "qq", Person: person, Session: session}
	}
	type step struct {
		at   time.Duration
		who  nit.Principal
		want bool
	}
	a, b := who("1", "group_1"), who("2", "group_1")
	for name, tt := range map[string]struct {
		o     nit.QuotaOptions
		steps []step
	}{
		"a person": {nit.QuotaOptions{PerPerson: rate}, []step{
			{0, a, true}, {0, who("1", "group_2"), true}, {0, a, true}, {0, a, false}, {0, b, true},
			{19 * time.Second, a, false}, {20 * time.Second, a, true}, {20 * time.Second, a, false},
			{10 * time.Second, a, false}, // the clock stepped back
			{10 * time.Minute, a, true}, {10 * time.Minute, a, true}, {10 * time.Minute, a, true}, {10 * time.Minute, a, false},
		}},
		"the clock goes back": {nit.QuotaOptions{PerPerson: rate}, []step{
			{time.Hour, a, true}, {0, a, true}, {time.Minute, a, true}, {0, a, false}, {time.Hour + 20*time.Second, a, true},
		}},
		"a session": {nit.QuotaOptions{PerSession: rate}, []step{
			{0, a, true}, {0, b, true}, {0, a, true}, {0, b, false}, {0, who("1", "group_2"), true},
		}},
		"the same id on two platforms": {nit.QuotaOptions{PerPerson: nit.Rate{Calls: 1, Per: time.Minute}}, []step{
			{0, a, true}, {0, nit.Principal{Platform: "tg", Person: "1"}, true}, {0, nit.Principal{Platform: "tg", Person: "1"}, false},
		}},
		"nobody is somebody": {nit.QuotaOptions{PerPerson: nit.Rate{Calls: 1, Per: time.Minute}}, []step{
			{0, nit.Principal{}, true}, {0, nit.Principal{}, false},
		}},
		"all": {nit.QuotaOptions{Total: nit.Rate{Calls: 2, Per: time.Minute}}, []step{
			{0, a, true}, {0, b, true}, {0, who("3", ""), false},
		}},
		"one that is refused is counted nowhere": {nit.QuotaOptions{PerPerson: nit.Rate{Calls: 1, Per: time.Hour}, PerSession: nit.Rate{Calls: 2, Per: time.Hour}}, []step{
			{0, a, true}, {0, a, false}, {0, a, false}, {0, b, true}, {0, who("3", "group_1"), false}, {0, who("3", "group_2"), true},
		}},
		"more than are kept apart": {nit.QuotaOptions{PerPerson: nit.Rate{Calls: 1, Per: time.Minute}, MaxKeys: 2}, []step{
			{0, a, true}, {0, b, true}, {0, who("3", ""), true}, {0, who("4", ""), false}, {0, a, false},
			{59 * time.Second, who("5", ""), false}, {61 * time.Second, who("5", ""), true}, {61 * time.Second, who("4", ""), true},
		}},
	} {
		q := newQuota(t, tt.o)
		for i, s := range tt.steps {
			assert.Equal(t, s.want, q.Allow(t0.Add(s.at), s.who), "%s: step %d", name, i)
		}
	}
	q := newQuota(t, nit.QuotaOptions{PerTool: nit.Rate{Calls: 2, Per: time.Hour}, ToolRates: map[string]nit.Rate{"loud": {Calls: 1, Per: time.Hour}, "free": {}}})
	var got []bool
	for _, tool := range []string{"dice", "dice", "dice", "loud", "loud", "free", "free", "free"} {
		got = append(got, q.AllowTool(t0, tool))
	}
	assert.Equal(t, []bool{true, true, false, true, false, true, true, true}, got)
}

// In any interval no caller gets more calls than its rate allows.
func TestQuota_KeepsItsRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for range 50 {
		rate := nit.Rate{Calls: 1 + rng.IntN(5), Per: time.Duration(1+rng.IntN(60)) * time.Second}
		q := newQuota(t, nit.QuotaOptions{PerPerson: rate})
		passed := make(map[string][]time.Time)
		now := t0
		for range 400 {
			now = now.Add(time.Duration(rng.Int64N(int64(rate.Per) / 3)))
			p := nit.Principal{Person: fmt.Sprint(rng.IntN(3))}
			if q.Allow(now, p) {
				passed[p.Person] = append(passed[p.Person], now)
			}
		}
		for person, times := range passed {
			for i := range times {
				for j := i; j < len(times); j++ {
					d := times[j].Sub(times[i])
					if most := float64(rate.Calls)*(1+float64(d)/float64(rate.Per)) + 1e-6; float64(j-i+1) > most {
						require.Failf(t, "too many", "person %s, %+v: %d in %v", person, rate, j-i+1, d)
					}
				}
			}
		}
	}
}

// Over the quota, all names get the same answer, and calls of all names use up the quota alike. Calls of a hidden tool
// by others have no visible effect.
func TestQuota_RevealsNoTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := []string{"absent", "hidden", "visible", "disabled"}
		answers := map[string]string{}
		for _, first := range names {
			r := nit.Registry{Quota: newQuota(t, nit.QuotaOptions{PerSession: nit.Rate{Calls: 2, Per: time.Hour}, PerTool: nit.Rate{Calls: 2, Per: time.Hour}})}
			add(t, &r, say(t, "hidden", nit.L3, "!"), say(t, "visible", nit.L1, "hello"), say(t, "disabled", nit.L1, "!"))
			r.Disable("disabled")
			for range 2 {
				_, err := r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L3, Session: "owner"}).Do(t.Context(), "hidden", "")
				require.NoError(t, err, "uses up the hidden tool's own rate")
			}
			for range 2 { // two views: the quota belongs to the registry
				_ = r.View(persona).Call(t.Context(), call(first, "{"))
			}
			for _, name := range names {
				got := asJSON(t, r.View(persona).Call(t.Context(), call(name, "")))
				_, err := r.View(persona).Do(t.Context(), name, "")
				assert.True(t, err == nit.ErrQuotaExceeded)
				answers[got] = name
			}
			other := persona
			other.Session = "group_9"
			assert.Equal(t, unknownAnswer, asJSON(t, r.View(other).Call(t.Context(), call("hidden", ""))), "not: over its quota")
			time.Sleep(30 * time.Minute)
			res, err := r.View(persona).Do(t.Context(), "visible", "")
			require.NoError(t, err)
			assert.Equal(t, "hello", res.Text)
		}
		assert.Len(t, answers, 1)
	})
}

// Over its rate, a tool answers under its own name, because only callers that see it get that answer.
func TestQuota_ToolRates(t *testing.T) {
	r := nit.Registry{Quota: newQuota(t, nit.QuotaOptions{PerTool: nit.Rate{Calls: 1, Per: time.Hour}})}
	add(t, &r, say(t, "dice", nit.L1, "6"), say(t, "coin", nit.L1, "heads"))
	v := r.View(persona)
	assert.Equal(t, "6", v.Call(t.Context(), call("dice", "")).Content)
	over := v.Call(t.Context(), call("dice", ""))
	assert.Equal(t, "dice", over.Name)
	assert.Equal(t, "error: no tool calls left for now: of this tool", over.Content)
	_, err := r.View(persona).Do(t.Context(), "dice", "")
	assert.ErrorIs(t, err, nit.ErrQuotaExceeded)
	assert.Equal(t, "heads", v.Call(t.Context(), call("coin", "")).Content)
}

func BenchmarkQuota(b *testing.B) {
	q := newQuota(b, nit.QuotaOptions{PerPerson: nit.Rate{Calls: 100, Per: time.Minute}, PerSession: nit.Rate{Calls: 100, Per: time.Minute}})
	now := t0
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		q.Allow(now, persona)
	}
}
