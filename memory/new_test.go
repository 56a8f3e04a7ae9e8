package memory

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"
)

// newMemory is memorytest.New for tests inside this package.
func newMemory(t testing.TB, s Store, o Options) *Memory {
	t.Helper()
	m, err := New(s, o)
	require.NoError(t, err)
	return m
}

type anyEmbedder struct{ embeddings.Embedder }

func TestNew_InvalidOptions(t *testing.T) {
	words := []Index{NewLexicalIndex(LexicalOptions{})}
	for says, c := range map[string]struct {
		s Store
		o Options
	}{
		"needs a store":            {},
		"Indexes contains nil":     {NewMemStore(), Options{Indexes: []Index{nil}}},
		"EmbedderID is empty":      {NewMemStore(), Options{Embedder: anyEmbedder{}, Indexes: words}},
		"EmbedderID of 1025 bytes": {NewMemStore(), Options{EmbedderID: strings.Repeat("e", MaxAddress+1)}},
	} {
		m, err := New(c.s, c.o)
		assert.ErrorContains(t, err, says)
		assert.Nil(t, m)
	}
}
