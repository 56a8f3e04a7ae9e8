package vectorstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/vectorstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/vectorstores"
)

// TestSearch_InvalidScores: an invalid score of one record hides no other record, and ties are not cut at random.
func TestSearch_InvalidScores(t *testing.T) {
	s := newServer()
	x := newIndex(t, s.open, vectorstore.Options{Score: func(f float32) float64 {
		if f > .99 {
			return math.NaN()
		}
		return float64(f)
	}})
	require.NoError(t, x.Put(t.Context(), rec("nonsense", 1, 0)))
	var want []string
	for i := range 40 {
		id := fmt.Sprintf("%02d", i)
		require.NoError(t, x.Put(t.Context(), rec(id, 1, 1)))
		want = append(want, id)
	}
	for range 5 {
		assert.Equal(t, want[:3], find(t, x, memory.Query{Vector: []float32{1, 0}}, 3))
	}
	assert.Equal(t, want, find(t, x, memory.Query{Vector: []float32{1, 0}}, 99))
}

// TestPut_StoreFails: after an error no partial data is found, and another Put repairs the index.
func TestPut_StoreFails(t *testing.T) {
	s := newServer()
	x := newIndex(t, s.open, vectorstore.Options{})
	down := errors.New("down")
	s.fails = down
	require.ErrorIs(t, x.Put(t.Context(), rec("1", 1, 0), rec("2", 1, 0)), down, "cannot be opened")
	s.fails = nil
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	s.fails = down
	require.ErrorIs(t, x.Put(t.Context(), rec("1", 0, 1), rec("2", 0, 1)), down)
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
	assert.NoError(t, err, "no more documents")
	s.fails = nil
	assert.Empty(t, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
	require.NoError(t, x.Put(t.Context(), rec("1", 0, 1), rec("2", 0, 1)))
	assert.Equal(t, []string{"1", "2"}, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
	s.fails = down
	_, err = x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
	assert.ErrorIs(t, err, down)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, x.Put(ctx, rec("3", 1, 0)), context.Canceled)
	assert.ErrorIs(t, x.Delete(ctx, group, "1"), context.Canceled)
}

// TestDelete_AfterFailedPut: documents of a failed call are deleted with their record, or Delete reports that they
// remain.
func TestDelete_AfterFailedPut(t *testing.T) {
	down := errors.New("down")
	for _, can := range []bool{true, false} {
		s, o := newServer(), vectorstore.Options{}
		if can {
			o.Delete = s.delete
		}
		x := newIndex(t, s.open, o)
		require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
		s.fails = down
		require.ErrorIs(t, x.Put(t.Context(), rec("2", 0, 1)), down)
		s.fails = nil
		require.Equal(t, 2, s.size(), "the store has it anyway")
		assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
		err := x.Delete(t.Context(), group, "2")
		if !can {
			assert.ErrorIs(t, err, memory.ErrCannotDelete)
			require.NoError(t, x.Put(t.Context(), rec("2", 0, 1)))
			assert.Equal(t, []string{"2", "1"}, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, 1, s.size())

		s.fails = down
		require.ErrorIs(t, x.Put(t.Context(), rec("2", 0, 1)), down)
		s.fails = nil
		require.NoError(t, x.Put(t.Context(), rec("2", 0, 1)))
		assert.Equal(t, []string{"2", "1"}, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
		s.fails = down
		require.ErrorIs(t, x.Delete(t.Context(), group, "2"), down)
		s.fails = nil
		require.NoError(t, x.Delete(t.Context(), group, "2"))
		assert.Equal(t, 1, s.size())
	}
}

// ownEmbedder embeds texts itself, like a store that was not made with Embedder.
type ownEmbedder struct{}

func (ownEmbedder) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0}
	}
	return out, nil
}

func (ownEmbedder) EmbedQuery(context.Context, string) ([]float32, error) {
	return []float32{1, 0}, nil
}

// lostContext calls the embedder with a new context.
type lostContext struct{ vectorstore.Embedder }

func (l lostContext) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	return l.Embedder.EmbedDocuments(context.Background(), texts)
}

func TestIndex_WrongEmbedder(t *testing.T) {
	s := newServer()
	for name, c := range map[string]*collection{"own": {s, "x", ownEmbedder{}}, "lost": {s, "x", lostContext{}}} {
		x := newIndex(t, func(context.Context, string) (vectorstores.VectorStore, error) { return c, nil }, vectorstore.Options{})
		assert.ErrorIs(t, x.Put(t.Context(), rec("1", 1, 0)), vectorstore.ErrWrongEmbedder, name)
		cs, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
		assert.NoError(t, err)
		assert.Empty(t, cs, name)
	}
	c := &collection{s, "y", vectorstore.Embedder{}}
	x := newIndex(t, func(context.Context, string) (vectorstores.VectorStore, error) { return c, nil }, vectorstore.Options{})
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	c.embedder = ownEmbedder{}
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
	assert.ErrorIs(t, err, vectorstore.ErrWrongEmbedder)
}

// TestSearch_ForeignDocuments: documents of others are never returned and displace no record.
func TestSearch_ForeignDocuments(t *testing.T) {
	s := newServer()
	x := newIndex(t, s.open, vectorstore.Options{})
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0), rec("2", 0, 1)))
	for name, docs := range s.collections {
		mine := docs[0]
		for range 500 {
			docs = append(docs, doc{"foreign", "somebody else's text", []float32{1, 0}})
		}
		s.collections[name] = append(docs, doc{"left by a former process", mine.text, mine.vector}, doc{"NaN", "x", []float32{float32(math.NaN()), 0}})
	}
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 1))
	assert.Equal(t, []string{"1", "2"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
}

// TestOptions_MaxResults limits the cost of a search.
func TestOptions_MaxResults(t *testing.T) {
	s := newServer()
	x := newIndex(t, s.open, vectorstore.Options{MaxResults: 20})
	for i := range 100 {
		r := rec(fmt.Sprintf("%02d", i), 1, float32(i))
		r.Person = fmt.Sprint(i % 50)
		require.NoError(t, x.Put(t.Context(), r))
	}
	assert.Equal(t, []string{"05"}, find(t, x, memory.Query{Person: "5", Vector: []float32{1, 0}}, 9))
	assert.Empty(t, find(t, x, memory.Query{Person: "45", Vector: []float32{1, 0}}, 9))
	assert.Len(t, find(t, x, memory.Query{Vector: []float32{1, 0}}, 99), 20)
	for _, n := range s.asked {
		assert.LessOrEqual(t, n, 20)
	}
}
