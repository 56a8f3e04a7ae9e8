package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pragma reads a setting of one connection.
func pragma(t *testing.T, c *sql.Conn, name string) (v string) {
	t.Helper()
	require.NoError(t, c.QueryRowContext(context.Background(), "PRAGMA "+name).Scan(&v))
	return v
}

// TestDB_SyncLevel reads the synchronous setting after each call: 1 for NORMAL and 2 for FULL, as set by the last
// commit.
func TestDB_SyncLevel(t *testing.T) {
	const normal, full = "1", "2"
	for _, sync := range []bool{false, true} {
		db, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{SyncMessages: sync})
		require.NoError(t, err)
		defer db.Close()
		ctx := t.Context()
		said := memory.Record{ID: "1", Space: "s", Kind: memory.KindMessage}
		secret, fact, summary, other := said, said, said, said
		secret.Space = "s!"
		fact.ID, fact.Kind = "2", memory.KindFact
		summary.ID, summary.Kind = "3", memory.KindSummary
		other.ID, other.Kind = "4", ""
		log := normal
		if sync {
			log = full
		}
		for _, c := range []struct {
			name string
			call func() error
			want string
		}{
			{"a message", func() error { return db.Put(ctx, said) }, log},
			{"a fact", func() error { return db.Put(ctx, fact) }, full},
			{"a message after it", func() error { return db.Put(ctx, said) }, log},
			{"a summary", func() error { return db.Put(ctx, summary) }, full},
			{"another kind", func() error { return db.Put(ctx, said, other) }, full},
			{"a message that becomes secret", func() error { return db.Put(ctx, secret) }, full},
			{"messages", func() error { return db.Put(ctx, said, said) }, log},
			{"state", func() error { return db.Apply(ctx, map[string][]byte{"k": {1}}) }, full},
			{"messages again", func() error { return db.Put(ctx, said) }, log},
			{"state that goes", func() error { return db.Apply(ctx, map[string][]byte{"k": nil}) }, full},
			{"one more", func() error { return db.Put(ctx, said) }, log},
			{"a deletion", func() error { return db.Delete(ctx, "s", "1") }, full},
		} {
			require.NoError(t, c.call(), c.name)
			assert.Equal(t, c.want, pragma(t, db.writer.c, "synchronous"), "%s, Sync %v", c.name, sync)
		}
		assert.Equal(t, "wal", pragma(t, db.writer.c, "journal_mode"))
		assert.Equal(t, "1", pragma(t, db.writer.c, "secure_delete"))
		assert.Equal(t, "1", pragma(t, db.writer.c, "fullfsync"))
		var readers []*sql.Conn
		for range maxReaders {
			c, err := db.readers.Conn(ctx)
			require.NoError(t, err)
			assert.Equal(t, "1", pragma(t, c, "query_only"))
			assert.Equal(t, "wal", pragma(t, c, "journal_mode"))
			readers = append(readers, c)
		}
		for _, c := range readers {
			require.NoError(t, c.Close())
		}
	}
}
