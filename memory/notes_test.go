package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(notes []memory.Note) []string {
	out := []string{}
	for _, n := range notes {
		out = append(out, n.Name+"="+n.Text)
	}
	return out
}

// TestNotes_Lifetimes checks the lifetime of each kind of note, over a restart, too.
func TestNotes_Lifetimes(t *testing.T) {
	store, ctx := memory.NewMemStore(), t.Context()
	n := memorytest.New(t, store, memory.Options{}).Notes(group)
	require.NoError(t, n.SetInnerState(ctx, noon, "有点困"))
	require.NoError(t, n.SetSlot(ctx, noon, "b", "周五爬山"))
	require.NoError(t, n.SetSlot(ctx, noon, "a", "小明对花生过敏"))
	require.NoError(t, n.SetScratch(ctx, noon, "s1", "x", "一"))
	require.NoError(t, n.SetScratch(ctx, noon, "s1", "y", "二"))
	require.NoError(t, n.SetScratch(ctx, noon, "s10", "x", "别的"))

	n = memorytest.New(t, store, memory.Options{}).Notes(group)
	inner, err := n.InnerState(ctx)
	require.NoError(t, err)
	assert.Equal(t, memory.Note{Text: "有点困", At: noon, Label: memory.Untrusted(group)}, inner)
	scratch := func(now time.Time, session string) []string {
		notes, err := n.Scratch(ctx, now, session)
		require.NoError(t, err)
		return names(notes)
	}
	slots := func() []string {
		notes, err := n.Slots(ctx)
		require.NoError(t, err)
		return names(notes)
	}
	assert.Equal(t, []string{"a=小明对花生过敏", "b=周五爬山"}, slots())
	assert.Equal(t, []string{"x=一", "y=二"}, scratch(noon.Add(24*time.Hour), "s1"))
	assert.Equal(t, []string{"x=一", "y=二"}, scratch(noon.Add(-time.Hour), "s1"), "a clock that steps back expires nothing")
	assert.Empty(t, scratch(noon.Add(24*time.Hour+1), "s1"), "no write for a day")
	require.NoError(t, n.SetScratch(ctx, noon.Add(25*time.Hour), "s1", "z", "三"))
	assert.Equal(t, []string{"z=三"}, scratch(noon.Add(25*time.Hour), "s1"), "expired notes do not return")
	require.NoError(t, n.EndSession(ctx, "s1"))
	assert.Empty(t, scratch(noon, "s1"))
	assert.Equal(t, []string{"x=别的"}, scratch(noon, "s10"), "another session with the same prefix")

	require.NoError(t, n.SetSlot(ctx, noon, "b", " \n"))
	require.NoError(t, n.SetInnerState(ctx, noon, ""))
	assert.Equal(t, []string{"a=小明对花生过敏"}, slots())
	inner, err = n.InnerState(ctx)
	require.NoError(t, err)
	assert.Zero(t, inner)
}

// TestNotes_StayInTheirSpace writes a canary into every kind of note of unusual spaces and reads each in its own space
// only.
func TestNotes_StayInTheirSpace(t *testing.T) {
	m, ctx := memorytest.New(t, memory.NewMemStore(), memory.Options{}), t.Context()
	spaces := []memory.Space{"a", "a/b", "a%2Fb", "a/note", "a/note/slot", "a%", "b", "' OR '1'='1", memory.Self, "a!", "a/b!", "_", "%"}
	for i, s := range spaces {
		n := m.Notes(s)
		require.NoError(t, n.SetInnerState(ctx, noon, fmt.Sprint("canary", i)))
		for _, name := range []string{"x", "x/y", "%", "inner"} {
			require.NoError(t, n.SetSlot(ctx, noon, name, fmt.Sprint("canary", i)))
			require.NoError(t, n.SetScratch(ctx, noon, name, name, fmt.Sprint("canary", i)))
		}
	}
	require.NoError(t, m.SetConfig(ctx, "a/b", "canary"))
	for i, s := range spaces {
		n := m.Notes(s)
		inner, err := n.InnerState(ctx)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint("canary", i), inner.Text)
		slots, err := n.Slots(ctx)
		require.NoError(t, err)
		require.Len(t, slots, 4)
		for _, slot := range slots {
			assert.Equal(t, fmt.Sprint("canary", i), slot.Text)
			scratch, err := n.Scratch(ctx, noon, slot.Name)
			require.NoError(t, err)
			assert.Equal(t, []string{slot.Name + "=" + slot.Text}, names(scratch))
		}
	}
	config, err := m.Config(ctx)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a/b": "canary"}, config)
	require.NoError(t, m.SetConfig(ctx, "a/b", ""))
	config, err = m.Config(ctx)
	require.NoError(t, err)
	assert.Empty(t, config)
}

func TestNotes_Invalid(t *testing.T) {
	m, ctx := memorytest.New(t, memory.NewMemStore(), memory.Options{}), t.Context()
	n := m.Notes(group)
	for i := range memory.MaxSlots {
		require.NoError(t, n.SetSlot(ctx, noon, fmt.Sprint(i), "x"))
	}
	before, err := n.Slots(ctx)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		err, want error
	}{
		"one too many":      {n.SetSlot(ctx, noon, "more", "x"), memory.ErrTooMany},
		"too long":          {n.SetSlot(ctx, noon, "1", strings.Repeat("x", memory.MaxNote+1)), memory.ErrTooLong},
		"no name":           {n.SetSlot(ctx, noon, "", "x"), memory.ErrInvalid},
		"NUL":               {n.SetSlot(ctx, noon, "a\x00", "x"), memory.ErrInvalid},
		"name of 1 MB":      {n.SetSlot(ctx, noon, strings.Repeat("x", 1<<20), "x"), memory.ErrInvalid},
		"source":            {n.SetSlot(ctx, noon, "1", "x", "\xff"), memory.ErrInvalid},
		"no space":          {m.Notes("").SetInnerState(ctx, noon, "x"), memory.ErrInvalid},
		"secret twice":      {m.Notes("a!!").SetInnerState(ctx, noon, "x"), memory.ErrInvalid},
		"config, no name":   {m.SetConfig(ctx, "", "x"), memory.ErrInvalid},
		"config, long":      {m.SetConfig(ctx, "x", strings.Repeat("x", memory.MaxNote+1)), memory.ErrTooLong},
		"no state":          {memorytest.New(t, minimalStore{memory.NewMemStore()}, memory.Options{}).Notes(group).SetInnerState(ctx, noon, "x"), memory.ErrNoState},
		"session, no name":  {n.SetScratch(ctx, noon, "", "x", "x"), memory.ErrInvalid},
		"scratch, no space": {m.Notes("").EndSession(ctx, "x"), memory.ErrInvalid},
	} {
		assert.ErrorIs(t, c.err, c.want, name)
	}
	after, err := n.Slots(ctx)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	assert.NoError(t, n.SetSlot(ctx, noon, "5", "改了"), "an existing note can be changed")
	_, err = m.Notes("").Slots(ctx)
	assert.ErrorIs(t, err, memory.ErrInvalid)
}

func TestNotes_CompareAndSwapInnerState(t *testing.T) {
	ctx := t.Context()
	n := memorytest.New(t, memory.NewMemStore(), memory.Options{}).Notes(group)
	swapped, err := n.CompareAndSwapInnerState(ctx, noon, memory.Note{}, "第一次", "m1")
	require.NoError(t, err)
	assert.True(t, swapped, "there was none")
	first, err := n.InnerState(ctx)
	require.NoError(t, err)
	assert.Equal(t, memory.Note{Text: "第一次", At: noon, Sources: []string{"m1"}, Label: memory.Untrusted(group)}, first)
	require.NoError(t, n.SetInnerState(ctx, noon.Add(time.Minute), "别处"))
	swapped, err = n.CompareAndSwapInnerState(ctx, noon.Add(time.Hour), first, "第二次")
	require.NoError(t, err)
	assert.False(t, swapped, "it has changed")
	other, err := n.InnerState(ctx)
	require.NoError(t, err)
	assert.Equal(t, "别处", other.Text)
	swapped, err = n.CompareAndSwapInnerState(ctx, noon.Add(time.Hour), other, "")
	require.NoError(t, err)
	assert.True(t, swapped)
	none, err := n.InnerState(ctx)
	require.NoError(t, err)
	assert.Zero(t, none)
}

// TestNotes_SwapAfterDeletedSource: a text derived from messages that were deleted, hidden or changed is rejected.
func TestNotes_SwapAfterDeletedSource(t *testing.T) {
	ctx := t.Context()
	for name, meanwhile := range map[string]func(*memory.Memory) error{
		"forgotten": func(m *memory.Memory) error { return m.Delete(ctx, group, "2") },
		"hidden":    func(m *memory.Memory) error { return m.Hide(ctx, group, "2") },
		"changed":   func(m *memory.Memory) error { return m.Put(ctx, message(group, "2", "别的")) },
		"somebody": func(m *memory.Memory) error {
			_, err := m.ErasePerson(ctx, "10001", memory.EraseOptions{})
			return err
		},
		"": func(m *memory.Memory) error { return m.Put(ctx, message(group, "3", "又一句")) },
	} {
		m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
		n := m.Notes(group)
		mine := message(group, "1", "嗯")
		mine.Own, mine.Person = true, "10000"
		his := message(group, "2", "金丝雀")
		his.Person = "10001"
		require.NoError(t, m.Put(ctx, mine, his))
		from, err := m.Recent(ctx, group, 9)
		require.NoError(t, err)
		require.NoError(t, meanwhile(m))
		swapped, err := n.CompareAndSwapInnerStateFrom(ctx, noon, memory.Note{}, from, "想着金丝雀")
		require.NoError(t, err)
		assert.Equal(t, name == "", swapped, name)
		inner, err := n.InnerState(ctx)
		require.NoError(t, err)
		if name != "" {
			assert.Zero(t, inner, name)
			continue
		}
		assert.Equal(t, []string{"2"}, inner.Sources)

		// The next state takes over the sources of the old one until there are too many.
		_, err = n.CompareAndSwapInnerStateFrom(ctx, noon, inner, from, "还想着")
		require.NoError(t, err)
		next, err := n.InnerState(ctx)
		require.NoError(t, err)
		assert.Equal(t, []string{"2", "2"}, next.Sources)
		require.NoError(t, n.SetInnerState(ctx, noon, "想了很久", slices.Repeat([]string{"2"}, memory.MaxSources)...))
		worn, err := n.InnerState(ctx)
		require.NoError(t, err)
		require.True(t, worn.TooManySources())
		_, err = n.CompareAndSwapInnerStateFrom(ctx, noon, worn, from, "从头想")
		require.NoError(t, err)
		last, err := n.InnerState(ctx)
		require.NoError(t, err)
		assert.Equal(t, []string{"2"}, last.Sources)
	}
}
