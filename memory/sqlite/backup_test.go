package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDB_BackupDuringWrites copies the file repeatedly during writes. Each copy is complete and consistent: records and
// rows of one transaction are together.
func TestDB_BackupDuringWrites(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "test.db"))
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var written atomic.Int64
	more := make(chan struct{}, 1)
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			a, b := said(2*i), said(2*i+1)
			assert.NoError(t, db.Put(context.Background(), a, b))
			assert.NoError(t, db.Apply(context.Background(), map[string][]byte{"a": fmt.Append(nil, i), "b": fmt.Append(nil, i)}))
			written.Add(2)
			select {
			case more <- struct{}{}:
			default:
			}
		}
	})
	path := filepath.Join(dir, "it's a copy?.db")
	last := 0
	for range 5 {
		for written.Load() <= int64(last) {
			<-more // discard a token of the last copy
		}
		before := written.Load()
		require.NoError(t, db.Backup(t.Context(), path, nil))
		copied := open(t, path)
		require.NoError(t, copied.CheckIntegrity(t.Context()))
		recs := all(t, copied, group)
		assert.GreaterOrEqual(t, int64(len(recs)), before, "all earlier writes")
		assert.Zero(t, len(recs)%2, "consistent")
		last = len(recs)
		rows, err := copied.Load(t.Context(), "")
		require.NoError(t, err)
		assert.Equal(t, string(rows["a"]), string(rows["b"]))
		require.NoError(t, copied.Put(t.Context(), said(1<<30)), "the copy is writable")
		require.NoError(t, copied.Close())
	}
	stop()
	wg.Wait()
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // Windows has no such modes
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.part*"))
	require.NoError(t, err)
	assert.Empty(t, files)
}

func TestDB_BackupFails(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "test.db"))
	require.NoError(t, db.Put(t.Context(), said(1)))
	path := filepath.Join(dir, "copy.db")
	require.NoError(t, db.Backup(t.Context(), path, nil))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, db.Backup(ctx, path, nil), context.Canceled)
	assert.Error(t, db.Backup(t.Context(), filepath.Join(dir, "no", "such", "directory"), nil))
	assert.Error(t, db.Backup(t.Context(), dir, nil), "a directory")
	for name, there := range map[string]string{"itself": "test.db", "itself by a link": "link.db", "a copy that is open": "open.db"} {
		path := filepath.Join(dir, there)
		switch name {
		case "itself by a link":
			require.NoError(t, os.Link(filepath.Join(dir, "test.db"), path))
		case "a copy that is open":
			require.NoError(t, db.Backup(t.Context(), path, nil))
			copied := open(t, path)
			require.NoError(t, copied.Put(t.Context(), said(2)))
			defer func() { assert.Len(t, all(t, copied, group), 2) }()
		}
		assert.ErrorIs(t, db.Backup(t.Context(), path, nil), sqlite.ErrBusy, name)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "link.db")))
	require.NoError(t, db.Close())
	assert.ErrorIs(t, db.Backup(t.Context(), path, nil), sqlite.ErrClosed)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the old copy stays")
	files, err := filepath.Glob(filepath.Join(dir, "*.part*"))
	require.NoError(t, err)
	assert.Empty(t, files)
	assert.Len(t, all(t, open(t, path), memory.Space(group)), 1)
}

func TestDB_BackupProgress(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "test.db"))
	require.NoError(t, db.Put(t.Context(), said(1)))
	var told [][2]int64
	tell := func(done, total int64) { told = append(told, [2]int64{done, total}) }
	require.NoError(t, db.Backup(t.Context(), filepath.Join(dir, "copy.db"), tell))
	require.GreaterOrEqual(t, len(told), 2)
	total := told[0][1]
	assert.Positive(t, total)
	assert.Equal(t, [2]int64{0, total}, told[0])
	assert.Equal(t, [2]int64{total, total}, told[len(told)-1])
	for i := 1; i < len(told); i++ {
		assert.Greater(t, told[i][0], told[i-1][0])
	}
	told = nil
	require.Error(t, db.Backup(t.Context(), filepath.Join(dir, "no", "such", "directory"), tell))
	assert.Empty(t, told)
}
