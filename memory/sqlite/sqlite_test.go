package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path, sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

func fresh(t testing.TB) *sqlite.DB { return open(t, filepath.Join(t.TempDir(), "test.db")) }

func TestDB_Store(t *testing.T) {
	memorytest.TestStore(t, func(t *testing.T) memory.Store { return fresh(t) })
}

func TestDB_State(t *testing.T) {
	memorytest.TestState(t, func(t *testing.T) memory.State { return fresh(t) })
}
