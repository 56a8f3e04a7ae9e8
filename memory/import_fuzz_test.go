package memory_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/require"
)

// FuzzImport: any input is imported completely or not at all. The result can be exported and imported again.
func FuzzImport(f *testing.F) {
	m := memorytest.New(f, memory.NewMemStore(), memory.Options{})
	put(f, m, memory.Record{ID: "1", Space: group, Person: "victim", Vector: []float32{1}}, memory.Record{ID: "2", Space: "a!", Tags: []string{"x"}, At: noon})
	require.NoError(f, m.SetSummary(f.Context(), group, memory.RollingSummary{Text: "x", FirstSeq: 1, LastSeq: 1}))
	require.NoError(f, m.Notes("a/b").SetInnerState(f.Context(), noon, "y"))
	text := export(f, m, memory.ExportOptions{})
	f.Add([]byte(text))
	f.Add([]byte(strings.Replace(text, "victim", "\\u0000", 1)))
	f.Add([]byte("{\"hearth_memory\":1}\n{\"row\":{\"key\":\"memory//config/x\",\"raw\":\"AA==\"}}\n{\"end\":{\"records\":0,\"rows\":1}}\n"))
	f.Add([]byte("{\"hearth_memory\":1}\n{\"row\":{\"key\":\"memory/a/dream\",\"json\":{\"last\":9,\"plan\":{}}}}\n{\"end\":{\"records\":0,\"rows\":1}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := memory.NewMemStore()
		if _, err := memorytest.New(t, store, memory.Options{}).Import(t.Context(), bytes.NewReader(data), nil); err != nil {
			require.Empty(t, dump(t, store))
			return
		}
		copied := memory.NewMemStore()
		_, err := memorytest.New(t, copied, memory.Options{}).Import(t.Context(), strings.NewReader(export(t, memorytest.New(t, store, memory.Options{}), memory.ExportOptions{})), nil)
		require.NoError(t, err)
		require.Equal(t, comparableLines(t, store), comparableLines(t, copied))
	})
}
