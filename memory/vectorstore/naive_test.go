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
)

// TestIndex_InMemory: records deleted from the memory's store are never returned, and the first recall loads a space.
func TestIndex_InMemory(t *testing.T) {
	ctx, now := t.Context(), time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	s := newServer()
	truth := memory.NewMemStore()
	for range 2 { // the second time as after a restart
		mem := memorytest.New(t, truth, memory.Options{Embedder: hotPotEmbedder{}, EmbedderID: "words", Indexes: []memory.Index{newIndex(t, s.open, vectorstore.Options{})}})
		require.NoError(t, mem.Put(ctx, memory.Record{ID: "1", Space: group, Text: "火锅"}, memory.Record{ID: "2", Space: group, Text: "爬山"}))
		require.NoError(t, mem.EmbedMissing(ctx, nil))
		hits, err := mem.Reader(group).Recall(ctx, now, memory.Query{Text: "吃"})
		require.NoError(t, err)
		require.NotEmpty(t, hits)
		assert.Equal(t, "1", hits[0].ID)
		assert.Equal(t, 2, s.size())
		require.ErrorIs(t, mem.Delete(ctx, group, "1"), memory.ErrCannotDelete)
		hits, err = mem.Reader(group).Recall(ctx, now, memory.Query{Text: "吃"})
		require.NoError(t, err)
		for _, h := range hits {
			assert.NotEqual(t, "1", h.ID)
		}
	}
}

// hotPotEmbedder embeds texts about hot pot close to texts about food.
type hotPotEmbedder struct{}

func (hotPotEmbedder) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	if text == "吃" || text == "火锅" {
		return []float32{1, .1}, nil
	}
	return []float32{.1, 1}, nil
}

func (w hotPotEmbedder) EmbedDocuments(ctx context.Context, texts []string) (out [][]float32, err error) {
	for _, text := range texts {
		v, _ := w.EmbedQuery(ctx, text)
		out = append(out, v)
	}
	return out, nil
}

// TestSearch_EqualsNaive compares with a plain scan after puts, replacements, moves and deletions, on vectors with many
// ties.
func TestSearch_EqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, deletes := range []bool{true, false} {
		s := newServer()
		o := vectorstore.Options{}
		if deletes {
			o.Delete = s.delete
		}
		x := newIndex(t, s.open, o)
		truth := map[string]memory.Record{}
		for range 600 {
			r := rec(fmt.Sprint(rng.IntN(80)), float32(rng.IntN(3)), float32(rng.IntN(3))+.5, float32(rng.IntN(2)))
			r.Person, r.At = fmt.Sprint(rng.IntN(5)), time.Unix(int64(1e9+rng.IntN(9)), 0)
			switch rng.IntN(5) {
			case 0:
				err := x.Delete(t.Context(), group, r.ID)
				require.True(t, err == nil || errors.Is(err, memory.ErrCannotDelete) && !deletes, "%v", err)
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
			assert.Equal(t, live, s.size(), "no document remains")
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
