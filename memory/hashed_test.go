package memory_test

import (
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"
)

var _ embeddings.Embedder = memory.Hashed{}

func TestHashed(t *testing.T) {
	for dims, h := range map[int]memory.Hashed{1024: {}, 64: {Dims: 64}} {
		vs, err := h.EmbedDocuments(t.Context(), []string{"昨晚吃了火锅", "火锅吃了吗", "显卡涨价", "", "？！"})
		require.NoError(t, err)
		for i, v := range vs {
			assert.Len(t, v, dims)
			assert.True(t, memory.ValidVector(v), "text %d", i)
			assert.InDelta(t, 1, dot(v, v), 1e-5)
		}
		q, err := h.EmbedQuery(t.Context(), "昨晚吃了火锅")
		require.NoError(t, err)
		assert.Equal(t, vs[0], q, "a text and a question have the same vector")
		assert.Greater(t, dot(q, vs[1]), dot(q, vs[2]))
	}
	assert.Equal(t, "hearth-hashed-1024", memory.Hashed{}.ID())
	assert.NotEqual(t, memory.Hashed{Dims: 64}.ID(), memory.Hashed{}.ID(), "their vectors never mix")
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
