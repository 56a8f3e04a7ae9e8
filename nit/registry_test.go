package nit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRegistry_AddRemoveDisable(t *testing.T) {
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	a, b, c := say(t, "a", nit.L1, "A"), say(t, "b", nit.L1, "B"), say(t, "c", nit.L1, "C")
	add(t, &r, c, a)
	before := r.View(persona)
	assert.Error(t, r.Add(b, a), "a is there")
	assert.Error(t, r.Add(b, b), "twice in one call")
	assert.Error(t, r.Add(b, nit.Tool{}))
	assert.Equal(t, []string{"a", "c"}, names(r.View(persona)), "none of them was added")
	add(t, &r, b)
	assert.Equal(t, []string{"a", "b", "c"}, names(r.View(persona)), "by name")
	assert.Equal(t, []string{"a", "c"}, names(before), "a view does not change")
	_, err := before.Do(t.Context(), "b", "")
	assert.Equal(t, nit.ErrUnknownTool, err)

	assert.True(t, r.Disable("a"))
	assert.True(t, r.Disable("a"))
	assert.False(t, r.Disable("absent"))
	assert.False(t, r.Enable("absent"))
	assert.Error(t, r.Add(a), "its name is still taken")
	assert.Equal(t, []string{"b", "c"}, names(r.View(persona)))
	assert.True(t, r.Enable("a"))
	assert.True(t, r.Enable("a"))
	_, err = before.Do(t.Context(), "a", "")
	assert.Equal(t, nit.ErrUnknownTool, err, "it came back for new views only")
	now := r.View(persona)
	assert.True(t, r.Enable("a"))
	res, err := now.Do(t.Context(), "a", "")
	require.NoError(t, err, "enabling what is enabled changes nothing")
	assert.Equal(t, "A", res.Text)

	r.Remove("a", "absent", "b")
	assert.Equal(t, []string{"c"}, names(r.View(persona)))
	assert.False(t, r.Enable("a"))
	add(t, &r, say(t, "a", nit.L1, "another"))
	_, err = now.Do(t.Context(), "a", "")
	assert.Equal(t, nit.ErrUnknownTool, err, "not the tool that the view was made with")
}

func TestDescribeIn_DescriptionPerMode(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "read_owner_memory", nit.L2, "m", nit.DescribeIn(nit.ModePersona, "寻找灵感"), nit.DescribeIn("host", "host's")),
		say(t, "notify_master", nit.L1, "n", nit.OnlyIn(nit.ModePersona)))
	descriptions := func(mode string) (ds []string) {
		for _, tool := range r.View(nit.Principal{Mode: mode, Tiers: nit.L1 | nit.L2}).Tools() {
			ds = append(ds, tool.Function.Description)
		}
		return ds
	}
	assert.Equal(t, []string{"about notify_master", "寻找灵感"}, descriptions(nit.ModePersona))
	assert.Equal(t, []string{"about read_owner_memory"}, descriptions(nit.ModeAgent))
	assert.Equal(t, []string{"host's"}, descriptions("host"))
	assert.Empty(t, descriptions("other"))
}

func TestView_ToolsReturnsACopy(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "a", nit.L1, "A"), say(t, "b", nit.L1, "B"))
	v := r.View(persona)
	list := v.Tools()
	list[0], list = list[1], append(list, list[1])
	assert.Len(t, list, 3)
	assert.Equal(t, []string{"a", "b"}, names(v))
	assert.Equal(t, []string{"a", "b"}, names(r.View(persona)))
}

// During concurrent changes every view lists sorted tools. After Remove returned, no call reaches the tool.
func TestView_AtomicWhileToolsChange(t *testing.T) {
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	var gone sync.Map // names for which Remove has returned
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("tool_%d_%d", w, i)
				tool, err := nit.Define(name, nit.L1, "d", func(context.Context, none) (string, error) { return name, nil })
				if !assert.NoError(t, err) || !assert.NoError(t, r.Add(tool)) {
					return
				}
				old := r.View(persona)
				_, err = old.Do(t.Context(), name, "")
				assert.NoError(t, err)
				switch i % 3 {
				case 0:
					r.Remove(name)
					gone.Store(name, true)
				case 1:
					r.Disable(name)
					gone.Store(name, true)
				case 2:
					r.Disable(name)
					r.Enable(name)
				}
				_, err = old.Do(t.Context(), name, "")
				assert.Equal(t, nit.ErrUnknownTool, err)
			}
		})
		wg.Go(func() {
			for range 100 {
				var before []string
				gone.Range(func(name, _ any) bool { before = append(before, name.(string)); return true })
				v := r.View(persona)
				ns := names(v)
				assert.True(t, slices.IsSorted(ns))
				for _, name := range before {
					assert.NotContains(t, ns, name)
				}
				for _, name := range ns {
					res, err := v.Do(t.Context(), name, "")
					if err != nil {
						assert.Equal(t, nit.ErrUnknownTool, err)
					} else {
						assert.Equal(t, name, res.Text)
					}
				}
			}
		})
	}
	wg.Wait()
}

// Random changes with views made at random times. A view lists the tools that were live in its mode when it was made. A
// call reaches a tool exactly if the tool has been live in that mode ever since.
func TestView_AgreesWithModel(t *testing.T) {
	type toolMode struct{ name, mode string }
	modes := []string{nit.ModePersona, nit.ModeAgent, "host"}
	all := []string{"a", "b", "c", "d"}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 9))
		r := nit.Registry{Limits: nit.Limits{Calls: -1}}
		there, disabled, off := map[string]bool{}, map[string]bool{}, map[toolMode]bool{}
		opened := map[toolMode]int{} // by step; missing means not live
		tool := func(name string) nit.Tool { return say(t, name, nit.L1, name, nit.DescribeIn("host", "h")) }
		type made struct {
			view *nit.View
			mode string
			step int
		}
		var views []made
		for step := range 200 {
			name, mode := all[rng.IntN(len(all))], modes[rng.IntN(len(modes))]
			fresh := "" // removed and added again: its flags are new
			switch rng.IntN(7) {
			case 0:
				if err := r.Add(tool(name)); assert.Equal(t, there[name], err != nil) && err == nil {
					there[name] = true
				}
			case 1:
				r.Remove(name)
				delete(there, name)
			case 2:
				if r.Disable(name); there[name] {
					disabled[name] = true
				}
			case 3:
				r.Enable(name)
				delete(disabled, name)
			case 4:
				if r.DisableIn(mode, name); there[name] {
					off[toolMode{name, mode}] = true
				}
			case 5:
				r.EnableIn(mode, name)
				delete(off, toolMode{name, mode})
			case 6:
				if other := all[rng.IntN(len(all))]; there[name] && (other == name || !there[other]) {
					require.NoError(t, r.Replace([]string{name}, tool(other)))
					delete(there, name)
					there[other], fresh = true, other
				}
			}
			for _, n := range all {
				if !there[n] || n == fresh {
					delete(disabled, n)
				}
				for _, m := range modes {
					d := toolMode{n, m}
					if !there[n] || n == fresh {
						delete(off, d)
					}
					if !there[n] || disabled[n] || off[d] {
						delete(opened, d)
					} else if _, was := opened[d]; !was || n == fresh {
						opened[d] = step
					}
				}
			}
			v := made{r.View(nit.Principal{Mode: mode, Tiers: nit.L1}), mode, step}
			var want []string
			for _, n := range all {
				if _, open := opened[toolMode{n, mode}]; open {
					want = append(want, n)
				}
			}
			require.Equal(t, want, names(v.view), "seed %d, step %d", seed, step)
			views = append(views, v)
			for range 5 {
				v := views[rng.IntN(len(views))]
				n := all[rng.IntN(len(all))]
				since, open := opened[toolMode{n, v.mode}]
				_, err := v.view.Do(t.Context(), n, "")
				require.Equal(t, open && since <= v.step, err == nil, "seed %d, step %d: %s by a view of step %d", seed, step, n, v.step)
			}
		}
	}
}

// The tiers of a host's tools decide their visibility: a persona never sees L3.
func TestView_HostToolsByTier(t *testing.T) {
	tiers := map[string]nit.Tier{
		"browser_fetch_text": nit.L2, "browser_search": nit.L2, "screen_ocr": nit.L2,
		"code_searcher": nit.L3, "file_ops": nit.L3, "session_ops": nit.L3, "shell_exec": nit.L3, "system_control": nit.L3, "windows_ops": nit.L3,
	}
	var r nit.Registry
	for name, tier := range tiers {
		add(t, &r, say(t, name, tier, "x"))
	}
	assert.Equal(t, []string{"browser_fetch_text", "browser_search", "screen_ocr"}, names(r.View(nit.Principal{Tiers: nit.L1 | nit.L2 | nit.L3})))
	assert.Len(t, r.View(agent).Tools(), len(tiers))
	assert.Empty(t, names(r.View(nit.Principal{Tiers: nit.L1})))
}

func TestRegistry_Unseen(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "chats", nit.L1, "x"), say(t, "owner", nit.L3, "x"), say(t, "host", nit.L2, "x", nit.OnlyIn("host")),
		say(t, "nobody", nit.L3, "x", nit.OnlyIn(nit.ModePersona, "host")), say(t, "agent", nit.L1, "x", nit.OnlyIn(nit.ModeAgent)))
	r.Disable("chats")
	assert.Equal(t, []string{"host", "nobody"}, r.Unseen(nit.ModePersona, nit.ModeAgent))
	assert.Equal(t, []string{"nobody"}, r.Unseen(nit.ModePersona, nit.ModeAgent, "host"))
	assert.Equal(t, []string{"agent", "host", "nobody", "owner"}, r.Unseen(nit.ModePersona))
}
