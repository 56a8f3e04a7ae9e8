package memory_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// embedder counts its calls and has configurable faults.
type embedder struct {
	calls     atomic.Int64
	documents func([]string) ([][]float32, error)
	query     error
}

func (e *embedder) EmbedDocuments(_ context.Context, texts []string) (vs [][]float32, err error) {
	e.calls.Add(1)
	if e.documents != nil {
		return e.documents(texts)
	}
	for _, text := range texts {
		vs = append(vs, memorytest.Vector(text))
	}
	return vs, nil
}

func (e *embedder) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	e.calls.Add(1)
	return memorytest.Vector(text), e.query
}

func withVectors(t testing.TB, store memory.Store, e *embedder) *memory.Memory {
	t.Helper()
	return memorytest.New(t, store, memory.Options{Indexes: []memory.Index{chromem.New()}, Embedder: e, EmbedderID: "test-1"})
}

// embed embeds all records, as Memory.Run does.
func embed(t *testing.T, m *memory.Memory) {
	t.Helper()
	require.NoError(t, m.EmbedMissing(t.Context(), nil))
}

func get(t *testing.T, s memory.Store, id string) memory.Record {
	t.Helper()
	recs, err := s.Get(t.Context(), group, id)
	require.NoError(t, err)
	require.Len(t, recs, 1)
	return recs[0]
}

func terms(t *testing.T, r *memory.Reader, q memory.Query) map[string][]string {
	t.Helper()
	hits, err := r.Recall(t.Context(), noon, q)
	require.NoError(t, err)
	out := map[string][]string{}
	for _, h := range hits {
		for _, term := range h.Terms {
			out[h.ID] = append(out[h.ID], term.Name)
		}
	}
	return out
}

func TestRecall_BlendsVectors(t *testing.T) {
	e, store := &embedder{}, memory.NewMemStore()
	m := withVectors(t, store, e)
	put(t, m, message(group, "1", "吃火锅"), message(group, "2", "锅"))
	assert.Zero(t, e.calls.Load(), "Put does not wait for the embedder")
	embed(t, m)
	assert.EqualValues(t, 1, e.calls.Load(), "one call for all records")
	assert.Equal(t, memorytest.Vector("吃火锅"), get(t, store, "1").Vector)
	assert.Equal(t, "test-1", get(t, store, "1").Embedder)
	got := terms(t, m.Reader(group, other), memory.Query{Text: "火锅"})
	assert.EqualValues(t, 2, e.calls.Load(), "one for the query, not per space")
	assert.Contains(t, got["1"], "words")
	assert.Contains(t, got["1"], "vector")

	again := withVectors(t, store, e) // vectors come from the store
	assert.Contains(t, terms(t, again.Reader(group), memory.Query{Text: "火锅"})["2"], "vector")
	assert.EqualValues(t, 3, e.calls.Load())
	given := terms(t, again.Reader(group), memory.Query{Vector: memorytest.Vector("锅")})
	assert.Contains(t, given["2"], "vector", "a query may have only a vector")
	assert.NotContains(t, given["2"], "words")
	assert.EqualValues(t, 3, e.calls.Load(), "given vectors are kept")
}

func TestEmbedder_FailureLosesNothing(t *testing.T) {
	nan := float32(math.NaN())
	for name, documents := range map[string]func([]string) ([][]float32, error){
		"error":   func([]string) ([][]float32, error) { return nil, errors.New("no network") },
		"too few": func([]string) ([][]float32, error) { return nil, nil },
		"NaN":     func(ts []string) ([][]float32, error) { return [][]float32{{nan}, {nan}}[:len(ts)], nil },
		"zero":    func(ts []string) ([][]float32, error) { return [][]float32{{0, 0}, {0, 0}}[:len(ts)], nil },
		"empty":   func(ts []string) ([][]float32, error) { return make([][]float32, len(ts)), nil },
	} {
		t.Run(name, func(t *testing.T) {
			e, store := &embedder{documents: documents, query: errors.New("no network")}, memory.NewMemStore()
			m := withVectors(t, store, e)
			recs := []memory.Record{message(group, "1", "吃火锅"), message(group, "2", "火锅店")}
			put(t, m, recs...)
			assert.ErrorIs(t, m.EmbedMissing(t.Context(), nil), memory.ErrNotIndexed)
			assert.Len(t, terms(t, m.Reader(group), memory.Query{Text: "火锅"}), 2, "found by words")
			assert.Nil(t, get(t, store, "1").Vector)
			e.documents, e.query = nil, nil
			embed(t, m)
			assert.Contains(t, terms(t, m.Reader(group), memory.Query{Text: "火锅"})["2"], "vector", "another call repairs it")
		})
	}
}

func TestRecall_IgnoresVectorsOfOtherModels(t *testing.T) {
	e, store := &embedder{}, memory.NewMemStore()
	old := message(group, "old", "吃火锅")
	old.Vector, old.Embedder = []float32{1, 2, 3}, "test-0"
	put(t, memorytest.New(t, store, memory.Options{}), old)
	m := withVectors(t, store, e)
	new := message(group, "new", "火锅店")
	new.Vector, new.Embedder = memorytest.Vector(new.Text), "test-1"
	put(t, m, new)
	got := terms(t, m.Reader(group), memory.Query{Text: "火锅"})
	assert.NotContains(t, got["old"], "vector")
	assert.Contains(t, got["new"], "vector")
	odd := message(group, "odd", "火锅")
	odd.Vector, odd.Embedder = []float32{1, 2, 3}, "test-1"
	assert.ErrorIs(t, m.Put(t.Context(), odd), memory.ErrVector, "another length of the same embedder")
	odd.Vector = []float32{nan(), 2}
	assert.ErrorIs(t, m.Put(t.Context(), odd), memory.ErrVector)

	embed(t, m)
	assert.Equal(t, "test-1", get(t, store, "old").Embedder, "embedded again")
	assert.Contains(t, terms(t, m.Reader(group), memory.Query{Text: "火锅"})["old"], "vector")
}

// TestPut_FirstVectorSetsLength: the first stored vector sets the length; a rejected one does not.
func TestPut_FirstVectorSetsLength(t *testing.T) {
	of := func(id string, v ...float32) memory.Record { r := message(group, id, "火锅"); r.Vector = v; return r }
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{Indexes: []memory.Index{chromem.New()}})
	assert.ErrorIs(t, m.Put(t.Context(), of("1", 1, 2), of("2", 1, 2, 3)), memory.ErrVector)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, m.Put(over, of("1", 1, 2)), context.Canceled)
	require.NoError(t, m.Put(t.Context(), of("3", 1, 2, 3)))
	assert.ErrorIs(t, m.Put(t.Context(), of("1", 1, 2)), memory.ErrVector)
	assert.Equal(t, []string{"3"}, recall(t, m.Reader(group), ""))

	for name, v := range map[string][]float32{"short": {1, 2}, "NaN": {1, 2, nan()}, "zero": {0, 0, 0}} {
		_, err := m.Reader(group).Recall(t.Context(), noon, memory.Query{Text: "火锅", Vector: v})
		assert.ErrorIs(t, err, memory.ErrVector, name)
	}
	hits, err := m.Reader(group).Recall(t.Context(), noon, memory.Query{Text: "火锅", Vector: []float32{1, 2, 3}})
	require.NoError(t, err)
	assert.Len(t, hits, 1)
}

func nan() float32 { return float32(math.NaN()) }

// TestEmbedMissing_DeletedMeanwhile deletes and changes records while they are being embedded.
func TestEmbedMissing_DeletedMeanwhile(t *testing.T) {
	store := memory.NewMemStore()
	e := &embedder{}
	m := withVectors(t, store, e)
	e.documents = func(texts []string) (vs [][]float32, err error) {
		e.documents = nil
		require.NoError(t, m.Delete(t.Context(), group, "forgotten"))
		require.NoError(t, m.Hide(t.Context(), group, "hidden"))
		require.NoError(t, m.Put(t.Context(), message(group, "changed", "changed")))
		return e.EmbedDocuments(t.Context(), texts)
	}
	put(t, m, message(group, "forgotten", "火锅"), message(group, "hidden", "火锅"), message(group, "changed", "火锅"), message(group, "same", "火锅"))
	embed(t, m)
	recs, err := store.Get(t.Context(), group, "forgotten", "hidden", "changed", "same")
	require.NoError(t, err)
	require.Len(t, recs, 2)
	assert.Equal(t, memorytest.Vector("changed"), recs[0].Vector, "listed again, with the new text")
	assert.Equal(t, memorytest.Vector("火锅"), recs[1].Vector)
	assert.Equal(t, []string{"same"}, recall(t, m.Reader(group), "火锅")[:1])
}

// failingIndex is an index that always fails.
type failingIndex struct{ memory.Index }

var errBroken = errors.New("out of order")

func (failingIndex) Put(context.Context, ...memory.Record) error { return errBroken }
func (failingIndex) Search(context.Context, memory.Space, memory.Query, int) ([]memory.Candidate, error) {
	return nil, errBroken
}

func TestIndex_FailureLosesNothing(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{Indexes: []memory.Index{failingIndex{}}})
	assert.Empty(t, recall(t, m.Reader(group), "火锅"))
	err := m.Put(t.Context(), message(group, "1", "火锅"))
	assert.ErrorIs(t, err, memory.ErrNotIndexed)
	assert.ErrorIs(t, err, errBroken)
	assert.Equal(t, []string{"1"}, recall(t, m.Reader(group), "火锅"))
	assert.Equal(t, []string{"1"}, recall(t, memorytest.New(t, store, memory.Options{Indexes: []memory.Index{failingIndex{}}}).Reader(group), "火锅"))
}
