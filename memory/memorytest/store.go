package memorytest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStore checks an implementation of [memory.Store]. It also checks [memory.VectorlessGetter], [memory.Tailer],
// [memory.DerivedFinder], [memory.AuthorCounter], [memory.Transactor] and [memory.Restorer] if the store implements them.
func TestStore(t *testing.T, open func(t *testing.T) memory.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, memory.Store)
	}{
		{"Empty", storeEmpty}, {"EveryField", storeEveryField}, {"Order", storeOrder}, {"PutAgain", storePutAgain},
		{"AllOrNone", storeAllOrNone}, {"Counterparts", storeCounterparts}, {"Delete", storeDelete}, {"Spaces", storeSpaces},
		{"UnusualStrings", storeUnusualStrings}, {"InvalidAddress", storeInvalidAddress}, {"Copies", storeCopies}, {"ScanWhileWriting", storeScanWhileWriting}, {"Stop", storeStop},
		{"Cancelled", storeCancelled}, {"GetWithoutVectors", storeGetWithoutVectors}, {"Tail", storeTail}, {"FindDerived", storeFindDerived}, {"CountAuthors", storeCountAuthors}, {"PutApply", storePutApply}, {"Restore", storeRestore}, {"RestoreInvalid", storeRestoreInvalid}, {"Model", storeModel}, {"Race", storeRace}, {"Moves", storeMoves},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func storeEmpty(t *testing.T, s memory.Store) {
	ctx := t.Context()
	assert.NoError(t, s.Put(ctx))
	assert.NoError(t, s.Delete(ctx, groupA))
	assert.NoError(t, s.Delete(ctx, groupA, "nobody"))
	assert.Empty(t, collect(t, s, groupA, 0))
	assert.Empty(t, get(t, s, groupA, "nobody"))
	assert.Empty(t, spaces(t, s))
}

func storeEveryField(t *testing.T, s memory.Store) {
	want := []memory.Record{fullRecord(groupA, "1"), {ID: "2", Space: groupA, Kind: memory.KindMessage}}
	put(t, s, want...)
	got := get(t, s, groupA, "2", "unknown", "1")
	require.Len(t, got, 2)
	requireEqual(t, want[0], got[1])
	requireEqual(t, want[1], got[0])
	assert.True(t, got[0].At.IsZero(), "an unknown time stays unknown")
	scanned := collect(t, s, groupA, 0)
	require.Len(t, scanned, 2)
	requireEqual(t, want[0], scanned[0])
	requireEqual(t, want[1], scanned[1])
}

func storeOrder(t *testing.T, s memory.Store) {
	var want []string
	for i := range 600 { // more than a page
		id := fmt.Sprint(999 - i)
		want = append(want, id)
		r := message(groupA, id, "x")
		r.At = day.Add(-time.Duration(i) * time.Hour) // the order is by arrival, not by time
		r.Vector = nil
		put(t, s, r, message(groupB, id, "y"))
	}
	got := collect(t, s, groupA, 0)
	assert.Equal(t, want, ids(got))
	for i := 1; i < len(got); i++ {
		require.Greater(t, got[i].Seq, got[i-1].Seq)
	}
	assert.Equal(t, want[300:], ids(collect(t, s, groupA, got[299].Seq)))
	assert.Empty(t, collect(t, s, groupA, got[599].Seq))
	for _, beyond := range []uint64{math.MaxInt64, 1 << 63, math.MaxUint64} {
		assert.Empty(t, collect(t, s, groupA, beyond))
	}
}

func storePutAgain(t *testing.T, s memory.Store) {
	put(t, s, message(groupA, "1", "one"), message(groupA, "2", "two"), message(groupB, "1", "other"))
	before := collect(t, s, groupA, 0)
	put(t, s, message(groupA, "1", "one"))
	assert.Equal(t, before, collect(t, s, groupA, 0), "the same record again changes nothing")
	put(t, s, message(groupA, "1", "draft"), fullRecord(groupA, "1"))
	after := collect(t, s, groupA, 0)
	require.Equal(t, []string{"1", "2"}, ids(after), "a replaced record keeps its place")
	requireEqual(t, fullRecord(groupA, "1"), after[0])
	assert.Equal(t, before[0].Seq, after[0].Seq)
	assert.Equal(t, "other", collect(t, s, groupB, 0)[0].Text, "an ID belongs to its space")
}

func storeAllOrNone(t *testing.T, s memory.Store) {
	put(t, s, message(groupA, "1", "one"))
	before := collect(t, s, groupA, 0)
	bad := map[string]struct {
		change func(*memory.Record)
		want   error
	}{
		"no ID":             {func(r *memory.Record) { r.ID = "" }, memory.ErrInvalid},
		"no space":          {func(r *memory.Record) { r.Space = "" }, memory.ErrInvalid},
		"only secrecy":      {func(r *memory.Record) { r.Space = "!" }, memory.ErrInvalid},
		"secret twice":      {func(r *memory.Record) { r.Space = "a!!" }, memory.ErrInvalid},
		"NUL in ID":         {func(r *memory.Record) { r.ID = "a\x00b" }, memory.ErrInvalid},
		"NUL in space":      {func(r *memory.Record) { r.Space = "qq:group:1\x00" }, memory.ErrInvalid},
		"broken ID":         {func(r *memory.Record) { r.ID = "\xff" }, memory.ErrInvalid},
		"ID of 1 MB":        {func(r *memory.Record) { r.ID = strings.Repeat("x", 1<<20) }, memory.ErrInvalid},
		"broken text":       {func(r *memory.Record) { r.Text = "a\xffb" }, memory.ErrInvalid},
		"NUL in text":       {func(r *memory.Record) { r.Text = "a\x00b" }, memory.ErrInvalid},
		"text of 10 MB":     {func(r *memory.Record) { r.Text = strings.Repeat("x", 10<<20) }, memory.ErrTooLong},
		"NaN":               {func(r *memory.Record) { r.Vector = []float32{float32(math.NaN())} }, memory.ErrVector},
		"infinite":          {func(r *memory.Record) { r.Vector = []float32{1, float32(math.Inf(1))} }, memory.ErrVector},
		"zero vector":       {func(r *memory.Record) { r.Vector = make([]float32, 8) }, memory.ErrVector},
		"empty vector":      {func(r *memory.Record) { r.Vector = []float32{} }, memory.ErrVector},
		"importance":        {func(r *memory.Record) { r.Importance = 1.5 }, memory.ErrInvalid},
		"importance NaN":    {func(r *memory.Record) { r.Importance = math.NaN() }, memory.ErrInvalid},
		"before all clocks": {func(r *memory.Record) { r.At = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC) }, memory.ErrInvalid},
		"after all clocks":  {func(r *memory.Record) { r.At = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }, memory.ErrInvalid},
	}
	for name, c := range bad {
		t.Run(name, func(t *testing.T) {
			r := message(groupA, "3", "three")
			c.change(&r)
			err := s.Put(t.Context(), message(groupA, "1", "changed"), message(groupA, "2", "two"), r)
			assert.ErrorIs(t, err, c.want)
			assert.Equal(t, before, collect(t, s, groupA, 0))
		})
	}
}

func storeCounterparts(t *testing.T, s memory.Store) {
	ctx := t.Context()
	put(t, s, message(groupA, "1", "one"), message(groupA, "2", "two"), message(groupA, "3", "three"))
	before := collect(t, s, groupA, 0)
	secret := message(groupA.Secret(), "2", "two, secretly")
	put(t, s, secret)
	assert.Equal(t, []string{"1", "3"}, ids(collect(t, s, groupA, 0)), "it moved")
	got := collect(t, s, groupA.Secret(), 0)
	require.Equal(t, []string{"2"}, ids(got))
	requireEqual(t, secret, got[0])
	assert.Empty(t, get(t, s, groupA, "2"))
	assert.NoError(t, s.Delete(ctx, groupA, "2"), "it is in the counterpart")
	assert.Len(t, collect(t, s, groupA.Secret(), 0), 1, "deleting from a space does not affect the counterpart")
	put(t, s, message(groupA, "2", "two"))
	assert.Equal(t, before, collect(t, s, groupA, 0), "back in its place")
	assert.Empty(t, collect(t, s, groupA.Secret(), 0))

	// In one call, each goes to its own space. If one is put into both, the last one counts.
	put(t, s, message(groupB, "1", ""), message(groupB.Secret(), "2", ""), message(groupB, "3", ""), message(groupB.Secret(), "3", ""),
		message(groupB.Secret(), "4", ""), message(groupB, "4", ""))
	assert.Equal(t, []string{"1", "4"}, ids(collect(t, s, groupB, 0)))
	assert.Equal(t, []string{"2", "3"}, ids(collect(t, s, groupB.Secret(), 0)))
}

func storeDelete(t *testing.T, s memory.Store) {
	ctx := t.Context()
	for _, space := range []memory.Space{groupA, groupB} {
		put(t, s, message(space, "1", "one"), message(space, "2", "two"), message(space, "3", "three"))
	}
	last := collect(t, s, groupB, 0)[2].Seq
	require.NoError(t, s.Delete(ctx, groupA))
	assert.Len(t, collect(t, s, groupA, 0), 3, "without IDs nothing is deleted")
	require.NoError(t, s.Delete(ctx, groupA, "1", "3", "unknown", "1"))
	assert.Equal(t, []string{"2"}, ids(collect(t, s, groupA, 0)))
	assert.Equal(t, []string{"1", "2", "3"}, ids(collect(t, s, groupB, 0)))
	require.NoError(t, s.Delete(ctx, groupB, "3"))
	put(t, s, message(groupB, "4", "four"))
	assert.Greater(t, collect(t, s, groupB, 0)[2].Seq, last, "a Seq is never reused")
}

func storeSpaces(t *testing.T, s memory.Store) {
	put(t, s, message(groupB, "1", ""), message(groupA.Secret(), "1", ""), message(memory.Owner, "1", ""), message(memory.Owner, "2", ""))
	assert.Equal(t, []memory.Space{memory.Owner, groupA.Secret(), groupB}, spaces(t, s))
	require.NoError(t, s.Delete(t.Context(), groupB, "1"))
	assert.Equal(t, []memory.Space{memory.Owner, groupA.Secret()}, spaces(t, s), "an empty space is not listed")
}

// storeUnusualStrings stores a canary under every unusual address and finds each one at its own address only.
func storeUnusualStrings(t *testing.T, s memory.Store) {
	spaceOf := func(o string) memory.Space { return memory.Space("s:" + o + ":") }
	for i, o := range unusualStrings {
		put(t, s, memory.Record{ID: o, Space: spaceOf(o), Kind: o, Person: o, Name: o, ReplyTo: o, Tags: []string{o}, Sources: []string{o},
			Text: fmt.Sprintf("canary %d %s", i, o), Embedder: o})
	}
	big := message(groupA, "big", strings.Repeat("大", 1<<20/3))
	put(t, s, big)
	for i, o := range unusualStrings {
		want := fmt.Sprintf("canary %d %s", i, o)
		got := collect(t, s, spaceOf(o), 0)
		if assert.Len(t, got, 1, "%q", o) {
			assert.Equal(t, want, got[0].Text)
			assert.Equal(t, []string{o, o, o, o, o, o, o}, []string{got[0].ID, got[0].Kind, got[0].Person, got[0].Name, got[0].ReplyTo, got[0].Tags[0], got[0].Sources[0]})
		}
		assert.Equal(t, []string{o}, ids(get(t, s, spaceOf(o), append(append([]string{""}, unusualStrings...), "canary")...)))
		assert.Empty(t, get(t, s, memory.Space(o), unusualStrings...), "spaces are compared exactly")
	}
	require.NoError(t, s.Delete(t.Context(), spaceOf("%"), unusualStrings...))
	assert.Len(t, spaces(t, s), len(unusualStrings))
	recs := get(t, s, groupA, "big")
	require.Len(t, recs, 1)
	requireEqual(t, big, recs[0])
}

// storeInvalidAddress reads and deletes with invalid addresses. Nothing is found or deleted, and no address is repaired
// into a valid one.
func storeInvalidAddress(t *testing.T, s memory.Store) {
	ctx := t.Context()
	made := fullRecord(groupA, "2")
	made.Sources = []string{"1"}
	mended := made
	mended.ID, mended.Sources = "\uFFFD", []string{"\uFFFD"} // a common repair of \xff
	put(t, s, fullRecord(groupA, "1"), made, mended)
	before := collect(t, s, groupA, 0)
	var ids []string
	for _, o := range invalidAddresses {
		ids = append(ids, o, "1"+o)
		for _, space := range []memory.Space{memory.Space(o), groupA + memory.Space(o)} {
			if space == groupA {
				continue
			}
			assert.Empty(t, get(t, s, space, "1", "2"), "%.20q", space)
			assert.Empty(t, collect(t, s, space, 0), "%.20q", space)
			assert.NoError(t, s.Delete(ctx, space, "1", "2"))
			if tail, ok := s.(memory.Tailer); ok {
				recs, err := tail.Tail(ctx, space, memory.KindFact, 9)
				assert.NoError(t, err)
				assert.Empty(t, recs)
			}
			assert.Empty(t, findDerived(t, s, space, "1"))
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "1" })
	assert.Empty(t, get(t, s, groupA, ids...))
	assert.Empty(t, findDerived(t, s, groupA, ids...))
	assert.NoError(t, s.Delete(ctx, groupA, ids...))
	assert.Equal(t, before, collect(t, s, groupA, 0))
}

func storeCopies(t *testing.T, s memory.Store) {
	r := fullRecord(groupA, "1")
	put(t, s, r)
	spoil := func(r memory.Record) { r.Tags[0], r.Sources[0], r.Vector[0] = "spoiled", "spoiled", 99 }
	spoil(r)
	got := get(t, s, groupA, "1")
	requireEqual(t, fullRecord(groupA, "1"), got[0])
	spoil(got[0])
	scanned := collect(t, s, groupA, 0)
	requireEqual(t, fullRecord(groupA, "1"), scanned[0])
	spoil(scanned[0])
	requireEqual(t, fullRecord(groupA, "1"), collect(t, s, groupA, 0)[0])
}

func storeScanWhileWriting(t *testing.T, s memory.Store) {
	var recs []memory.Record
	for i := range 700 {
		recs = append(recs, memory.Record{ID: fmt.Sprint(i), Space: groupA, Kind: memory.KindMessage})
	}
	put(t, s, recs...)
	seen := 0
	for r, err := range s.Scan(t.Context(), groupA, 0) { // the loop may call the store
		require.NoError(t, err)
		if seen++; seen%100 == 0 {
			require.NoError(t, s.Delete(t.Context(), groupA, r.ID))
			put(t, s, memory.Record{ID: "x" + r.ID, Space: groupB, Kind: memory.KindMessage})
		}
		if seen == 350 {
			for range s.Scan(t.Context(), groupA, r.Seq) {
			}
		}
	}
	assert.Equal(t, 700, seen)
	assert.Len(t, collect(t, s, groupA, 0), 693)
}

func storeStop(t *testing.T, s memory.Store) {
	put(t, s, message(groupA, "1", "one"), message(groupA, "2", "two"))
	for range 50 { // a scan that ends early must release its resources
		for r := range s.Scan(t.Context(), groupA, 0) {
			assert.Equal(t, "1", r.ID)
			break
		}
	}
	put(t, s, message(groupA, "3", "three"))
}

func storeCancelled(t *testing.T, s memory.Store) {
	put(t, s, message(groupA, "1", "one"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Put(ctx, message(groupA, "2", "two")), context.Canceled)
	assert.ErrorIs(t, s.Delete(ctx, groupA, "1"), context.Canceled)
	var last error
	for _, err := range s.Scan(ctx, groupA, 0) {
		last = err
	}
	assert.ErrorIs(t, last, context.Canceled)
	assert.Equal(t, []string{"1"}, ids(collect(t, s, groupA, 0)))
}

func storeRace(t *testing.T, s memory.Store) {
	const writers, each = 4, 40
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			own := memory.Space(fmt.Sprint("w", w))
			for i := range each {
				assert.NoError(t, s.Put(t.Context(), message(own, fmt.Sprint(i), textOf(own)), message(groupA, fmt.Sprint(w, "-", i), "shared")))
				if i%4 == 3 {
					assert.NoError(t, s.Delete(t.Context(), own, fmt.Sprint(i-1)))
				}
				for r, err := range s.Scan(t.Context(), own, 0) {
					assert.NoError(t, err)
					assert.Equal(t, textOf(own), r.Text, "a record of another space")
				}
				_, err := s.Spaces(t.Context())
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Len(t, collect(t, s, groupA, 0), writers*each)
	for w := range writers {
		assert.Len(t, collect(t, s, memory.Space(fmt.Sprint("w", w)), 0), each*3/4)
	}
}

func textOf(s memory.Space) string { return "of " + string(s) }
