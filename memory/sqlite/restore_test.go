package sqlite_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Restored records keep their Seq, and later ones come after them, also after a deleted last one.
func TestRestore(t *testing.T) {
	ctx, from, to := t.Context(), fresh(t), fresh(t)
	last, err := from.LastSeq(ctx)
	require.NoError(t, err)
	require.Zero(t, last)
	for i := range 9 {
		require.NoError(t, from.Put(ctx, said(i)))
	}
	moved := said(3)
	moved.Space = group.Secret()
	require.NoError(t, from.Put(ctx, moved))
	require.NoError(t, from.Delete(ctx, group, said(5).ID, said(8).ID))
	last, err = from.LastSeq(ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, last, uint64(9))

	all := func(s memory.Store) (recs []memory.Record) {
		for _, space := range []memory.Space{group, group.Secret()} {
			for r, err := range s.Scan(ctx, space, 0) {
				require.NoError(t, err)
				recs = append(recs, r)
			}
		}
		return recs
	}
	want := all(from)
	require.Len(t, want, 7)
	for range 2 { // a repetition changes nothing
		require.NoError(t, to.Restore(ctx, last, want...))
		require.Equal(t, want, all(to))
	}
	got, err := to.LastSeq(ctx)
	require.NoError(t, err)
	assert.Equal(t, last, got)
	require.NoError(t, to.Put(ctx, said(20)))
	recs, err := to.Get(ctx, group, said(20).ID)
	require.NoError(t, err)
	assert.Greater(t, recs[0].Seq, last)
}

// An invalid Seq stores nothing, nor does one that another record has.
func TestRestore_Invalid(t *testing.T) {
	ctx, db := t.Context(), fresh(t)
	with := func(id int, seq uint64) memory.Record {
		r := said(id)
		r.Seq = seq
		return r
	}
	require.ErrorIs(t, db.Restore(ctx, 9, with(1, 1), with(2, 0)), memory.ErrInvalid)
	require.ErrorIs(t, db.Restore(ctx, 9, with(1, 1), with(2, 10)), memory.ErrInvalid)
	require.ErrorIs(t, db.Restore(ctx, 1<<63, with(1, 1)), memory.ErrInvalid)
	require.Error(t, db.Restore(ctx, 9, with(1, 1), with(2, 1)))
	spaces, err := db.Spaces(ctx)
	require.NoError(t, err)
	assert.Empty(t, spaces)
	require.NoError(t, db.Restore(ctx, 9, with(1, 1), with(2, 2)), "a right one")
}
