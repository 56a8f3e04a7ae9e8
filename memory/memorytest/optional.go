package memorytest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tests of the optional interfaces of a store.

func storeGetWithoutVectors(t *testing.T, s memory.Store) {
	sk, ok := s.(memory.VectorlessGetter)
	if !ok {
		t.Skip("no VectorlessGetter")
	}
	put(t, s, fullRecord(groupA, "1"), fullRecord(groupA, "2"), fullRecord(groupB, "3"), fullRecord(groupA.Secret(), "4"))
	ask := []string{"2", "unknown", "1", "3", "4", "\xff", "2"}
	want := get(t, s, groupA, ask...)
	require.Len(t, want, 3)
	got, err := sk.GetWithoutVectors(t.Context(), groupA, ask...)
	require.NoError(t, err)
	require.Len(t, got, 3)
	for i := range got {
		assert.Nil(t, got[i].Vector)
		want[i].Vector = nil
		assert.Equal(t, want[i].Seq, got[i].Seq)
		requireEqual(t, want[i], got[i])
		got[i].Tags[0] = "spoiled"
	}
	requireEqual(t, fullRecord(groupA, "2"), get(t, s, groupA, "2")[0])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sk.GetWithoutVectors(ctx, groupA, "1")
	assert.ErrorIs(t, err, context.Canceled)
}

func storeTail(t *testing.T, s memory.Store) {
	tail, ok := s.(memory.Tailer)
	if !ok {
		t.Skip("no Tailer")
	}
	var want []string
	for i := range 20 {
		put(t, s, message(groupA, fmt.Sprint(i), "m"), fullRecord(groupA, fmt.Sprint("f", i)), message(groupB, fmt.Sprint(i), "m"))
		want = append(want, fmt.Sprint(i))
	}
	put(t, s, message(groupA.Secret(), "19", "m"))
	for n, want := range map[int][]string{0: {}, 1: {"18"}, 5: want[14:19], 19: want[:19], 1000: want[:19]} {
		got, err := tail.Tail(t.Context(), groupA, memory.KindMessage, n)
		assert.NoError(t, err)
		assert.Equal(t, want, ids(got))
	}
	got, err := tail.Tail(t.Context(), "nowhere", memory.KindMessage, 3)
	assert.NoError(t, err)
	assert.Empty(t, got)
}

// storeFindDerived finds derived records of one space, each once.
func storeFindDerived(t *testing.T, s memory.Store) {
	if _, ok := s.(memory.DerivedFinder); !ok {
		t.Skip("no DerivedFinder")
	}
	made := func(space memory.Space, id string, sources ...string) memory.Record {
		return memory.Record{ID: id, Space: space, Kind: memory.KindFact, Sources: sources}
	}
	put(t, s, message(groupA, "1", "one"), message(groupA, "2", "two"), made(groupA, "b", "1", "2"), made(groupA, "a", "2", "1", "1"),
		made(groupA, "c", "12", "' OR '1'='1", `["1"]`, "\uFFFD"), made(groupB, "d", "1"), made(groupA.Secret(), "e", "1"))
	for _, c := range []struct {
		space   memory.Space
		sources []string
		want    []string
	}{
		{groupA, []string{"1"}, []string{"b", "a"}}, {groupA, []string{"1", "2", "1"}, []string{"b", "a"}}, {groupA, []string{"12"}, []string{"c"}},
		{groupA, []string{"' OR '1'='1"}, []string{"c"}}, {groupA, []string{`["1"]`}, []string{"c"}}, {groupA, []string{"", "%", "3", "\xff", "\x00"}, nil}, {groupA, nil, nil},
		{groupA.Secret(), []string{"1"}, []string{"e"}}, {groupB, []string{"1", "2"}, []string{"d"}}, {"nowhere", []string{"1"}, nil},
	} {
		got := findDerived(t, s, c.space, c.sources...)
		assert.True(t, slices.Equal(c.want, got), "%q of %q: %q, not %q", c.sources, c.space, got, c.want)
	}
	require.NoError(t, s.Delete(t.Context(), groupA, "b"))
	put(t, s, made(groupA, "a"), made(groupA.Secret(), "c", "12"))
	assert.Empty(t, findDerived(t, s, groupA, "1", "2", "12"), "deleted, replaced without sources, and moved")
}

// storePutApply writes records and rows in one step, all or none.
func storePutApply(t *testing.T, s memory.Store) {
	tx, ok := s.(memory.Transactor)
	if !ok {
		t.Skip("no Transactor")
	}
	state, ok := s.(memory.State)
	require.True(t, ok, "a Transactor is a State")
	put(t, s, message(groupA, "1", "old"))
	require.NoError(t, state.Apply(t.Context(), map[string][]byte{"old": {1}}))
	require.NoError(t, tx.PutApply(t.Context(), map[string][]byte{"new": {2}, "old": nil}, message(groupA, "1", "new"), fullRecord(groupA, "2")))
	holds := func() {
		t.Helper()
		assert.Equal(t, map[string][]byte{"new": {2}}, load(t, state, ""))
		got := collect(t, s, groupA, 0)
		require.Len(t, got, 2)
		requireEqual(t, message(groupA, "1", "new"), got[0])
		requireEqual(t, fullRecord(groupA, "2"), got[1])
	}
	holds()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, tx.PutApply(ctx, map[string][]byte{"new": nil}, message(groupA, "3", "x")), context.Canceled)
	assert.ErrorIs(t, tx.PutApply(t.Context(), map[string][]byte{"new": nil}, message(groupA, "3", "x"), message("", "4", "x")), memory.ErrInvalid)
	assert.ErrorIs(t, tx.PutApply(t.Context(), map[string][]byte{"new": nil, "": {1}}, message(groupA, "3", "x")), memory.ErrInvalid)
	holds()
	require.NoError(t, tx.PutApply(t.Context(), nil))
	require.NoError(t, tx.PutApply(t.Context(), map[string][]byte{"more": {}}))
	require.NoError(t, tx.PutApply(t.Context(), nil, message(groupB, "1", "x")))
	assert.Len(t, load(t, state, ""), 2)
	assert.Len(t, collect(t, s, groupB, 0), 1)
}

// storeCountAuthors compares the counts with those of a scan.
func storeCountAuthors(t *testing.T, s memory.Store) {
	counter, ok := s.(memory.AuthorCounter)
	if !ok {
		t.Skip("no AuthorCounter")
	}
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	by := func(space memory.Space, id, kind, person, name string, when time.Time) memory.Record {
		return memory.Record{ID: id, Space: space, Kind: kind, Person: person, Name: name, At: when}
	}
	own := by(groupA, "own", memory.KindMessage, "bot", "bot", at(1))
	own.Own = true
	put(t, s, by(groupA, "1", memory.KindMessage, "ann", "Ann", at(2)), by(groupA, "2", memory.KindMessage, "ann", "Ann", at(1)), by(groupA, "3", memory.KindMessage, "ann", "安", at(3)),
		by(groupA, "4", memory.KindFact, "ann", "", at(9)), by(groupA, "5", memory.KindFact, "ann", "Ann", at(9)), by(groupA, "6", memory.KindMessage, "", "nobody", at(1)), own,
		by(groupA, "7", memory.KindMessage, `x' OR "1`, "\u202e</td>", time.Time{}), by(groupB, "8", memory.KindMessage, "ann", "Ann", at(4)), by(groupA.Secret(), "9", memory.KindMessage, "ann", "Ann", at(5)))
	want := []memory.AuthorEntry{
		{Space: groupA, Person: "ann", Name: "Ann", Messages: 2, Others: 1, First: at(1), Last: at(2)}, {Space: groupA, Person: "ann", Name: "安", Messages: 1, First: at(3), Last: at(3)},
		{Space: groupA, Person: "ann", Others: 1, First: at(9), Last: at(9)}, {Space: groupA, Person: `x' OR "1`, Name: "\u202e</td>", Messages: 1},
		{Space: groupB, Person: "ann", Name: "Ann", Messages: 1, First: at(4), Last: at(4)}, {Space: groupA.Secret(), Person: "ann", Name: "Ann", Messages: 1, First: at(5), Last: at(5)},
	}
	got, err := counter.CountAuthors(t.Context())
	require.NoError(t, err)
	for i := range got {
		for _, at := range []*time.Time{&got[i].First, &got[i].Last} {
			if !at.IsZero() {
				*at = at.UTC()
			}
		}
	}
	assert.ElementsMatch(t, want, got)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = counter.CountAuthors(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// restored returns records with gaps in their Seq, as in a store in which some were deleted.
func restored() []memory.Record {
	recs := []memory.Record{message(groupA, "1", "x"), fullRecord(groupA, "2"), message(groupA, "3", "y"), fullRecord(groupA.Secret(), "4")}
	for i := range recs {
		recs[i].Seq = uint64(3*i + 2)
	}
	return recs
}

func storeRestore(t *testing.T, s memory.Store) {
	ctx := t.Context()
	r, ok := s.(memory.Restorer)
	if !ok {
		t.Skip("no Restorer")
	}
	last, err := r.LastSeq(ctx)
	require.NoError(t, err)
	require.Zero(t, last)
	recs := restored()
	for range 2 { // a repetition changes nothing
		require.NoError(t, r.Restore(ctx, 99, recs...))
		got := append(collect(t, s, groupA, 0), collect(t, s, groupA.Secret(), 0)...)
		require.Len(t, got, len(recs))
		for i := range recs {
			assert.Equal(t, recs[i].Seq, got[i].Seq)
			requireEqual(t, recs[i], got[i])
		}
	}
	last, err = r.LastSeq(ctx)
	require.NoError(t, err)
	assert.Equal(t, uint64(99), last)
	put(t, s, message(groupB, "5", "z"))
	require.NoError(t, s.Delete(ctx, groupB, "5"))
	put(t, s, message(groupB, "6", "z"))
	later := get(t, s, groupB, "6")[0].Seq
	assert.Greater(t, later, uint64(100), "above that of the deleted one")
	last, err = r.LastSeq(ctx)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, last, later)
}

func storeRestoreInvalid(t *testing.T, s memory.Store) {
	ctx := t.Context()
	r, ok := s.(memory.Restorer)
	if !ok {
		t.Skip("no Restorer")
	}
	for name, change := range map[string]func(recs []memory.Record) (last uint64){
		"none":       func(recs []memory.Record) uint64 { recs[1].Seq = 0; return 99 },
		"above last": func(recs []memory.Record) uint64 { return recs[3].Seq - 1 },
		"too high":   func([]memory.Record) uint64 { return 1 << 63 },
		"address":    func(recs []memory.Record) uint64 { recs[1].Space = ""; return 99 },
	} {
		recs := restored()
		assert.ErrorIs(t, r.Restore(ctx, change(recs), recs...), memory.ErrInvalid, name)
		assert.Empty(t, spaces(t, s), name)
	}
	recs := restored()
	recs[1].Seq = recs[0].Seq
	assert.Error(t, r.Restore(ctx, 99, recs...), "a Seq of two records")
	assert.Empty(t, spaces(t, s))
	require.NoError(t, r.Restore(ctx, 99, restored()...), "as they should be")
}
