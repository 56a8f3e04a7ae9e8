package nit_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const unknownAnswer = `{"type":"tool_response","tool_response":{"content":"error: unknown tool","name":"unknown","tool_call_id":"call_7"}}`

// TestNoOracle holds that a tool which does not exist, is hidden by its tier, is disabled, was unloaded, belongs
// to another mode, was narrowed away, or disowns the call, cannot be told apart by anything that a caller gets.
func TestNoOracle(t *testing.T) {
	type seen struct {
		answer, result, err string
		same, charged       bool
		allocs              float64
	}
	// every name has the same length, since names go to the log
	build := func(t *testing.T, log *slog.Logger, calls int) (*nit.Registry, *nit.View) {
		r := &nit.Registry{Limits: nit.Limits{Calls: calls}, Logger: log}
		add(t, r,
			say(t, "hidden_l3", "!", nit.At(nit.L3)), say(t, "no_tier_0", "!"), say(t, "offmode_0", "!", nit.At(nit.L1), nit.Only(nit.ModeAgent)),
			say(t, "disabled0", "!", nit.At(nit.L1)), say(t, "removed_0", "!", nit.At(nit.L1)), say(t, "reloaded0", "!", nit.At(nit.L1)),
			say(t, "switched0", "!", nit.At(nit.L1)), say(t, "narrowed0", "!", nit.At(nit.L1)), say(t, "visible_0", "hello", nit.At(nit.L1)))
		r.Disable("disabled0")
		v := r.View(persona).Narrow(func(i nit.Info) bool { return i.Name != "narrowed0" })
		r.Remove("removed_0", "reloaded0")
		add(t, r, say(t, "reloaded0", "!", nit.At(nit.L1)))
		r.Disable("switched0")
		r.Enable("switched0")
		return r, v
	}
	names := []string{"absent__0", "hidden_l3", "no_tier_0", "offmode_0", "disabled0", "removed_0", "reloaded0", "switched0", "narrowed0"}
	arguments := []string{"", `{}`, `{"a":1,"a":2}`, "garbage", `{"x":"` + strings.Repeat("y", 100<<10) + `"}`}
	for _, logged := range []bool{false, true} {
		var log *slog.Logger
		if logged {
			log = slog.New(deaf{})
		}
		for _, args := range arguments {
			var want seen
			for i, name := range names {
				got := seen{}
				_, v := build(t, log, 2)
				c := call(name, args)
				got.answer = asJSON(t, v.Call(t.Context(), c))
				res, err := v.Do(t.Context(), name, args)
				got.result, got.err, got.same = fmt.Sprintf("%#v", res), fmt.Sprintf("%#v %v", err, err), err == nit.ErrUnknown
				_, err = v.Do(t.Context(), "visible_0", "")
				got.charged = errors.Is(err, nit.ErrQuota) // two calls were made of two
				_, v = build(t, log, -1)
				ctx := t.Context()
				got.allocs = testing.AllocsPerRun(100, func() { v.Call(ctx, c); _, _ = v.Do(ctx, name, args) })
				if i == 0 {
					want = got
					assert.Equal(t, unknownAnswer, got.answer)
					assert.True(t, got.same && got.charged)
				}
				assert.Equal(t, want, got, "%s is told from %s with %.20q", name, names[0], args)
			}
		}
	}

	// A tool that disowns its call says the same, at the same price; that it ran costs allocations.
	r := nit.Registry{Limits: nit.Limits{Calls: 2}}
	add(t, &r, fails(t, "disowns_0", fmt.Errorf("another target: %w", nit.ErrUnknown), nit.At(nit.L1)))
	v := r.View(persona)
	assert.Equal(t, asJSON(t, v.Call(t.Context(), call("absent__0", ""))), asJSON(t, v.Call(t.Context(), call("disowns_0", ""))))
	_, err := r.View(persona).Do(t.Context(), "disowns_0", "")
	assert.True(t, err == nit.ErrUnknown)
	_, err = v.Do(t.Context(), "disowns_0", "")
	assert.ErrorIs(t, err, nit.ErrQuota)

	if testing.Verbose() { // timing is shown, not judged: the machine is shared
		_, v := build(t, nil, -1)
		for _, name := range names {
			start := time.Now()
			for range 20_000 {
				_, _ = v.Do(t.Context(), name, "")
			}
			t.Logf("%s: %v a call", name, time.Since(start)/20_000)
		}
	}
}

// deaf is a log handler that wants everything and keeps nothing, not even a pool of buffers.
type deaf struct{}

func (deaf) Enabled(context.Context, slog.Level) bool  { return true }
func (deaf) Handle(context.Context, slog.Record) error { return nil }
func (d deaf) WithAttrs([]slog.Attr) slog.Handler      { return d }
func (d deaf) WithGroup(string) slog.Handler           { return d }

// TestHiddenToolsLeaveNoTrace is the property of blindness: tools with canaries in all their parts, of random
// tiers and modes, and random principals. Whatever a model can get is searched for the canaries of what it may not see.
func TestHiddenToolsLeaveNoTrace(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	rng := rand.New(rand.NewPCG(7, 7))
	modes := []string{nit.ModePersona, nit.ModeAgent, "companion", "typo"}
	type canary struct {
		name  string
		tier  nit.Tier
		modes []string // nil: persona and agent
	}
	for range rounds {
		r := nit.Registry{Limits: nit.Limits{Calls: -1}, Redact: func(_ context.Context, s string) (string, error) { return s, nil }}
		var all []canary
		for i := range 1 + rng.IntN(12) {
			c := canary{name: fmt.Sprintf("zq7_%04x_%d", rng.Uint32()&0xffff, i), tier: nit.Tier(rng.IntN(2) * (1 << rng.IntN(3)))}
			opts := []nit.Option{nit.At(c.tier)}
			if c.tier == 0 {
				c.tier = nit.L3
			}
			for _, m := range modes[:3] {
				if rng.IntN(4) == 0 {
					c.modes = append(c.modes, m)
				}
			}
			if c.modes != nil {
				opts = append(opts, nit.Only(c.modes...))
			}
			tool, err := nit.DefineRaw(c.name, "desc_"+c.name, []byte(`{"type":"object","properties":{"param_`+c.name+`":{"enum":["enum_`+c.name+`"]}}}`), raw, opts...)
			require.NoError(t, err)
			add(t, &r, tool)
			all = append(all, c)
		}
		for _, mode := range modes {
			p := nit.Principal{Mode: mode, Sees: nit.Tier(rng.IntN(256))}
			v := r.View(p)
			if rng.IntN(2) == 0 {
				v = v.Guarded(func(context.Context, nit.Info) error { return nil }).Narrow(func(nit.Info) bool { return rng.IntN(4) > 0 })
			}
			visible := names(v)
			assert.True(t, slices.IsSorted(visible))
			text := asJSON(t, v.Tools())
			for _, c := range all {
				for _, args := range []string{"{}", `{"param_` + c.name + `":"enum_` + c.name + `"}`, `{"PARAM_` + strings.ToUpper(c.name) + `":1}`, `{"x`} {
					if !slices.Contains(visible, c.name) {
						resp := v.Call(t.Context(), call(c.name, args))
						text += asJSON(t, resp)
						_, err := v.Do(t.Context(), c.name, args)
						text += fmt.Sprintf("%#v %+v", err, err)
					}
				}
			}
			for _, c := range all {
				allowed := c.tier&p.Sees != 0 && (c.tier != nit.L3 || mode == nit.ModeAgent)
				if c.modes == nil {
					allowed = allowed && (mode == nit.ModePersona || mode == nit.ModeAgent)
				} else {
					allowed = allowed && slices.Contains(c.modes, mode)
				}
				if slices.Contains(visible, c.name) {
					require.True(t, allowed, "%+v sees %+v", p, c)
				} else {
					require.NotContains(t, text, c.name, "%+v", p)
				}
			}
		}
	}
}

func TestZeroSeesNothing(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "one", "1", nit.At(nit.L1)), say(t, "two", "2", nit.At(nit.L2)), say(t, "three", "3"), say(t, "host", "h", nit.At(nit.L1), nit.Only("host")))
	for name, v := range map[string]*nit.View{
		"the zero principal":  r.View(nit.Principal{}),
		"an agent of no tier": r.View(nit.Principal{Mode: nit.ModeAgent}),
		"an unknown mode":     r.View(nit.Principal{Mode: "Agent", Sees: 255}),
		"a mode's text":       r.View(nit.Principal{Mode: "persona", Sees: 255}),
		"the zero view":       {},
		"no view":             nil,
		"a view of nothing":   new(nit.Registry).View(agent),
		"narrowed zero":       new(nit.View).Narrow(func(nit.Info) bool { return true }).Guarded(nil),
	} {
		assert.Empty(t, v.Tools(), name)
		for _, tool := range []string{"one", "two", "three", "host", ""} {
			_, err := v.Do(t.Context(), tool, "")
			assert.Equal(t, nit.ErrUnknown, err, name)
		}
	}
	assert.Equal(t, []string{"one", "two"}, names(r.View(nit.Principal{Sees: 255})), "persona is blind to L3 whatever it is given")
	assert.Equal(t, []string{"host"}, names(r.View(nit.Principal{Mode: "host", Sees: 255})))
	assert.Equal(t, []string{"one", "three", "two"}, names(r.View(agent)))
	resp := r.View(agent).Call(t.Context(), call("", ""))
	assert.Equal(t, "unknown", resp.Name)
	empty := call("", "")
	empty.FunctionCall = nil
	assert.Equal(t, resp, r.View(agent).Call(t.Context(), empty))
}

// TestViewsOnlyNarrow: whatever chain of Narrow and Guarded makes a view, it sees what its parent sees or less,
// in listing and calling alike, and draws on the same quota.
func TestViewsOnlyNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	r := nit.Registry{Limits: nit.Limits{Calls: 1000}}
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("tool_%02d", i))
		add(t, &r, say(t, all[i], "x", nit.At(nit.Tier(1<<rng.IntN(3)))))
	}
	for range 100 {
		v, made := r.View(agent), 0
		parent := names(v)
		for range 5 {
			if rng.IntN(3) == 0 {
				v = v.Guarded(func(context.Context, nit.Info) error { return nil })
			} else {
				drop := rng.IntN(20)
				v = v.Narrow(func(i nit.Info) bool { return i.Name != all[drop] && (i.Tier != nit.L3 || drop > 3) })
			}
			child := names(v)
			for _, name := range all {
				_, err := v.Do(t.Context(), name, "")
				made++
				assert.Equal(t, slices.Contains(child, name), err == nil, "listed and callable are the same")
				if slices.Contains(child, name) {
					require.Contains(t, parent, name)
				}
			}
			parent = child
		}
		for range 1000 - made {
			_, _ = v.Do(t.Context(), "absent", "")
		}
		_, err := v.Do(t.Context(), all[0], "")
		require.Equal(t, nit.ErrQuota, err)
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"", "unknown", "shell_exec", "Shell_Exec", "shell-exec", "shell_exec\x00", "dir\\shell_exec", "工具", "tool", "error: unknown tool", "call_7"} {
		f.Add(s)
	}
	ok := func(context.Context, none) (string, error) { return "visible", nil }
	f.Fuzz(func(t *testing.T, name string) {
		r := nit.Registry{Limits: nit.Limits{Calls: -1}}
		tool, err := nit.Define(name, "d", ok) // L3
		if err == nil {
			require.Equal(t, name, tool.Name())
			require.LessOrEqual(t, len(name), 64)
			require.Equal(t, -1, strings.IndexFunc(name, func(r rune) bool {
				return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
			}))
			add(t, &r, tool)
		}
		if name != "seen" {
			seen, err := nit.Define("seen", "d", ok, nit.At(nit.L1))
			require.NoError(t, err)
			add(t, &r, seen)
		}
		resp := r.View(persona).Call(t.Context(), call(name, ""))
		if name == "seen" {
			require.Equal(t, "unknown", resp.Name, "it is L3")
		}
		require.Equal(t, unknownAnswer, asJSON(t, resp))
	})
}
