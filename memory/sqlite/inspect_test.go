package sqlite_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Inspect names the same problems as Open, and changes no byte.
func TestInspect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	_, err := sqlite.Inspect(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.NoFileExists(t, path)

	db, err := sqlite.Open(path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := sqlite.Inspect(path)
	require.NoError(t, err)
	assert.Equal(t, sqlite.Info{Version: info.Supported, Supported: info.Supported, Bytes: int64(len(before))}, info)
	assert.Positive(t, info.Version)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	assert.NoFileExists(t, path+"-wal")

	foreign, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = foreign.Exec("PRAGMA user_version=99")
	require.NoError(t, err)
	require.NoError(t, foreign.Close())
	_, err = sqlite.Inspect(path)
	require.ErrorIs(t, err, sqlite.ErrNewerVersion)

	for name, text := range map[string]string{"text": "dear diary, this is no database, and long enough to have a header of a hundred bytes, or so it seems to me", "short": "x"} {
		other := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(other, []byte(text), 0o600))
		_, err = sqlite.Inspect(other)
		require.ErrorIs(t, err, sqlite.ErrNotMemoryFile, name)
	}
	_, err = sqlite.Inspect(t.TempDir())
	require.Error(t, err)
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	info, err = sqlite.Inspect(empty)
	require.NoError(t, err)
	assert.Zero(t, info.Version)
}

// A file that another process has open is in use, until that process is gone. Its write-ahead log stays behind.
func TestInspect_InUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	cmd := startWriter(t, path)
	info, err := sqlite.Inspect(path)
	require.NoError(t, err)
	require.NotNil(t, info.InUse)
	assert.Equal(t, cmd.Process.Pid, info.InUse.PID)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	info, err = sqlite.Inspect(path)
	require.NoError(t, err)
	assert.Nil(t, info.InUse)
	db, err := sqlite.Open(path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
