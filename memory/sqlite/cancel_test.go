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

// TestCancelledAnywhere cancels calls at random moments, also while SQLite begins. What gave an error has not happened, and nothing is left open.
func TestCancelledAnywhere(t *testing.T) {
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
		require.NoError(t, db.Delete(t.Context(), group, "nobody"), "call %d: nothing is left open", i)
	}
	got := all(t, db, group)
	for _, r := range got {
		assert.True(t, kept[r.ID], r.ID)
	}
	assert.Len(t, got, len(kept))
	assert.Len(t, all(t, db, group.Secret()), len(kept))
	t.Log(len(kept))
}

// fickle is cancelled once it has been asked so often.
type fickle struct {
	context.Context
	left int
}

func (f *fickle) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledBetween: a long call stops between two records, and then none of them is kept.
func TestCancelledBetween(t *testing.T) {
	db := fresh(t)
	recs := []memory.Record{said(1), said(2), said(3)}
	for n := range 3 {
		assert.ErrorIs(t, db.Put(&fickle{t.Context(), n}, recs...), context.Canceled, "asked %d times", n)
		assert.Empty(t, all(t, db, group))
	}
	require.NoError(t, db.Put(&fickle{t.Context(), 99}, recs...))
	assert.Len(t, all(t, db, group), 3)
}
