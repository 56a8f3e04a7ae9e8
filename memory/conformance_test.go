package memory_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemStore_Store(t *testing.T) {
	memorytest.TestStore(t, func(*testing.T) memory.Store { return memory.NewMemStore() })
}

func TestMemStore_State(t *testing.T) {
	memorytest.TestState(t, func(*testing.T) memory.State { return memory.NewMemStore() })
}

func TestLexicalIndex_Conformance(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return memory.NewLexicalIndex(memory.LexicalOptions{}) })
}

func TestCosineIndex_Conformance(t *testing.T) {
	memorytest.TestIndex(t, func(*testing.T) memory.Index { return memory.NewCosineIndex() })
}

// A Memory with an embedder and without an index finds records that share no word with the query. Without an embedder it
// finds none.
func TestNew_DefaultIndex(t *testing.T) {
	for _, o := range []memory.Options{{}, {Embedder: Topics{}, EmbedderID: "topics"}} {
		m := memorytest.New(t, memory.NewMemStore(), o)
		ctx := t.Context()
		require.NoError(t, m.Put(ctx, memory.Record{ID: "1", Space: "s", Text: "昨晚那家火锅不错", At: time.Now()}, memory.Record{ID: "2", Space: "s", Text: "新显卡到了", At: time.Now()}))
		require.NoError(t, m.EmbedMissing(ctx, nil))
		hits, err := m.Reader("s").Recall(ctx, time.Now(), memory.Query{Text: "有点饿", Limit: 1})
		require.NoError(t, err)
		if o.Embedder == nil {
			assert.Empty(t, hits)
		} else if assert.Len(t, hits, 1) {
			assert.Equal(t, "1", hits[0].ID)
		}
	}
}
