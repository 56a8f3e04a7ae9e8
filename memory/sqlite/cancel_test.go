package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDB_CancelAtAnyTime cancels calls at random moments, even while SQLite begins. A failed call has no effect, and no
// transaction stays open.
func TestDB_CancelAtAnyTime(t *testing.T) {
	db := fresh(t)
	rng := rand.New(rand.NewPCG(1, 2))
	kept := map[string]bool{}
	for i := range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		r := said(i)
		after := time.Duration(rng.IntN(60)) * time.Microsecond
		go func() {
			for start := time.Now(); time.Since(start) < after; {
			}
			cancel()
		}()
		err := db.Put(ctx, r, memory.Record{ID: fmt.Sprint("x", i), Space: group.Secret()})
		if err == nil {
			kept[r.ID] = true
		} else {
			require.ErrorIs(t, err, context.Canceled)
		}
		cancel()
		require.NoError(t, db.Delete(t.Context(), group, "nobody"), "call %d: no open transaction", i)
	}
	got := all(t, db, group)
	for _, r := range got {
		assert.True(t, kept[r.ID], r.ID)
	}
	assert.Len(t, got, len(kept))
	assert.Len(t, all(t, db, group.Secret()), len(kept))
	t.Log(len(kept))
}

// cancelAfter is a context that is cancelled after a number of checks.
type cancelAfter struct {
	context.Context
	left int
}

func (f *cancelAfter) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestDB_CancelBetweenRecords: a long call stops between two records and then stores none of them.
func TestDB_CancelBetweenRecords(t *testing.T) {
	db := fresh(t)
	recs := []memory.Record{said(1), said(2), said(3)}
	for n := range 3 {
		assert.ErrorIs(t, db.Put(&cancelAfter{t.Context(), n}, recs...), context.Canceled, "cancelled after %d checks", n)
		assert.Empty(t, all(t, db, group))
	}
	require.NoError(t, db.Put(&cancelAfter{t.Context(), 99}, recs...))
	assert.Len(t, all(t, db, group), 3)
}
