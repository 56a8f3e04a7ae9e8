package sqlite_test

import (
	"bufio"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readOnly opens a file beside its writer.
func readOnly(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

// startWriter starts a process that writes to the file until the end of the test, and returns after its first write.
func startWriter(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	require.True(t, bufio.NewScanner(out).Scan(), "it has written")
	return cmd
}

// TestOpen_TwoProcesses: a file that another process writes is refused with the id of that process, until it is killed.
func TestOpen_TwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	cmd := startWriter(t, path)
	_, err := sqlite.Open(path, sqlite.Options{})
	var used *sqlite.InUseError
	require.ErrorAs(t, err, &used)
	assert.Equal(t, cmd.Process.Pid, used.PID)
	assert.ErrorIs(t, err, sqlite.ErrBusy)
	assert.Regexp(t, `^sqlite: open .*test\.db: process [0-9]+ has the file open; only one may write it$`, err.Error())
	reader := readOnly(t, path)
	assert.NotEmpty(t, all(t, reader, group))
	require.NoError(t, reader.Close())

	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	db := open(t, path)
	require.NoError(t, db.Put(t.Context(), said(1<<30)))
	require.NoError(t, db.Close())
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	assert.Equal(t, []string{path}, files, "no lock is left")
}

// TestOpen_Twice: one process cannot open a file twice for writing either, by none of its names.
func TestOpen_Twice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	names := []string{path}
	if link := filepath.Join(t.TempDir(), "link.db"); os.Symlink(path, link) == nil {
		names = append(names, link)
	}
	for _, name := range names {
		_, err := sqlite.Open(name, sqlite.Options{})
		var used *sqlite.InUseError
		require.ErrorAs(t, err, &used)
		assert.Equal(t, os.Getpid(), used.PID)
		assert.ErrorContains(t, err, "has the file open already")
	}
	require.NoError(t, db.Put(t.Context(), said(1)), "the first is unharmed")
	require.NoError(t, db.Close())
	assert.Len(t, all(t, open(t, path), group), 1)
}

// TestOpen_ReadOnly reads beside the writer and changes nothing.
func TestOpen_ReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	_, err := sqlite.Open(path, sqlite.Options{ReadOnly: true})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = sqlite.Open(path, sqlite.Options{ReadOnly: true})
	require.ErrorContains(t, err, "the file is empty or was written by an older version: open it once without ReadOnly")
	db := open(t, path)
	a, b := readOnly(t, path), readOnly(t, path)
	for i := range 50 {
		require.NoError(t, db.Put(t.Context(), said(i)))
		assert.Len(t, all(t, a, group), i+1)
	}
	assert.Equal(t, all(t, db, group), all(t, b, group))
	ctx := t.Context()
	for _, err := range []error{a.Put(ctx, said(99)), a.Delete(ctx, group, "1"), a.Apply(ctx, map[string][]byte{"k": {1}}), a.Scrub(ctx)} {
		assert.ErrorIs(t, err, sqlite.ErrReadOnly)
	}
	require.NoError(t, db.Close())
	info, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	assert.Zero(t, info.Size(), "Close empties the log even if another handle is open")
	db = open(t, path)
	require.NoError(t, db.Put(ctx, said(100)))
	assert.Len(t, all(t, a, group), 51)
}

// TestOpen_OneAtATime: of many that open and close a file, one has it.
func TestOpen_OneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	var have, opened atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				db, err := sqlite.Open(path, sqlite.Options{})
				if err != nil {
					assert.ErrorIs(t, err, sqlite.ErrBusy)
					continue
				}
				assert.Equal(t, int32(1), have.Add(1))
				assert.NoError(t, db.Put(context.Background(), said(int(opened.Add(1)))))
				have.Add(-1)
				assert.NoError(t, db.Close())
			}
		})
	}
	wg.Wait()
	assert.Greater(t, opened.Load(), int32(4))
	assert.Len(t, all(t, open(t, path), group), int(opened.Load()))
}
