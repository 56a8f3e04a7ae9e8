package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/postgres"
)

// A forgotten being has no row but those of its leases, others keep theirs, and a former owner cannot write.
func TestDB_Forget(t *testing.T) {
	ctx := t.Context()
	mine, theirs := options(t), options(t)
	var db *postgres.DB
	var lease postgres.Lease
	for _, o := range []postgres.Options{theirs, mine} {
		db = open(t, o)
		require.NoError(t, db.PutApply(ctx, map[string][]byte{"k": {1}}, said(1)))
		var err error
		lease, err = db.Claim(ctx, "", "p", minute)
		require.NoError(t, err)
	}
	var held *postgres.HeldError
	require.ErrorAs(t, db.Forget(ctx), &held)
	assert.Equal(t, "p", held.Lease.Owner)
	rows, err := db.Load(ctx, "")
	require.NoError(t, err)
	assert.Len(t, rows, 1, "nothing is deleted")

	require.NoError(t, db.Release(ctx, lease.Fence()))
	require.NoError(t, db.Forget(ctx))
	s := super(t)
	for _, table := range keyedTables(t) {
		here := count(t, s, "SELECT count(*) FROM hearth."+table+" WHERE being = $1", mine.Being)
		if table == "leases" {
			assert.Equal(t, 1, here, "the epochs stay")
			continue
		}
		assert.Zero(t, here, table)
		if table == "records" || table == "state" {
			assert.NotZero(t, count(t, s, "SELECT count(*) FROM hearth."+table+" WHERE being = $1", theirs.Being), table)
		}
	}
	assert.ErrorIs(t, db.Fenced(lease.Fence()).Put(ctx, said(2)), postgres.ErrFenced, "a former owner")
	again, err := db.Claim(ctx, "", "q", minute)
	require.NoError(t, err)
	assert.Greater(t, again.Epoch, lease.Epoch)
	require.NoError(t, db.Fenced(again.Fence()).Put(ctx, said(3)), "the being may begin again")
	require.NoError(t, db.Close())
	assert.ErrorIs(t, db.Forget(ctx), postgres.ErrClosed)
}
