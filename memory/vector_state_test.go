package memory_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A switchedEmbedder fails while err is set.
type switchedEmbedder struct {
	Topics
	err error
}

func (e *switchedEmbedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	if e.err != nil {
		return nil, e.err
	}
	return e.Topics.EmbedDocuments(ctx, texts)
}

func (e *switchedEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if e.err != nil {
		return nil, e.err
	}
	return e.Topics.EmbedQuery(ctx, text)
}

// The state tells whether the last call of the embedder failed, also after a recall that went on with words.
func TestVectors(t *testing.T) {
	assert.Equal(t, memory.VectorState{}, memory.Vectors(memorytest.New(t, memory.NewMemStore(), memory.Options{})))
	e := &switchedEmbedder{}
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{Embedder: e, EmbedderID: "topics"})
	assert.Equal(t, memory.VectorState{EmbedderID: "topics", Indexes: 1}, memory.Vectors(m))
	put(t, m, message(group, "1", "火锅"), message(group, "2", ""))
	assert.Equal(t, 1, memory.Vectors(m).Waiting)

	e.err = errors.New("the embedder is down")
	require.Error(t, m.EmbedMissing(t.Context(), nil))
	assert.ErrorIs(t, memory.Vectors(m).Failed, e.err)
	assert.False(t, memory.Vectors(m).FailedAt.IsZero())
	e.err = nil
	require.NoError(t, m.EmbedMissing(t.Context(), nil))
	assert.NoError(t, memory.Vectors(m).Failed)
	assert.True(t, memory.Vectors(m).FailedAt.IsZero())

	e.err = errors.New("the embedder is down again")
	assert.NotEmpty(t, recall(t, m.Reader(group), "火锅"))
	assert.ErrorIs(t, memory.Vectors(m).Failed, e.err)
	e.err = nil
	assert.NotEmpty(t, recall(t, m.Reader(group), "火锅"))
	assert.NoError(t, memory.Vectors(m).Failed)
}
