package nit_test

import (
	"cmp"
	"context"
	"encoding/json"
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

// A caller cannot distinguish tools that do not exist, are hidden by tier, disabled, unloaded, of another mode, filtered
// out, or that return ErrUnknownTool themselves.
func TestView_UnknownAndHiddenToolsLookAlike(t *testing.T) {
	type seen struct {
		answer, result, err string
		same, charged       bool
		allocs              float64
	}
	// all names have the same length because they are logged
	of := make(map[string]nit.Tool)
	for _, name := range []string{"reloaded0", "unloaded0", "plug_off0", "category0", "plug_mode"} {
		of[name] = say(t, name, nit.L1, "!")
	}
	tools := []nit.Tool{
		say(t, "hidden_l3", nit.L3, "!"), say(t, "offmode_0", nit.L1, "!", nit.OnlyIn(nit.ModeAgent)),
		say(t, "disabled0", nit.L1, "!"), say(t, "removed_0", nit.L1, "!"), of["reloaded0"],
		say(t, "switched0", nit.L1, "!"), say(t, "narrowed0", nit.L1, "!"), say(t, "visible_0", nit.L1, "hello"),
		say(t, "mode_off0", nit.L1, "!"), say(t, "shed_l2_0", nit.L2, "!"), say(t, "sheds_0", nit.L1, "", nit.RevokesAfterUse(nit.L2)),
	}
	build := func(t *testing.T, full bool, calls int) (*nit.Registry, *nit.View) {
		r := &nit.Registry{Limits: nit.Limits{Calls: calls}, Redact: func(_ context.Context, s string) (string, error) { return s, nil }}
		if calls > 0 {
			r.Limits.Calls++ // for the call that revokes
		}
		if full { // with everything that sees a call
			day := nit.Rate{Calls: 1 << 20, Per: 24 * time.Hour}
			r.Logger = slog.New(deaf{})
			r.Quota = newQuota(t, nit.QuotaOptions{Total: day, PerPerson: day, PerSession: day, PerTool: day, ToolRates: map[string]nit.Rate{"hidden_l3": {Calls: 1, Per: time.Hour}}})
			r.Policy = func(context.Context, nit.Request) (nit.Decision, error) { return nit.Allow, nil }
			r.Audit = func(context.Context, nit.Record) {}
		}
		add(t, r, tools...)
		plugins := newPlugins(t, r, nit.PluginOptions{})
		for _, name := range []string{"unloaded0", "plug_off0", "category0", "plug_mode"} {
			plugin := nit.Plugin{Manifest: manifest("of_"+name, of[name]), Tools: []nit.Tool{of[name]}}
			plugin.Manifest.Category = "of_" + name
			require.NoError(t, plugins.Load(t.Context(), plugin))
		}
		require.NoError(t, plugins.SwitchCategory(t.Context(), "of_category0", nit.Switch{Off: true}))
		r.Disable("disabled0")
		v := r.View(persona).Filter(func(i nit.ToolInfo) bool { return i.Name != "narrowed0" })
		r.Remove("removed_0", "reloaded0")
		add(t, r, of["reloaded0"])
		r.Disable("switched0")
		r.Enable("switched0")
		r.DisableIn(nit.ModePersona, "mode_off0")
		require.NoError(t, plugins.Unload(t.Context(), "of_unloaded0"))
		require.NoError(t, plugins.SwitchPlugin(t.Context(), "of_plug_off0", nit.Switch{Off: true}))
		require.NoError(t, plugins.SwitchPlugin(t.Context(), "of_plug_mode", nit.Switch{OffModes: []string{nit.ModePersona}}))
		_, err := v.Do(t.Context(), "sheds_0", "")
		require.NoError(t, err)
		return r, v
	}
	names := []string{"absent__0", "hidden_l3", "offmode_0", "disabled0", "removed_0", "reloaded0", "switched0", "narrowed0", "mode_off0", "shed_l2_0",
		"unloaded0", "plug_off0", "category0", "plug_mode"}
	arguments := []string{"", `{}`, `{"a":1,"a":2}`, "garbage", `{"x":"` + strings.Repeat("y", 100<<10) + `"}`}
	for _, full := range []bool{false, true} {
		for _, args := range arguments {
			var want seen
			for i, name := range names {
				got := seen{}
				_, v := build(t, full, 2)
				c := call(name, args)
				got.answer = asJSON(t, v.Call(t.Context(), c))
				res, err := v.Do(t.Context(), name, args)
				got.result, got.err, got.same = fmt.Sprintf("%#v", res), fmt.Sprintf("%#v %v", err, err), err == nit.ErrUnknownTool
				_, err = v.Do(t.Context(), "visible_0", "")
				got.charged = errors.Is(err, nit.ErrQuotaExceeded) // two of two calls are used
				_, v = build(t, full, -1)
				ctx := t.Context()
				got.allocs = testing.AllocsPerRun(20, func() { v.Call(ctx, c); _, _ = v.Do(ctx, name, args) })
				if i == 0 {
					want = got
					assert.Equal(t, unknownAnswer, got.answer)
					assert.True(t, got.same && got.charged)
				}
				assert.Equal(t, want, got, "%s is told from %s with %.20q", name, names[0], args)
			}
		}
	}

	// A tool that returns ErrUnknownTool gives the same answer and charges the same. Running it allocates.
	r := nit.Registry{Limits: nit.Limits{Calls: 2}}
	add(t, &r, fails(t, "disowns_0", nit.L1, fmt.Errorf("another target: %w", nit.ErrUnknownTool)))
	v := r.View(persona)
	assert.Equal(t, asJSON(t, v.Call(t.Context(), call("absent__0", ""))), asJSON(t, v.Call(t.Context(), call("disowns_0", ""))))
	_, err := r.View(persona).Do(t.Context(), "disowns_0", "")
	assert.True(t, err == nit.ErrUnknownTool)
	_, err = v.Do(t.Context(), "disowns_0", "")
	assert.ErrorIs(t, err, nit.ErrQuotaExceeded)
	v = r.View(persona) // repeated with its id: the stored result looks the same
	first := v.Call(t.Context(), call("disowns_0", ""))
	assert.Equal(t, unknownAnswer, asJSON(t, first))
	assert.Equal(t, first, v.Call(t.Context(), call("disowns_0", "")))

	if testing.Verbose() { // timing is printed, not asserted: the machine is shared
		_, v := build(t, true, -1)
		for _, name := range names {
			start := time.Now()
			for range 20_000 {
				_, _ = v.Do(t.Context(), name, "")
			}
			t.Logf("%s: %v a call", name, time.Since(start)/20_000)
		}
	}
}

// deaf is a log handler that accepts everything and keeps nothing, not even buffers.
type deaf struct{}

func (deaf) Enabled(context.Context, slog.Level) bool  { return true }
func (deaf) Handle(context.Context, slog.Record) error { return nil }
func (d deaf) WithAttrs([]slog.Attr) slog.Handler      { return d }
func (d deaf) WithGroup(string) slog.Handler           { return d }

// A canary is a tool with a unique word in each of its parts, and a naive model of its visibility.
type canary struct {
	word    string
	tier    nit.Tier
	modes   []string // in which it is shown
	only    bool
	off     []string // in which it is switched off
	never   bool     // disabled, unloaded, or in a plugin that is switched off
	removed bool     // after the views were made
	cut     bool     // by Filter
}

func (c *canary) tool(t *testing.T) nit.Tool {
	var opts []nit.Option
	if c.only {
		opts = append(opts, nit.OnlyIn(c.modes...))
	}
	for _, m := range c.modes {
		opts = append(opts, nit.DescribeIn(m, "in "+m+" "+c.word))
	}
	w := c.word
	tool, err := nit.DefineRaw("zq_"+w, c.tier, "about "+w, []byte(`{"type":"object","title":"`+w+`","$defs":{"def_`+w+`":{"type":"string","enum":["`+w+`"]}},
		"properties":{"p_`+w+`":{"$ref":"#/$defs/def_`+w+`"},"q":{"description":"`+w+`","default":"`+w+`","pattern":"`+w+`"}},"required":["p_`+w+`"]}`),
		func(context.Context, json.RawMessage) (string, error) { return w, nil }, opts...)
	require.NoError(t, err)
	return tool
}

func (c *canary) seen(p nit.Principal) bool {
	return c.tier&p.Tiers != 0 && (c.tier != nit.L3 || p.Mode == nit.ModeAgent) && slices.Contains(c.modes, p.Mode) &&
		!slices.Contains(c.off, p.Mode) && !c.never
}

var allModes = []string{nit.ModePersona, nit.ModeAgent, "companion", "typo"}

// flock adds random canaries to r: alone, in plugins, disabled, switched off.
func flock(t *testing.T, rng *rand.Rand, r *nit.Registry) []*canary {
	plugins := newPlugins(t, r, nit.PluginOptions{})
	var all []*canary
	for i := range 1 + rng.IntN(12) {
		c := &canary{word: fmt.Sprintf("zq7%04xq%dz", rng.Uint32()&0xffff, i), tier: cmp.Or(nit.Tier(rng.IntN(2)*(1<<rng.IntN(3))), nit.L3), only: rng.IntN(2) == 0}
		for _, m := range allModes[:3] {
			if rng.IntN(3) == 0 {
				c.modes = append(c.modes, m)
			}
		}
		c.only = c.only && c.modes != nil
		tool := c.tool(t)
		if !c.only {
			for _, m := range allModes[:2] {
				if !slices.Contains(c.modes, m) {
					c.modes = append(c.modes, m)
				}
			}
		}
		if rng.IntN(3) == 0 {
			c.off = []string{allModes[rng.IntN(3)]}
		}
		c.never = rng.IntN(5) == 0
		if rng.IntN(2) == 0 {
			add(t, r, tool)
			for _, m := range c.off {
				r.DisableIn(m, tool.Name())
			}
			if c.never {
				r.Disable(tool.Name())
			}
		} else {
			plugin := nit.Plugin{Manifest: manifest("plugin_"+c.word, tool), Tools: []nit.Tool{tool}, Settings: map[string]any{"set_" + c.word: c.word}}
			plugin.Manifest.Category = "category_" + c.word
			require.NoError(t, plugins.SwitchPlugin(t.Context(), "plugin_"+c.word, nit.Switch{OffModes: c.off}))
			require.NoError(t, plugins.Load(t.Context(), plugin))
			if c.never && rng.IntN(2) == 0 {
				require.NoError(t, plugins.Unload(t.Context(), "plugin_"+c.word))
			} else if c.never {
				require.NoError(t, plugins.SwitchCategory(t.Context(), "category_"+c.word, nit.Switch{Off: true}))
			}
		}
		all = append(all, c)
	}
	return all
}

// Property test with random tools, modes, plugins, states and principals. A view lists exactly the tools of the naive
// model. No text that a model can get contains a word of a hidden tool: lists in each dialect, answers to calls with any
// name and arguments, errors, results, texts of quotas, policies and humans.
func TestView_HiddenToolsLeaveNoTrace(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for range rounds {
		r := nit.Registry{Limits: nit.Limits{Calls: -1}, Redact: func(_ context.Context, s string) (string, error) { return s, nil }}
		if rng.IntN(2) == 0 {
			r.Quota = newQuota(t, nit.QuotaOptions{PerTool: nit.Rate{Calls: 1, Per: time.Hour}, PerSession: nit.Rate{Calls: 1 + rng.IntN(60), Per: time.Hour}})
		}
		if rng.IntN(2) == 0 {
			r.Policy = func(context.Context, nit.Request) (nit.Decision, error) { return nit.Decision(rng.IntN(4)), nil }
		}
		all := flock(t, rng, &r)
		for _, mode := range allModes {
			p := nit.Principal{Mode: mode, Tiers: nit.Tier(rng.IntN(256))}
			v := r.View(p)
			for _, c := range all {
				c.cut = rng.IntN(6) == 0
			}
			v = v.Filter(func(i nit.ToolInfo) bool {
				return !slices.ContainsFunc(all, func(c *canary) bool { return c.cut && "zq_"+c.word == i.Name })
			}).WithGuard(func(context.Context, nit.ToolInfo) error { return nil })
			var want []string
			for _, c := range all {
				if c.seen(p) && !c.cut {
					want = append(want, "zq_"+c.word)
				}
			}
			slices.Sort(want)
			require.Equal(t, want, names(v), "%+v", p)
			text := asJSON(t, v.Tools()) + asJSON(t, v.WithDialect(nit.Gemini).Tools())
			for _, c := range all {
				if rng.IntN(10) == 0 && !c.removed {
					r.Remove("zq_" + c.word)
					c.removed, c.never = true, true
				}
			}
			for _, c := range all {
				for _, args := range []string{"{}", `{"p_` + c.word + `":"` + c.word + `"}`, `{"P_` + strings.ToUpper(c.word) + `":1}`, `{"x`, `{"command":"zq_` + c.word + `"}`} {
					resp := v.Call(t.Context(), call("zq_"+c.word, args))
					_, err := v.Do(t.Context(), "zq_"+c.word, args)
					if resp.Name == "unknown" || !slices.Contains(want, "zq_"+c.word) {
						text += asJSON(t, resp) + fmt.Sprintf("%#v %+v", err, err)
					}
					if c.removed {
						require.Equal(t, "unknown", resp.Name)
					}
				}
				for _, name := range []string{"ZQ_" + c.word, "zq-" + c.word, "zq_" + c.word + "\x00", "plugin_" + c.word, "category_" + c.word, "help", "list"} {
					text += asJSON(t, v.Call(t.Context(), call(name, `{}`)))
				}
			}
			for _, c := range all {
				if !slices.Contains(want, "zq_"+c.word) && strings.Contains(text, c.word) {
					require.Failf(t, "seen", "%+v by %+v", c, p)
				}
			}
		}
	}
}

func TestPrincipal_ZeroSeesNothing(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "one", nit.L1, "1"), say(t, "two", nit.L2, "2"), say(t, "three", nit.L3, "3"), say(t, "host", nit.L1, "h", nit.OnlyIn("host")))
	for name, v := range map[string]*nit.View{
		"the zero principal":  r.View(nit.Principal{}),
		"an agent of no tier": r.View(nit.Principal{Mode: nit.ModeAgent}),
		"an unknown mode":     r.View(nit.Principal{Mode: "Agent", Tiers: 255}),
		"a mode's text":       r.View(nit.Principal{Mode: "persona", Tiers: 255}),
		"the zero view":       {},
		"no view":             nil,
		"a view of nothing":   new(nit.Registry).View(agent),
		"narrowed zero":       new(nit.View).Filter(func(nit.ToolInfo) bool { return true }).WithGuard(nil),
	} {
		assert.Empty(t, v.Tools(), name)
		for _, tool := range []string{"one", "two", "three", "host", ""} {
			_, err := v.Do(t.Context(), tool, "")
			assert.Equal(t, nit.ErrUnknownTool, err, name)
		}
	}
	assert.Equal(t, []string{"one", "two"}, names(r.View(nit.Principal{Tiers: 255})), "persona is blind to L3 whatever it is given")
	assert.Equal(t, []string{"host"}, names(r.View(nit.Principal{Mode: "host", Tiers: 255})))
	assert.Equal(t, []string{"one", "three", "two"}, names(r.View(agent)))
	resp := r.View(agent).Call(t.Context(), call("", ""))
	assert.Equal(t, "unknown", resp.Name)
	empty := call("", "")
	empty.FunctionCall = nil
	assert.Equal(t, resp, r.View(agent).Call(t.Context(), empty))
}

// Any chain of Filter and WithGuard makes a view with at most the tools of its parent, in listing and calling, and with
// the same quota.
func TestView_DerivedViewsOnlyNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	r := nit.Registry{Limits: nit.Limits{Calls: 1000}}
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("tool_%02d", i))
		add(t, &r, say(t, all[i], nit.Tier(1<<rng.IntN(3)), "x"))
	}
	for range 100 {
		v, made := r.View(agent), 0
		parent := names(v)
		for range 5 {
			switch rng.IntN(5) {
			case 0:
				v = v.WithGuard(func(context.Context, nit.ToolInfo) error { return nil })
			case 1:
				v = v.WithDialect(nit.Gemini)
			case 2:
				v = v.WithPolicy(func(context.Context, nit.Request) (nit.Decision, error) { return nit.Allow, nil })
			default:
				drop := rng.IntN(20)
				v = v.Filter(func(i nit.ToolInfo) bool { return i.Name != all[drop] && (i.Tier != nit.L3 || drop > 3) })
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
		require.Equal(t, nit.ErrQuotaExceeded, err)
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"", "unknown", "shell_exec", "Shell_Exec", "shell-exec", "shell_exec\x00", "dir\\shell_exec", "工具", "tool", "error: unknown tool", "call_7"} {
		f.Add(s)
	}
	ok := func(context.Context, none) (string, error) { return "visible", nil }
	f.Fuzz(func(t *testing.T, name string) {
		r := nit.Registry{Limits: nit.Limits{Calls: -1}}
		tool, err := nit.Define(name, nit.L3, "d", ok) // L3
		if err == nil {
			require.Equal(t, name, tool.Name())
			require.LessOrEqual(t, len(name), 64)
			require.Equal(t, -1, strings.IndexFunc(name, func(r rune) bool {
				return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
			}))
			add(t, &r, tool)
		}
		if name != "seen" {
			seen, err := nit.Define("seen", nit.L1, "d", ok)
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
