package vectorstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/vectorstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/vectorstores"
)

const group = memory.Space("qq:group:1")

// TestIndex runs over stores that can delete and that cannot, with collections, with namespaces, with all spaces in one, with distances for scores. Whatever is put, only vectors and keys of it arrive.
func TestIndex(t *testing.T) {
	oneFor := func(s *server) func(context.Context, string) (vectorstores.VectorStore, error) {
		one, _ := s.open(context.Background(), "hearth_00000000000000000000000000000000")
		return func(context.Context, string) (vectorstores.VectorStore, error) { return one, nil }
	}
	for name, open := range map[string]func(s *server) *vectorstore.Index{
		"collections": func(s *server) *vectorstore.Index {
			return vectorstore.New(s.open, &vectorstore.Options{Delete: s.delete})
		},
		"no deletion":   func(s *server) *vectorstore.Index { return vectorstore.New(s.open, nil) },
		"all in one":    func(s *server) *vectorstore.Index { return vectorstore.New(oneFor(s), nil) },
		"small answers": func(s *server) *vectorstore.Index { s.most = 1000; return vectorstore.New(s.open, nil) },
		"distances": func(s *server) *vectorstore.Index {
			s.distance = true
			return vectorstore.New(s.open, &vectorstore.Options{Delete: s.delete, Score: func(d float32) float64 { return 1 - float64(d) }})
		},
		"namespaces": func(s *server) *vectorstore.Index {
			one, _ := s.open(context.Background(), "hearth_00000000000000000000000000000000")
			return vectorstore.New(vectorstore.Namespaces(one), &vectorstore.Options{Delete: s.delete})
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
				return open(s)
			})
		})
	}
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

// TestForget follows what the store still has.
func TestForget(t *testing.T) {
	ctx := t.Context()
	s := newServer()
	x := vectorstore.New(s.open, nil)
	require.NoError(t, x.Put(ctx, rec("1", 1, 0), rec("2", 0, 1)))
	assert.NoError(t, x.Delete(ctx, group), "nothing")
	assert.NoError(t, x.Delete(ctx, group, "unknown"))
	assert.NoError(t, x.Delete(ctx, "elsewhere", "1"))
	assert.ErrorIs(t, x.Delete(ctx, group, "1", "unknown"), memory.ErrCannotForget)
	assert.ErrorIs(t, x.Delete(ctx, group, "1"), memory.ErrCannotForget, "it is still there")
	assert.Equal(t, []string{"2"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9), "and found no more")
	require.NoError(t, x.Put(ctx, rec("1", 1, 0)))
	assert.Equal(t, []string{"1", "2"}, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
	assert.Equal(t, 2, s.size(), "what came back was there already")
	require.NoError(t, x.Put(ctx, rec("1", 1, 1)), "what was replaced cannot be forgotten either, which is no error here")
	assert.Equal(t, 3, s.size())
	assert.ErrorIs(t, x.Delete(ctx, group, "1"), memory.ErrCannotForget)

	s = newServer()
	x = vectorstore.New(s.open, &vectorstore.Options{Delete: s.delete})
	require.NoError(t, x.Put(ctx, rec("1", 1, 0), rec("2", 0, 1)))
	require.NoError(t, x.Put(ctx, rec("1", 1, 1)))
	assert.Equal(t, 2, s.size(), "a vector that is replaced is deleted")
	hidden := rec("1", 1, 1)
	hidden.Space = group.Secret()
	require.NoError(t, x.Put(ctx, hidden))
	assert.Equal(t, 2, s.size(), "one that moved to the twin too")
	s.fails = errors.New("down")
	assert.ErrorIs(t, x.Delete(ctx, group, "2"), s.fails)
	assert.ErrorIs(t, x.Put(ctx, rec("2", 0, 1)), s.fails, "what may or may not be there is not trusted")
	s.fails = nil
	assert.Empty(t, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
	require.NoError(t, x.Put(ctx, rec("2", 0, 1)))
	assert.Equal(t, []string{"2"}, find(t, x, memory.Query{Vector: []float32{0, 1}}, 9))
	require.NoError(t, x.Delete(ctx, group, "2"))
	require.NoError(t, x.Delete(ctx, group.Secret(), "1"))
	assert.Zero(t, s.size())
}

// TestSameVectorAgain: new fields do not bother the store.
func TestSameVectorAgain(t *testing.T) {
	s := newServer()
	x := vectorstore.New(s.open, nil)
	for _, person := range []string{"a", "b", "b"} {
		r := rec("1", 1, 2)
		r.Person = person
		require.NoError(t, x.Put(t.Context(), r))
	}
	assert.Equal(t, 1, s.size())
	assert.Empty(t, find(t, x, memory.Query{Person: "a", Vector: []float32{1, 2}}, 9))
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Person: "b", Vector: []float32{1, 2}}, 9))
}

// TestStoreFails: after an error nothing half done is found, and putting again mends it.
func TestStoreFails(t *testing.T) {
	s := newServer()
	x := vectorstore.New(s.open, nil)
	down := errors.New("down")
	s.fails = down
	require.ErrorIs(t, x.Put(t.Context(), rec("1", 1, 0), rec("2", 1, 0)), down, "cannot be opened")
	s.fails = nil
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	s.fails = down
	require.ErrorIs(t, x.Put(t.Context(), rec("1", 0, 1), rec("2", 0, 1)), down)
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
	assert.NoError(t, err, "nothing is left to ask for")
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

// own makes vectors itself, as a store does that was not made with Embedder.
type own struct{}

func (own) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1, 0}
	}
	return out, nil
}

func (own) EmbedQuery(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }

// lost hands the embedder a context of its own.
type lost struct{ vectorstore.Embedder }

func (l lost) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	return l.Embedder.EmbedDocuments(context.Background(), texts)
}

func TestOtherEmbedder(t *testing.T) {
	s := newServer()
	for name, c := range map[string]*collection{"own": {s, "x", own{}}, "lost": {s, "x", lost{}}} {
		x := vectorstore.New(func(context.Context, string) (vectorstores.VectorStore, error) { return c, nil }, nil)
		assert.ErrorIs(t, x.Put(t.Context(), rec("1", 1, 0)), vectorstore.ErrEmbedder, name)
		cs, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
		assert.NoError(t, err)
		assert.Empty(t, cs, name)
	}
	c := &collection{s, "y", vectorstore.Embedder{}}
	x := vectorstore.New(func(context.Context, string) (vectorstores.VectorStore, error) { return c, nil }, nil)
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0)))
	c.embedder = own{}
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 0}}, 9)
	assert.ErrorIs(t, err, vectorstore.ErrEmbedder)
}

// TestForeignDocuments: what others put into the collection is never answered and takes nobody's place.
func TestForeignDocuments(t *testing.T) {
	s := newServer()
	x := vectorstore.New(s.open, nil)
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

// TestMaxAsk bounds what one search costs.
func TestMaxAsk(t *testing.T) {
	s := newServer()
	x := vectorstore.New(s.open, &vectorstore.Options{MaxAsk: 20})
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

func TestRefusedVectorsLeaveNothing(t *testing.T) {
	x := vectorstore.New(newServer().open, nil)
	require.NoError(t, x.Put(t.Context(), rec("1", 1, 0, 0)))
	for name, bad := range map[string][]float32{"NaN": {float32(math.NaN()), 1, 1}, "infinite": {1, float32(math.Inf(-1)), 1}, "zero": {0, 0, 0}, "short": {1, 0}, "long": {1, 0, 0, 0}} {
		err := x.Put(t.Context(), rec("good "+name, 1, 0, 0), rec("bad "+name, bad...))
		assert.ErrorIs(t, err, memory.ErrVector, name)
	}
	assert.ErrorIs(t, x.Put(t.Context(), rec("", 1, 0, 0)), memory.ErrInvalid)
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Vector: []float32{1, 0, 0}}, 9))
	_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1}}, 9)
	assert.ErrorIs(t, err, memory.ErrVector)
	assert.Panics(t, func() { vectorstore.New(nil, nil) })
}

// TestInAMemory: nothing is told that the store of the memory has forgotten, and a space is filled when it is first recalled from.
func TestInAMemory(t *testing.T) {
	ctx, now := t.Context(), time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	s := newServer()
	truth := memory.NewStore()
	for range 2 { // the second time as after a restart
		mem := memory.New(truth, &memory.Options{Embedder: words{}, Indexes: []memory.Index{vectorstore.New(s.open, nil)}})
		require.NoError(t, mem.Keep(ctx, memory.Record{ID: "1", Space: group, Text: "火锅"}, memory.Record{ID: "2", Space: group, Text: "爬山"}))
		require.NoError(t, mem.Embed(ctx, nil))
		hits, err := mem.Reader(group).Recall(ctx, now, memory.Query{Text: "吃"})
		require.NoError(t, err)
		require.NotEmpty(t, hits)
		assert.Equal(t, "1", hits[0].ID)
		assert.Equal(t, 2, s.size())
		require.ErrorIs(t, mem.Forget(ctx, group, "1"), memory.ErrCannotForget)
		hits, err = mem.Reader(group).Recall(ctx, now, memory.Query{Text: "吃"})
		require.NoError(t, err)
		for _, h := range hits {
			assert.NotEqual(t, "1", h.ID)
		}
	}
}

// words knows that hot pot is to eat.
type words struct{}

func (words) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	if text == "吃" || text == "火锅" {
		return []float32{1, .1}, nil
	}
	return []float32{.1, 1}, nil
}

func (w words) EmbedDocuments(ctx context.Context, texts []string) (out [][]float32, err error) {
	for _, text := range texts {
		v, _ := w.EmbedQuery(ctx, text)
		out = append(out, v)
	}
	return out, nil
}

// TestAgainstNaive compares with a plain scan, through puts, replacements, moves and deletions, on vectors of which many are equal.
func TestAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, deletes := range []bool{true, false} {
		s := newServer()
		o := &vectorstore.Options{}
		if deletes {
			o.Delete = s.delete
		}
		x := vectorstore.New(s.open, o)
		truth := map[string]memory.Record{}
		for range 600 {
			r := rec(fmt.Sprint(rng.IntN(80)), float32(rng.IntN(3)), float32(rng.IntN(3))+.5, float32(rng.IntN(2)))
			r.Person, r.At = fmt.Sprint(rng.IntN(5)), time.Unix(int64(1e9+rng.IntN(9)), 0)
			switch rng.IntN(5) {
			case 0:
				err := x.Delete(t.Context(), group, r.ID)
				require.True(t, err == nil || errors.Is(err, memory.ErrCannotForget) && !deletes, "%v", err)
				if truth[r.ID].Space == group {
					delete(truth, r.ID)
				}
			case 1:
				r.Space = group.Secret()
				fallthrough
			case 2:
				if rng.IntN(3) == 0 {
					r.Vector = nil
				}
				fallthrough
			default:
				require.NoError(t, x.Put(t.Context(), r))
				truth[r.ID] = r
			}
			q := memory.Query{Vector: []float32{float32(rng.IntN(3)), .5, 1}}
			if rng.IntN(2) == 0 {
				q.Person = "3"
			}
			k := 1 + rng.IntN(20)
			got, err := x.Search(t.Context(), group, q, k)
			require.NoError(t, err)
			want := 0
			for _, r := range truth {
				if r.Space == group && r.Vector != nil && q.Match(&r) {
					want++
				}
			}
			require.Len(t, got, min(k, want))
			for i, c := range got {
				r := truth[c.ID]
				require.True(t, r.Space == group && q.Match(&r))
				require.InDelta(t, cosine(q.Vector, r.Vector), c.Score, 1e-6)
				if i > 0 && got[i-1].Score == c.Score {
					require.False(t, truth[got[i-1].ID].At.Before(r.At), "ties newest first")
				}
			}
			if n := len(got); n > 0 {
				better := 0
				for _, r := range truth {
					if r.Space == group && r.Vector != nil && q.Match(&r) && cosine(q.Vector, r.Vector) > got[n-1].Score+1e-6 {
						better++
					}
				}
				require.Less(t, better, n)
			}
		}
		if deletes {
			live := 0
			for _, r := range truth {
				if r.Vector != nil {
					live++
				}
			}
			assert.Equal(t, live, s.size(), "nothing is left behind")
		}
	}
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
