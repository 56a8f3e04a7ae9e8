package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDB_BytesPerLabel: the label of an answer adds at most 64 bytes per record to the file.
func TestDB_BytesPerLabel(t *testing.T) {
	if testing.Short() {
		t.Skip("measures files")
	}
	const n = 10_000
	size := func(l memory.Label) int64 {
		path := filepath.Join(t.TempDir(), "test.db")
		db, err := sqlite.Open(path, sqlite.Options{})
		require.NoError(t, err)
		recs := make([]memory.Record, n)
		for i := range recs {
			recs[i] = memory.Record{ID: fmt.Sprint(1767225600000000000+int64(i), "-", i), Space: memory.Owner, Kind: memory.KindMessage, Text: "群里说要发红包", Own: true, Label: l}
		}
		require.NoError(t, db.Put(t.Context(), recs...))
		require.NoError(t, db.Close())
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Size()
	}
	without := size(memory.Label{})
	for _, l := range []memory.Label{
		memory.Trusted("qq:group:123456789"), memory.Untrusted(memory.Owner, "qq:group:123456789"),
		memory.Untrusted(memory.Owner, "qq:group:123456789", "qq:private:987654321"),
	} {
		each := float64(size(l)-without) / n
		t.Logf("%v: %.1f bytes a record, beside %.1f without a label", l, each, float64(without)/n)
		assert.Less(t, each, 64.)
	}
}
