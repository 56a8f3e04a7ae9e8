package sqlite

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWriteFails takes away the room and the right to write: each is told by its sentinel, nothing changes, and it goes on afterwards.
func TestWriteFails(t *testing.T) {
	for _, c := range []struct {
		name, break_, mend string
		want               error
	}{
		{"full", "PRAGMA max_page_count=20", "PRAGMA max_page_count=1000000", ErrFull},
		{"read only", "PRAGMA query_only=1", "PRAGMA query_only=0", ErrReadOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, err := Open(filepath.Join(t.TempDir(), "test.db"), nil)
			require.NoError(t, err)
			defer db.Close()
			ctx := t.Context()
			rec := func(id string) memory.Record {
				return memory.Record{ID: id, Space: "s", Text: strings.Repeat("火锅", 20000)}
			}
			small := memory.Record{ID: "small", Space: "s", Text: "火锅"}
			require.NoError(t, db.Put(ctx, small))
			_, err = db.w.c.ExecContext(ctx, c.break_)
			require.NoError(t, err)

			assert.ErrorIs(t, db.Put(ctx, memory.Record{ID: "small", Space: "s", Text: "changed"}, rec("1"), rec("2")), c.want)
			assert.ErrorIs(t, db.Apply(ctx, map[string][]byte{"k": make([]byte, 1<<20)}), c.want)
			got, err := db.Get(ctx, "s", "small", "1", "2")
			require.NoError(t, err)
			require.Len(t, got, 1)
			assert.Equal(t, small.Text, got[0].Text)

			_, err = db.w.c.ExecContext(ctx, c.mend)
			require.NoError(t, err)
			require.NoError(t, db.Put(ctx, rec("1"), rec("2")))
			assert.NoError(t, db.Check(ctx))
		})
	}
}

func TestKnown(t *testing.T) {
	for err, want := range map[error]error{syscall.EROFS: ErrReadOnly, syscall.EACCES: ErrReadOnly, syscall.EPERM: ErrReadOnly, syscall.ENOSPC: ErrFull} {
		got := known(&fs.PathError{Op: "open", Path: "x.db", Err: err})
		assert.ErrorIs(t, got, want)
		assert.ErrorIs(t, got, err)
	}
	assert.NoError(t, known(nil))
	assert.Equal(t, fs.ErrExist, known(fs.ErrExist))
}
