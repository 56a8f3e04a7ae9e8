package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const minute = time.Minute

func TestDB_Lease(t *testing.T) {
	ctx := t.Context()
	o := options(t)
	a, b := open(t, o), open(t, o)
	_, err := a.Lease(ctx, "")
	require.ErrorIs(t, err, memory.ErrNotFound)
	first, err := a.Claim(ctx, "", "process a", minute)
	require.NoError(t, err)
	assert.EqualValues(t, 1, first.Epoch)
	assert.InDelta(t, minute.Seconds(), first.Left.Seconds(), 20)
	for _, db := range []*postgres.DB{a, b} {
		_, err = db.Claim(ctx, "", "process b", minute)
		var held *postgres.HeldError
		require.ErrorAs(t, err, &held)
		assert.Equal(t, "process a", held.Lease.Owner)
	}
	other, err := b.Claim(ctx, "part 2", "process b", minute)
	require.NoError(t, err, "another part")
	assert.EqualValues(t, 1, other.Epoch)
	longer, err := a.Renew(ctx, first.Fence(), time.Hour)
	require.NoError(t, err)
	assert.Greater(t, longer.Left, minute)
	assert.Equal(t, first.Epoch, longer.Epoch)

	require.NoError(t, a.Release(ctx, first.Fence()))
	ended, err := b.Lease(ctx, "")
	require.NoError(t, err)
	assert.Zero(t, ended.Left)
	second, err := b.Claim(ctx, "", "process b", minute)
	require.NoError(t, err)
	assert.EqualValues(t, 2, second.Epoch)
	_, err = a.Renew(ctx, first.Fence(), minute)
	require.ErrorIs(t, err, postgres.ErrFenced)
	require.ErrorIs(t, a.Release(ctx, first.Fence()), postgres.ErrFenced)

	short, err := a.Claim(ctx, "short", "a", time.Millisecond)
	require.NoError(t, err)
	time.Sleep(5 * time.Millisecond)
	renewed, err := a.Renew(ctx, short.Fence(), time.Millisecond)
	require.NoError(t, err, "nobody has taken it")
	assert.Equal(t, short.Epoch, renewed.Epoch)
	time.Sleep(5 * time.Millisecond)
	_, err = b.Claim(ctx, "short", "b", minute)
	require.NoError(t, err, "it has ended")
}

// A process that has lost its lease commits nothing, with any kind of write, and reads on.
func TestDB_Fenced(t *testing.T) {
	ctx := t.Context()
	o := options(t)
	db := open(t, o)
	first, err := db.Claim(ctx, "", "a", minute)
	require.NoError(t, err)
	f := first.Fence()
	o.Fence = &f
	old := open(t, o)
	require.NoError(t, old.PutApply(ctx, map[string][]byte{"k": {1}}, said(1)))
	require.NoError(t, db.Release(ctx, first.Fence()))
	require.NoError(t, old.Put(ctx, said(2)), "nobody has claimed it")
	second, err := db.Claim(ctx, "", "b", minute)
	require.NoError(t, err)
	for name, err := range map[string]error{
		"put": old.Put(ctx, said(3)), "both": old.PutApply(ctx, map[string][]byte{"k": {2}}, said(3)), "apply": old.Apply(ctx, map[string][]byte{"k": {2}}),
		"delete": old.Delete(ctx, group, "1"), "the other handle": db.Fenced(first.Fence()).Put(ctx, said(3)), "never claimed": db.Fenced(postgres.Fence{Lease: "x", Epoch: 1}).Put(ctx, said(3)),
	} {
		assert.ErrorIs(t, err, postgres.ErrFenced, name)
	}
	assert.Len(t, all(t, old, group), 2)
	rows, err := old.Load(ctx, "")
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"k": {1}}, rows)
	fresh := db.Fenced(second.Fence())
	require.NoError(t, fresh.Put(ctx, said(3)))
	assert.Len(t, all(t, fresh, group), 3)
}

// Several processes claim by turns and write at once. No write of an epoch comes after a write of a later one.
func TestDB_FenceOrdersEpochs(t *testing.T) {
	ctx := context.Background()
	o := options(t)
	var wg sync.WaitGroup
	var claims, fenced atomic.Int64
	for range 3 {
		db := open(t, o)
		wg.Go(func() {
			for range 12 {
				l, err := db.Claim(ctx, "", "p", 3*time.Millisecond)
				if err != nil {
					var held *postgres.HeldError
					assert.ErrorAs(t, err, &held)
					time.Sleep(2 * time.Millisecond)
					continue
				}
				claims.Add(1)
				mine := db.Fenced(l.Fence())
				for i := range 20 {
					r := said(i)
					r.ID, r.Text = r.ID+"@"+string(rune('A'+l.Epoch)), string(rune('A'+l.Epoch))
					if err := mine.Put(ctx, r); err != nil {
						assert.ErrorIs(t, err, postgres.ErrFenced)
						fenced.Add(1)
						break
					}
				}
			}
		})
	}
	wg.Wait()
	last := ""
	for _, r := range all(t, open(t, o), group) {
		require.LessOrEqual(t, last, r.Text, "seq %d", r.Seq)
		last = r.Text
	}
	assert.Greater(t, claims.Load(), int64(1))
	t.Log(claims.Load(), fenced.Load())
}

// Leases lists what has not ended, of this being only.
func TestDB_Leases(t *testing.T) {
	ctx, db := t.Context(), open(t, options(t))
	_, err := open(t, options(t)).Claim(ctx, "of another", "p", time.Minute)
	require.NoError(t, err)
	for _, name := range []string{"b", "a", "ended"} {
		l, err := db.Claim(ctx, name, "owner of "+name, time.Minute)
		require.NoError(t, err)
		if name == "ended" {
			require.NoError(t, db.Release(ctx, l.Fence()))
		}
	}
	all, err := db.Leases(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2)
	for i, name := range []string{"a", "b"} {
		assert.Positive(t, all[i].Left)
		all[i].Left = 0
		assert.Equal(t, postgres.Lease{Name: name, Owner: "owner of " + name, Epoch: 1}, all[i])
	}
}
