package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Eight processes start at once with an empty database. One creates the tables, and all work.
func TestOpen_AtOnce(t *testing.T) {
	for range 3 {
		schema := unique("at once")
		var wg sync.WaitGroup
		for i := range 8 {
			o := options(t)
			o.Schema = schema
			if i%2 == 0 {
				o.Being = "the same"
			}
			wg.Go(func() {
				db, err := postgres.Open(t.Context(), o)
				if !assert.NoError(t, err) {
					return
				}
				assert.NoError(t, db.Put(t.Context(), said(i)))
				assert.NoError(t, db.Close())
			})
		}
		wg.Wait()
		s := super(t)
		assert.Equal(t, 1, count(t, s, fmt.Sprintf("SELECT count(*) FROM %q.versions", schema)))
		assert.Equal(t, 8, count(t, s, fmt.Sprintf("SELECT count(*) FROM %q.records", schema)))
	}
}

// Tables of a newer version are rejected and not changed.
func TestOpen_Newer(t *testing.T) {
	o := options(t)
	o.Schema = unique("newer")
	require.NoError(t, open(t, o).Put(t.Context(), said(1)))
	s := super(t)
	version := count(t, s, fmt.Sprintf("UPDATE %q.versions SET version = version + 1 RETURNING version", o.Schema))
	_, err := postgres.Open(t.Context(), o)
	require.ErrorIs(t, err, postgres.ErrNewerVersion)
	assert.ErrorContains(t, err, fmt.Sprintf("version %d, supported up to %d", version, version-1))
	assert.Equal(t, version, count(t, s, fmt.Sprintf("SELECT version FROM %q.versions", o.Schema)))
}

// A failing step leaves nothing behind, and Open succeeds later.
func TestOpen_AllOrNothing(t *testing.T) {
	o := options(t)
	o.Schema = unique("in the way")
	require.NoError(t, server.Exec(pgtest.Role, fmt.Sprintf("CREATE SCHEMA %q AUTHORIZATION %s", o.Schema, pgtest.Role), fmt.Sprintf("CREATE TABLE %q.state (x int)", o.Schema)))
	_, err := postgres.Open(t.Context(), o)
	require.ErrorContains(t, err, "state")
	s := super(t)
	assert.Equal(t, 1, count(t, s, "SELECT count(*) FROM pg_tables WHERE schemaname = $1", o.Schema))
	require.NoError(t, server.Exec(pgtest.Role, fmt.Sprintf("DROP TABLE %q.state", o.Schema)))
	require.NoError(t, open(t, o).Put(t.Context(), said(1)))
}

// A role without the right to create a schema uses one that it owns. In one that it does not own, the error says so.
func TestOpen_WithoutRights(t *testing.T) {
	o := options(t)
	guest := unique("guest")
	o.DSN, o.Schema = server.DSN(guest, pgtest.Role), unique("of guest")
	require.NoError(t, server.Exec(pgtest.Role, fmt.Sprintf("CREATE ROLE %q LOGIN", guest), fmt.Sprintf("CREATE SCHEMA %q AUTHORIZATION %q", o.Schema, guest)))
	require.NoError(t, open(t, o).Put(t.Context(), said(1)))
	o.Schema = unique("not of guest")
	_, err := postgres.Open(t.Context(), o)
	require.ErrorContains(t, err, "permission denied")
}

// Each table is keyed by the being, and row-level security holds for its owner, too.
func TestSchema_EveryTable(t *testing.T) {
	newSite(t, false, nil)
	s := super(t)
	require.Subset(t, keyedTables(t), []string{"inbox", "outbox"})
	for _, table := range keyedTables(t) {
		var enabled, forced bool
		var first string
		require.NoError(t, s.QueryRow(t.Context(), `SELECT c.relrowsecurity, c.relforcerowsecurity, a.attname FROM pg_class c
			JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
			WHERE c.oid = ('hearth.' || $1)::regclass`, table).Scan(&enabled, &forced, &first))
		assert.True(t, enabled && forced, table)
		assert.Equal(t, "being", first, table)
	}
}
