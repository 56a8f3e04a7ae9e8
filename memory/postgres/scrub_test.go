package postgres_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// found counts the files of tables and indexes with these bytes.
func found(t *testing.T, canary string) (n int) {
	t.Helper()
	require.NoError(t, server.Exec(pgtest.Role, "CHECKPOINT")) // writes all pages, and removes old files
	require.NoError(t, filepath.WalkDir(filepath.Join(server.Dir, "base"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(canary)) {
			n++
		}
		return err
	}))
	return n
}

// With VacuumFull, Scrub removes the bytes of deleted records and rows from the files, and keeps the others.
func TestScrub(t *testing.T) {
	ctx := t.Context()
	o := options(t)
	o.VacuumFull = true
	db := open(t, o)
	gone, stays := said(1), said(2)
	canary := unique("canary")
	gone.Text, stays.Text = canary+"gone", canary+"stays"
	require.NoError(t, db.PutApply(ctx, map[string][]byte{"k": []byte(canary + "row")}, gone, stays))
	require.NotZero(t, found(t, canary+"gone"))
	require.NotZero(t, found(t, canary+"row"))
	require.NoError(t, db.Delete(ctx, group, "1"))
	require.NoError(t, db.Apply(ctx, map[string][]byte{"k": nil}))
	require.NotZero(t, found(t, canary+"gone"), "deleted only")
	require.NoError(t, db.Scrub(ctx))
	assert.Zero(t, found(t, canary+"gone"))
	assert.Zero(t, found(t, canary+"row"))
	assert.NotZero(t, found(t, canary+"stays"))
	assert.Len(t, all(t, db, group), 1)

	o.VacuumFull = false
	require.NoError(t, open(t, o).Scrub(ctx))
	role := unique("guest")
	require.NoError(t, server.Exec(pgtest.Role, fmt.Sprintf("CREATE ROLE %q LOGIN", role), fmt.Sprintf("GRANT USAGE ON SCHEMA hearth TO %q", role),
		fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hearth TO %q", role)))
	o.DSN = server.DSN(role, pgtest.Role)
	guest := open(t, o)
	assert.Len(t, all(t, guest, group), 1, "a role with rights on the tables works")
	require.NoError(t, guest.Put(ctx, said(3)))
	assert.ErrorContains(t, guest.Scrub(ctx), "does not own", "PostgreSQL would only warn")
}

// A memory moves from a file into the database and back, with an export. Quotas work.
func TestDB_ExportImport(t *testing.T) {
	ctx := t.Context()
	file, err := sqlite.Open(filepath.Join(t.TempDir(), "old.db"), sqlite.Options{})
	require.NoError(t, err)
	defer file.Close()
	old := memorytest.New(t, file, memory.Options{})
	for i := range 40 {
		require.NoError(t, old.Put(ctx, said(i)))
	}
	secret := said(100)
	secret.Tags, secret.Vector, secret.Embedder = []string{memory.TagSecret}, []float32{1, 2}, "e"
	require.NoError(t, old.Put(ctx, secret))
	var before, after bytes.Buffer
	require.NoError(t, old.Export(ctx, &before, memory.ExportOptions{}))

	o := options(t)
	db := open(t, o)
	m := memorytest.New(t, db, memory.Options{})
	_, err = m.Import(ctx, bytes.NewReader(before.Bytes()), nil)
	require.NoError(t, err)
	require.NoError(t, m.Export(ctx, &after, memory.ExportOptions{}))
	assert.Equal(t, before.String(), after.String())
	n, err := m.Trim(ctx, group, memory.Quota{Records: 10})
	require.NoError(t, err)
	assert.Equal(t, 31, n)
	assert.Len(t, all(t, db, group), 10)
	n, err = m.EraseSpace(ctx, group, memory.EraseOptions{})
	require.NoError(t, err)
	assert.Equal(t, 10, n)
	spaces, err := db.Spaces(ctx)
	require.NoError(t, err)
	assert.Empty(t, spaces)
}
