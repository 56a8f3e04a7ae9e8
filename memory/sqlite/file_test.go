package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const group = memory.Space("qq:group:1")

func said(id int) memory.Record {
	return memory.Record{ID: fmt.Sprint(id), Space: group, Kind: memory.KindMessage, Text: "第几句话", Person: "10001", At: time.Unix(1.7e9, 0).Add(time.Duration(id) * time.Second)}
}

func all(t testing.TB, s memory.Store, space memory.Space) (recs []memory.Record) {
	for r, err := range s.Scan(context.Background(), space, 0) {
		require.NoError(t, err)
		recs = append(recs, r)
	}
	return recs
}

func TestDB_Reopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "是 的#1%3F?mode=memory&x=.db") // any name is valid
	db := open(t, path)
	for i := range 20 {
		require.NoError(t, db.Put(t.Context(), said(i)))
	}
	require.NoError(t, db.Apply(t.Context(), map[string][]byte{"k": []byte("v")}))
	before := all(t, db, group)
	require.NoError(t, db.Close())
	require.NoError(t, db.Close(), "twice is no error")
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{path}, files, "after Close there is no log")

	db = open(t, path)
	assert.Equal(t, before, all(t, db, group))
	rows, err := db.Load(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"k": []byte("v")}, rows)
	assert.NoError(t, db.CheckIntegrity(t.Context()))
}

func TestOpen_FileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	require.NoError(t, db.Put(t.Context(), said(1)))
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.Greater(t, len(files), 1, "the log, too")
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), f)
	}
}

func TestDB_Closed(t *testing.T) {
	db := fresh(t)
	require.NoError(t, db.Close())
	ctx := t.Context()
	_, get := db.Get(ctx, group, "1")
	_, tail := db.Tail(ctx, group, memory.KindMessage, 1)
	_, spaces := db.Spaces(ctx)
	_, load := db.Load(ctx, "")
	var scan error
	for _, scan = range db.Scan(ctx, group, 0) {
	}
	for _, err := range []error{db.Put(ctx, said(1)), db.Delete(ctx, group, "1"), db.Apply(ctx, map[string][]byte{"k": nil}), db.CheckIntegrity(ctx), get, tail, spaces, load, scan} {
		assert.ErrorIs(t, err, sqlite.ErrClosed)
	}
}

// TestDB_CloseDuringCalls closes a file in use. All pending calls return ErrClosed, and a call without an error has
// taken effect.
func TestDB_CloseDuringCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	for round := range 10 {
		db := open(t, path)
		ctx := t.Context()
		last := make([]int, 2)
		var wg sync.WaitGroup
		until := func(f func(i int) error) {
			wg.Go(func() {
				for i := 0; ; i++ {
					if err := f(i); err != nil {
						assert.Equal(t, sqlite.ErrClosed, err)
						return
					}
				}
			})
		}
		for w := range last {
			until(func(i int) error {
				err := db.Put(ctx, memory.Record{ID: fmt.Sprint(round, "-", w, "-", i), Space: group})
				if err == nil {
					last[w] = i + 1
				}
				return err
			})
		}
		until(func(i int) error { return db.Apply(ctx, map[string][]byte{"k": {byte(i)}}) })
		until(func(int) error { _, err := db.Get(ctx, group, "0-0-0"); return err })
		until(func(int) error { _, err := db.Load(ctx, ""); return err })
		until(func(int) error { _, err := db.Spaces(ctx); return err })
		until(func(int) (err error) {
			for _, err = range db.Scan(ctx, group, 0) {
			}
			return err
		})
		time.Sleep(time.Duration(round) * time.Millisecond)
		require.NoError(t, db.Close())
		wg.Wait()
		db = open(t, path)
		for w, n := range last {
			for i := range n {
				recs, err := db.Get(ctx, group, fmt.Sprint(round, "-", w, "-", i))
				require.NoError(t, err)
				require.Len(t, recs, 1)
			}
		}
		require.NoError(t, db.Close())
	}
}

func TestOpen_RejectedFiles(t *testing.T) {
	for _, path := range []string{"", ":memory:", t.TempDir()} {
		_, err := sqlite.Open(path, sqlite.Options{})
		assert.Error(t, err, "%q", path)
	}
	_, err := sqlite.Open(filepath.Join(t.TempDir(), "no", "such", "directory"), sqlite.Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	raw := func(t *testing.T, path, script string) {
		db, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		defer db.Close()
		_, err = db.Exec(script)
		require.NoError(t, err)
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    error
	}{
		"newer": {func(t *testing.T, path string) {
			db := open(t, path)
			require.NoError(t, db.Put(t.Context(), said(1)))
			require.NoError(t, db.Close())
			raw(t, path, "PRAGMA user_version=99")
		}, sqlite.ErrNewerVersion},
		"of another program": {func(t *testing.T, path string) { raw(t, path, "CREATE TABLE records (x)") }, sqlite.ErrNotMemoryFile},
		"marked by another":  {func(t *testing.T, path string) { raw(t, path, "PRAGMA application_id=7; CREATE TABLE y (x)") }, sqlite.ErrNotMemoryFile},
		"marked and empty":   {func(t *testing.T, path string) { raw(t, path, "PRAGMA application_id=7") }, sqlite.ErrNotMemoryFile},
		"no database": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("this is a text file\n"), 500), 0o600))
		}, sqlite.ErrNotMemoryFile},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			c.prepare(t, path)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = sqlite.Open(path, sqlite.Options{})
			assert.ErrorIs(t, err, c.want)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(before, after), "the file is unchanged")
		})
	}
}

// TestDelete_OverwritesBytes searches the files for deleted data.
func TestDelete_OverwritesBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	canary := []byte("金丝雀-canary-5417")
	for i := range 50 {
		require.NoError(t, db.Put(t.Context(), said(i)))
	}
	gone := said(100)
	gone.Text, gone.Tags, gone.Sources = string(canary), []string{string(canary)}, []string{string(canary)}
	gone.Kind, gone.Vector = memory.KindFact, []float32{1}
	require.NoError(t, db.Put(t.Context(), gone))
	require.NoError(t, db.Delete(t.Context(), group, gone.ID))
	require.NoError(t, db.Close())
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		assert.False(t, bytes.Contains(b, canary), f)
	}
	assert.Len(t, all(t, open(t, path), group), 50)
}

// TestDB_ReadersDoNotWait: during a transaction, readers see the previous state without waiting.
func TestDB_ReadersDoNotWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	require.NoError(t, db.Put(t.Context(), said(1)))
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer raw.Close()
	c, err := raw.Conn(t.Context())
	require.NoError(t, err)
	defer c.Close()
	_, err = c.ExecContext(t.Context(), "BEGIN IMMEDIATE; DELETE FROM records")
	require.NoError(t, err)

	assert.Len(t, all(t, db, group), 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.Error(t, db.Put(ctx, said(2)), "a waiting writer can be cancelled")
	_, err = c.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, db.Put(t.Context(), said(2)))
	assert.Len(t, all(t, db, group), 2)
}
