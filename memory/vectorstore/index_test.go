package vectorstore_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/vectorstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/vectorstores"
)

const group = memory.Space("qq:group:1")

// TestIndex_Conformance runs over stores with and without deletion, with collections, with namespaces, with one
// collection for all spaces, and with distances as scores. In each case only vectors and keys reach the store.
func TestIndex_Conformance(t *testing.T) {
	oneFor := func(s *fakeServer) func(context.Context, string) (vectorstores.VectorStore, error) {
		one, _ := s.open(context.Background(), "hearth_00000000000000000000000000000000")
		return func(context.Context, string) (vectorstores.VectorStore, error) { return one, nil }
	}
	for name, open := range map[string]func(s *fakeServer) (*vectorstore.Index, error){
		"collections": func(s *fakeServer) (*vectorstore.Index, error) {
			return vectorstore.New(s.open, vectorstore.Options{Delete: s.delete})
		},
		"no deletion": func(s *fakeServer) (*vectorstore.Index, error) { return vectorstore.New(s.open, vectorstore.Options{}) },
		"all in one": func(s *fakeServer) (*vectorstore.Index, error) {
			return vectorstore.New(oneFor(s), vectorstore.Options{})
		},
		"small answers": func(s *fakeServer) (*vectorstore.Index, error) {
			s.most = 1000
			return vectorstore.New(s.open, vectorstore.Options{})
		},
		"distances": func(s *fakeServer) (*vectorstore.Index, error) {
			s.distance = true
			return vectorstore.New(s.open, vectorstore.Options{Delete: s.delete, Score: func(d float32) float64 { return 1 - float64(d) }})
		},
		"namespaces": func(s *fakeServer) (*vectorstore.Index, error) {
			one, _ := s.open(context.Background(), "hearth_00000000000000000000000000000000")
			return vectorstore.New(vectorstore.Namespaces(one), vectorstore.Options{Delete: s.delete})
		},
	} {
		t.Run(name, func(t *testing.T) {
			memorytest.TestIndex(t, func(t *testing.T) memory.Index {
				s := newServer()
				t.Cleanup(func() {
					for _, text := range s.seen {
						require.Regexp(t, harmless, text)
					}
					if name != "namespaces" {
						assert.Zero(t, s.options)
					}
				})
				x, err := open(s)
				require.NoError(t, err)
				return x
			})
		})
	}
}

// newIndex calls vectorstore.New and stops the test on an error.
func newIndex(t testing.TB, open func(context.Context, string) (vectorstores.VectorStore, error), o vectorstore.Options) *vectorstore.Index {
	t.Helper()
	x, err := vectorstore.New(open, o)
	require.NoError(t, err)
	return x
}

func TestNew_WithoutOpen(t *testing.T) {
	_, err := vectorstore.New(nil, vectorstore.Options{})
	assert.ErrorContains(t, err, "opens stores")
}

func rec(id string, v ...float32) memory.Record {
	return memory.Record{ID: id, Space: group, Vector: v}
}

func find(t *testing.T, x memory.Index, q memory.Query, k int) (ids []string) {
	t.Helper()
	cs, err := x.Search(t.Context(), group, q, k)
	require.NoError(t, err)
	for _, c := range cs {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestDelete_StoreContent tracks the documents in the store.
func TestDelete_StoreContent(t *testing.T) {
	ctx := t.Context()
	s := newServer()
	x := newIndex(t, s.open, vectorstore.Options{})
	require.NoError(t, x.Put(ctx, rec("1", 1, 0), rec("2", 0, 1)))
	assert.NoError(t, x.Delete(ctx, group), "nothing")
	assert.NoError(t, x.Delete(ctx, group, "unknown"))
	assert.NoError(t, x.Delete(ctx, "elsewhere", "1"))
	assert.ErrorIs(t, x.Delete(ctx, group, "1", "unknown"), memory.ErrCannotDelete)
	assert.ErrorIs(t, x.Delete(ctx, group, "1"), memory.ErrCannotDelete, "it is still there")
	assert.Equal(t, []string{"2"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9), "but not found")
	require.NoError(t, x.Put(ctx, rec("1", 1, 0)))
	assert.Equal(t, []string{"1", "2"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
	assert.Equal(t, 2, s.size(), "a restored document is not added again")
	require.NoError(t, x.Put(ctx, rec("1", 1, 1)), "a replaced document cannot be deleted, and that is no error here")
	assert.Equal(t, 3, s.size())
	assert.ErrorIs(t, x.Delete(ctx, group, "1"), memory.ErrCannotDelete)

	s = newServer()
	x = newIndex(t, s.open, vectorstore.Options{Delete: s.delete})
	require.NoError(t, x.Put(ctx, rec("1", 1, 0), rec("2", 0, 1)))
	require.NoError(t, x.Put(ctx, rec("1", 1, 1)))
	assert.Equal(t, 2, s.size(), "a vector that is replaced is deleted")
	hidden := rec("1", 1, 1)
	hidden.Space = group.Secret()
	require.NoError(t, x.Put(ctx, hidden))
	assert.Equal(t, 2, s.size(), "and one that moved to the counterpart")
	s.fails = errors.New("down")
	assert.ErrorIs(t, x.Delete(ctx, group, "2"), s.fails)
	assert.ErrorIs(t, x.Put(ctx, rec("2", 0, 1)), s.fails, "an uncertain document is not reused")
	s.fails = nil
	assert.Empty(t, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
	require.NoError(t, x.Put(ctx, rec("2", 0, 1)))
	assert.Equal(t, []string{"2"}, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
	s.deleted = nil
	require.NoError(t, x.Delete(ctx, group, "2", "2"))
	require.NoError(t, x.Delete(ctx, group, "2"))
	assert.Len(t, s.deleted, 1, "each is added once")
	require.NoError(t, x.Delete(ctx, group.Secret(), "1"))
	assert.Zero(t, s.size())
}

// TestPut_SameVector: a record with the same vector and new fields causes no call of the store.
func TestPut_SameVector(t *testing.T) {
	s := newServer()
	for _, o := range []vectorstore.Options{vectorstore.Options{}, {Delete: s.delete}} {
		s.n = 0
		x := newIndex(t, s.open, o)
		for _, person := range []string{"a", "b", "b"} {
			r := rec("1", 1, 2)
			r.Person = person
			require.NoError(t, x.Put(t.Context(), r))
		}
		assert.Equal(t, 1, s.n, "added once")
		assert.Empty(t, s.deleted)
		assert.Empty(t, find(t, x, memory.Query{Person: "a", Vector: []float32{1, 2}}, 9))
		assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Person: "b", Vector: []float32{1, 2}}, 9))
	}
}

// TestPut_VectorLength: a space accepts one vector length as long as the store contains any vector of it.
func TestPut_VectorLength(t *testing.T) {
	ctx := t.Context()
	s := newServer()
	x := newIndex(t, s.open, vectorstore.Options{Delete: s.delete})
	require.NoError(t, x.Put(ctx, rec("1", 1, 0)))
	require.ErrorIs(t, x.Put(ctx, rec("2", 1, 0, 0)), memory.ErrVector)
	require.NoError(t, x.Delete(ctx, group, "1"))
	require.NoError(t, x.Put(ctx, rec("2", 1, 0, 0)))
	assert.Equal(t, []string{"2"}, find(t, x, memory.Query{Vector: []float32{1, 0, 0}}, 9))

	require.NoError(t, x.Put(ctx, rec("3", 1, 0, 0)))
	s.fails = errors.New("down")
	require.ErrorIs(t, x.Delete(ctx, group, "2"), s.fails)
	s.fails = nil
	require.NoError(t, x.Delete(ctx, group, "3"))
	require.ErrorIs(t, x.Put(ctx, rec("4", 1, 0)), memory.ErrVector, "2 is there still")

	x = newIndex(t, s.open, vectorstore.Options{})
	require.NoError(t, x.Put(ctx, rec("1", 1, 0)))
	require.ErrorIs(t, x.Delete(ctx, group, "1"), memory.ErrCannotDelete)
	require.ErrorIs(t, x.Put(ctx, rec("2", 1, 0, 0)), memory.ErrVector, "the store still has vectors of another length")
	require.NoError(t, x.Put(ctx, rec("2", 1, 1)))
	assert.Equal(t, []string{"2"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
}

// A waitingContext reports when a caller waits for it.
type waitingContext struct {
	context.Context
	told func()
}

func (w waitingContext) Done() <-chan struct{} {
	w.told()
	return w.Context.Done()
}

// TestPut_LockPerSpace: a waiting writer can be cancelled, other spaces do not wait, and the vector length is checked
// again after the wait.
func TestPut_LockPerSpace(t *testing.T) {
	s := newServer()
	entered, hold := make(chan bool), make(chan bool)
	slow := true
	x := newIndex(t, func(ctx context.Context, name string) (vectorstores.VectorStore, error) {
		if slow {
			slow = false
			entered <- true
			<-hold
		}
		return s.open(ctx, name)
	}, vectorstore.Options{})
	done := make(chan error)
	go func() { done <- x.Put(context.Background(), rec("1", 1, 0)) }()
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- x.Put(waitingContext{ctx, cancel}, rec("2", 1, 0)) }() // cancelled as soon as it waits
	assert.ErrorIs(t, <-done, context.Canceled)
	longer := make(chan bool, 1)
	go func() {
		done <- x.Put(waitingContext{context.Background(), func() { longer <- true }}, rec("3", 1, 0, 0))
	}()
	<-longer
	elsewhere := rec("1", 1, 0)
	elsewhere.Space = "elsewhere"
	require.NoError(t, x.Put(t.Context(), elsewhere))
	assert.Empty(t, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9), "a search does not wait")
	close(hold)
	first, second := <-done, <-done
	if first != nil {
		first, second = second, first
	}
	assert.NoError(t, first)
	assert.ErrorIs(t, second, memory.ErrVector)
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
}

func TestPut_AllOrNone(t *testing.T) {
	x := newIndex(t, newServer().open, vectorstore.Options{})
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0)))
	for name, bad := range map[string][]float32{"NaN": {float32(math.NaN()), 1, 1}, "infinite": {1, float32(math.Inf(-1)), 1}, "zero": {0, 0, 0}, "short": {1, 0}, "long": {1, 0, 0, 0}} {
		err := x.Put(t.Context(), rec("good "+name, 1, 0, 0), rec("bad "+name, bad...))
		assert.ErrorIs(t, err, memory.ErrVector, name)
	}
	assert.ErrorIs(t, x.Put(t.Context(), rec("", 1, 0, 0)), memory.ErrInvalid)
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{1, 0, 0}}, 9))
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1}}, 9)
	assert.ErrorIs(t, err, memory.ErrVector)
}
