package nit_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestToolsComeAndGo(t *testing.T) {
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	a, b, c := say(t, "a", "A", nit.At(nit.L1)), say(t, "b", "B", nit.At(nit.L1)), say(t, "c", "C", nit.At(nit.L1))
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
	assert.Equal(t, nit.ErrUnknown, err)

	assert.True(t, r.Disable("a"))
	assert.True(t, r.Disable("a"))
	assert.False(t, r.Disable("absent"))
	assert.False(t, r.Enable("absent"))
	assert.Error(t, r.Add(a), "its name is still taken")
	assert.Equal(t, []string{"b", "c"}, names(r.View(persona)))
	assert.True(t, r.Enable("a"))
	assert.True(t, r.Enable("a"))
	_, err = before.Do(t.Context(), "a", "")
	assert.Equal(t, nit.ErrUnknown, err, "it came back for new views only")
	now := r.View(persona)
	assert.True(t, r.Enable("a"))
	res, err := now.Do(t.Context(), "a", "")
	require.NoError(t, err, "enabling what is enabled changes nothing")
	assert.Equal(t, "A", res.Text)

	r.Remove("a", "absent", "b")
	assert.Equal(t, []string{"c"}, names(r.View(persona)))
	assert.False(t, r.Enable("a"))
	add(t, &r, say(t, "a", "another", nit.At(nit.L1)))
	_, err = now.Do(t.Context(), "a", "")
	assert.Equal(t, nit.ErrUnknown, err, "not the tool that the view was made with")
}

func TestEachModeHasItsDescription(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "read_owner_memory", "m", nit.At(nit.L2), nit.In(nit.ModePersona, "寻找灵感"), nit.In("host", "host's")),
		say(t, "notify_master", "n", nit.At(nit.L1), nit.Only(nit.ModePersona)))
	descriptions := func(mode string) (ds []string) {
		for _, tool := range r.View(nit.Principal{Mode: mode, Sees: nit.L1 | nit.L2}).Tools() {
			ds = append(ds, tool.Function.Description)
		}
		return ds
	}
	assert.Equal(t, []string{"about notify_master", "寻找灵感"}, descriptions(nit.ModePersona))
	assert.Equal(t, []string{"about read_owner_memory"}, descriptions(nit.ModeAgent))
	assert.Equal(t, []string{"host's"}, descriptions("host"))
	assert.Empty(t, descriptions("other"))
}

func TestTheListIsTheCallers(t *testing.T) {
	var r nit.Registry
	add(t, &r, say(t, "a", "A", nit.At(nit.L1)), say(t, "b", "B", nit.At(nit.L1)))
	v := r.View(persona)
	list := v.Tools()
	list[0], list = list[1], append(list, list[1])
	assert.Len(t, list, 3)
	assert.Equal(t, []string{"a", "b"}, names(v))
	assert.Equal(t, []string{"a", "b"}, names(r.View(persona)))
}

// TestViewsStayWholeWhileToolsChange: under concurrent change every view lists in order, and once Remove
// has returned no call reaches the tool.
func TestViewsStayWholeWhileToolsChange(t *testing.T) {
	r := nit.Registry{Limits: nit.Limits{Calls: -1}}
	var gone sync.Map // names for which Remove has returned
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("tool_%d_%d", w, i)
				tool, err := nit.Define(name, "d", func(context.Context, none) (string, error) { return name, nil }, nit.At(nit.L1))
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
				assert.Equal(t, nit.ErrUnknown, err)
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
						assert.Equal(t, nit.ErrUnknown, err)
					} else {
						assert.Equal(t, name, res.Text)
					}
				}
			}
		})
	}
	wg.Wait()
}
