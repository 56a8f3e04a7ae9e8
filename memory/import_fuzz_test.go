package memory_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/require"
)

// FuzzImport: bytes from anywhere are imported as a whole or not at all, and what was imported can be exported and imported again.
func FuzzImport(f *testing.F) {
	m := memory.New(memory.NewStore(), nil)
	keep(f, m, memory.Record{ID: "1", Space: group, Person: "victim", Vector: []float32{1}}, memory.Record{ID: "2", Space: "a!", Tags: []string{"x"}, At: noon})
	require.NoError(f, m.SetSummary(f.Context(), group, memory.Digest{Text: "x", First: 1, Last: 1}))
	require.NoError(f, m.Notes("a/b").SetInner(f.Context(), noon, "y"))
	text := export(f, m, nil)
	f.Add([]byte(text))
	f.Add([]byte(strings.Replace(text, "victim", "\\u0000", 1)))
	f.Add([]byte("{\"hearth_memory\":1}\n{\"row\":{\"key\":\"memory//config/x\",\"raw\":\"AA==\"}}\n{\"end\":{\"records\":0,\"rows\":1}}\n"))
	f.Add([]byte("{\"hearth_memory\":1}\n{\"row\":{\"key\":\"memory/a/dream\",\"json\":{\"last\":9,\"plan\":{}}}}\n{\"end\":{\"records\":0,\"rows\":1}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := memory.NewStore()
		if _, err := memory.New(store, nil).Import(t.Context(), bytes.NewReader(data), nil); err != nil {
			require.Empty(t, dump(t, store))
			return
		}
		copied := memory.NewStore()
		_, err := memory.New(copied, nil).Import(t.Context(), strings.NewReader(export(t, memory.New(store, nil), nil)), nil)
		require.NoError(t, err)
		require.Equal(t, lined(t, store), lined(t, copied))
	})
}
