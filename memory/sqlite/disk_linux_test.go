package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// disk mounts a small file system, if the user is allowed to.
func disk(t *testing.T, size int) (dir string) {
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
		t.Skip("no file system of its own: ", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestDB_DiskFull fills a disk almost completely and then writes until nothing fits. The failing call returns
// ErrDiskFull, stored data stays unchanged, and writing continues after space is freed.
func TestDB_DiskFull(t *testing.T) {
	const size = 2 << 20
	for _, room := range []int{0, 4 << 10, 16 << 10, 40 << 10, 100 << 10, 400 << 10, 1 << 20} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			ctx := t.Context()
			dir := disk(t, size)
			path, filler := filepath.Join(dir, "test.db"), filepath.Join(dir, "filler")
			require.NoError(t, os.WriteFile(filler, make([]byte, size-room), 0o600))
			db, err := sqlite.Open(path, sqlite.Options{})
			kept := 0
			if err != nil {
				require.ErrorIs(t, err, sqlite.ErrDiskFull)
			} else {
				for err == nil {
					r := said(kept)
					r.Text = strings.Repeat("话", 1000)
					if err = db.Put(ctx, r); err == nil {
						kept++
					}
				}
				require.ErrorIs(t, err, sqlite.ErrDiskFull)
				state := db.Apply(ctx, map[string][]byte{"big": make([]byte, 1<<20)})
				assert.ErrorIs(t, state, sqlite.ErrDiskFull)
				before := all(t, db, group)
				require.Len(t, before, kept)
				again := before[:min(1, kept)]
				for i := range again {
					again[i].Text = strings.Repeat("改", 1<<20/3)
					assert.ErrorIs(t, db.Put(ctx, again[i]), sqlite.ErrDiskFull)
				}
				if kept > 10 { // replacing all records does not fit
					assert.ErrorIs(t, db.Scrub(ctx), sqlite.ErrDiskFull)
					assert.ErrorIs(t, db.Backup(ctx, filepath.Join(dir, "copy.db"), nil), sqlite.ErrDiskFull)
				}
				rows, err := db.Load(ctx, "")
				require.NoError(t, err)
				assert.Empty(t, rows)
				assert.NoError(t, db.CheckIntegrity(ctx))
				require.NoError(t, db.Close())
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.part*"))
			require.NoError(t, err)
			assert.Empty(t, files)

			require.NoError(t, os.Remove(filler))
			db, err = sqlite.Open(path, sqlite.Options{})
			require.NoError(t, err)
			recs := all(t, db, group)
			assert.Len(t, recs, kept)
			for _, r := range recs {
				assert.Equal(t, strings.Repeat("话", 1000), r.Text)
			}
			require.NoError(t, db.Put(ctx, said(1e6)))
			require.NoError(t, db.Apply(ctx, map[string][]byte{"k": {1}}))
			assert.NoError(t, db.CheckIntegrity(ctx))
			require.NoError(t, db.Close())
		})
	}
}

// TestDB_ReadOnlyDisk is TestDB_ReadOnlyFile for users that may write every file.
func TestDB_ReadOnlyDisk(t *testing.T) {
	dir := disk(t, 4<<20)
	path := filepath.Join(dir, "test.db")
	db := open(t, path)
	require.NoError(t, db.Put(t.Context(), said(1)))
	require.NoError(t, db.Close())
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	for _, path := range []string{path, filepath.Join(dir, "new.db")} {
		_, err = sqlite.Open(path, sqlite.Options{})
		assert.ErrorIs(t, err, sqlite.ErrReadOnly)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, ""))
	assert.Equal(t, []string{"1"}, idsOf(all(t, open(t, path), group)))
}

func idsOf(recs []memory.Record) (ids []string) {
	for _, r := range recs {
		ids = append(ids, r.ID)
	}
	return ids
}
