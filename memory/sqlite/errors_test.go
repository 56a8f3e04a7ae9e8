package sqlite

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDB_WriteFails: without disk space or write permission, a call returns the sentinel and changes nothing. Later
// calls work again.
func TestDB_WriteFails(t *testing.T) {
	for _, c := range []struct {
		name, break_, mend string
		want               error
	}{
		{"full", "PRAGMA max_page_count=20", "PRAGMA max_page_count=1000000", ErrDiskFull},
		{"read only", "PRAGMA query_only=1", "PRAGMA query_only=0", ErrReadOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
			require.NoError(t, err)
			defer db.Close()
			ctx := t.Context()
			rec := func(id string) memory.Record {
				return memory.Record{ID: id, Space: "s", Text: strings.Repeat("火锅", 20000)}
			}
			small := memory.Record{ID: "small", Space: "s", Text: "火锅"}
			require.NoError(t, db.Put(ctx, small))
			_, err = db.writer.c.ExecContext(ctx, c.break_)
			require.NoError(t, err)

			assert.ErrorIs(t, db.Put(ctx, memory.Record{ID: "small", Space: "s", Text: "changed"}, rec("1"), rec("2")), c.want)
			assert.ErrorIs(t, db.Apply(ctx, map[string][]byte{"k": make([]byte, 1<<20)}), c.want)
			got, err := db.Get(ctx, "s", "small", "1", "2")
			require.NoError(t, err)
			require.Len(t, got, 1)
			assert.Equal(t, small.Text, got[0].Text)

			_, err = db.writer.c.ExecContext(ctx, c.mend)
			require.NoError(t, err)
			require.NoError(t, db.Put(ctx, rec("1"), rec("2")))
			assert.NoError(t, db.CheckIntegrity(ctx))
		})
	}
}

// TestDB_Locked: while another connection locks the file, a call returns ErrBusy after a while and changes nothing.
// Later calls work again.
func TestDB_Locked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := &DB{busyTimeout: 2 * lockWait}
	require.NoError(t, db.open(path))
	defer db.Close()
	ctx := t.Context()
	require.NoError(t, db.Put(ctx, memory.Record{ID: "1", Space: "s"}))
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer raw.Close()
	c, err := raw.Conn(ctx)
	require.NoError(t, err)
	defer c.Close()
	run := func(script string) {
		_, err := c.ExecContext(context.Background(), script)
		require.NoError(t, err)
	}
	run("BEGIN IMMEDIATE")
	assert.ErrorIs(t, db.Put(ctx, memory.Record{ID: "2", Space: "s"}), ErrBusy)
	assert.ErrorIs(t, db.Delete(ctx, "s", "1"), ErrBusy)
	assert.ErrorIs(t, db.Apply(ctx, map[string][]byte{"k": {1}}), ErrBusy)
	recs, err := db.Get(ctx, "s", "1", "2")
	assert.NoError(t, err, "readers do not wait")
	assert.Len(t, recs, 1)
	run("ROLLBACK")
	require.NoError(t, db.Put(ctx, memory.Record{ID: "2", Space: "s"}))
	require.NoError(t, db.Close())

	run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE; BEGIN IMMEDIATE; UPDATE records SET own=own; COMMIT")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	kept := &DB{busyTimeout: 20 * time.Millisecond}
	assert.ErrorIs(t, withSentinel(kept.open(path)), ErrBusy, "all records are stored")
	kept.Close()
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	require.NoError(t, c.Close())
	require.NoError(t, raw.Close())
	db, err = Open(path, Options{})
	require.NoError(t, err)
	defer db.Close()
	recs, err = db.Get(ctx, "s", "1", "2")
	require.NoError(t, err)
	assert.Len(t, recs, 2)
}

// TestDB_CorruptFile damages a file by truncation and by a foreign page. Both are reported, and a truncated file is not
// changed.
func TestDB_CorruptFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	fill := func() {
		require.NoError(t, os.RemoveAll(path))
		db, err := Open(path, Options{})
		require.NoError(t, err)
		for i := range 50 {
			require.NoError(t, db.Put(t.Context(), memory.Record{ID: strings.Repeat("x", i+1), Space: "s", Text: strings.Repeat("火锅", 300)}))
		}
		require.NoError(t, db.Close())
	}
	fill()
	require.NoError(t, os.Truncate(path, 9000))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = Open(path, Options{})
	assert.ErrorIs(t, err, ErrCorrupt)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)

	fill()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	for at := int64(5 * 4096); at < info.Size(); at += 4096 {
		_, err = f.WriteAt([]byte(strings.Repeat("broken", 100)), at)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	db, err := Open(path, Options{})
	require.NoError(t, err)
	defer db.Close()
	assert.ErrorIs(t, db.CheckIntegrity(t.Context()), ErrCorrupt)
	var last error
	for _, last = range db.Scan(t.Context(), "s", 0) {
	}
	assert.ErrorIs(t, last, ErrCorrupt)
}

func TestWithSentinel_Errors(t *testing.T) {
	for err, want := range map[error]error{syscall.EROFS: ErrReadOnly, syscall.EACCES: ErrReadOnly, syscall.EPERM: ErrReadOnly, syscall.ENOSPC: ErrDiskFull} {
		got := withSentinel(&fs.PathError{Op: "open", Path: "x.db", Err: err})
		assert.ErrorIs(t, got, want)
		assert.ErrorIs(t, got, err)
	}
	assert.NoError(t, withSentinel(nil))
	db := &DB{}
	assert.Equal(t, fs.ErrExist, db.withSentinel(fs.ErrExist))
	db.closed.Store(true)
	assert.NoError(t, db.withSentinel(nil))
	assert.Equal(t, ErrClosed, db.withSentinel(fs.ErrExist), "any error after Close")
	assert.Equal(t, fs.ErrExist, withSentinel(fs.ErrExist))
}
