package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/memory/internal/best"
)

// A cosineIndex is the index of a Memory with an embedder and without an index of its own. It compares a query with every
// vector of the space, so memory/flat is faster for many records.
type cosineIndex struct {
	mu     sync.RWMutex
	spaces map[Space]map[string]*unitRecord
}

// A unitRecord has a vector of length 1, and the fields of a record that filters need.
type unitRecord struct {
	Record
	unit []float32
}

func newCosineIndex() *cosineIndex { return &cosineIndex{spaces: map[Space]map[string]*unitRecord{}} }

// Put implements [Index]. One unusable vector rejects the whole call.
func (x *cosineIndex) Put(ctx context.Context, recs ...Record) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	dims := map[Space]int{}
	for i := range recs {
		if err := x.check(&recs[i], dims); err != nil {
			return fmt.Errorf("memory: record %q in space %q: %w", recs[i].ID, string(recs[i].Space), err)
		}
	}
	for i := range recs {
		r := &recs[i]
		x.remove(r.Space.Counterpart(), r.ID)
		x.remove(r.Space, r.ID)
		if len(r.Vector) == 0 {
			continue
		}
		if x.spaces[r.Space] == nil {
			x.spaces[r.Space] = map[string]*unitRecord{}
		}
		x.spaces[r.Space][r.ID] = &unitRecord{Record{Person: r.Person, Kind: r.Kind, Tags: slices.Clone(r.Tags), At: r.At}, unit(r.Vector)}
	}
	return nil
}

// check returns an error for an invalid record. dims has the vector lengths of the records before it.
func (x *cosineIndex) check(r *Record, dims map[Space]int) error {
	if err := r.Space.Validate(); err != nil {
		return err
	}
	if r.ID == "" {
		return ErrInvalid
	}
	if len(r.Vector) == 0 {
		return nil
	}
	for _, other := range x.spaces[r.Space] {
		dims[r.Space] = len(other.unit)
		break
	}
	if want := cmp.Or(dims[r.Space], len(r.Vector)); !ValidVector(r.Vector) || want != len(r.Vector) {
		return fmt.Errorf("a vector of %d dimensions: %w", len(r.Vector), ErrVector)
	}
	dims[r.Space] = len(r.Vector)
	return nil
}

func (x *cosineIndex) remove(s Space, id string) {
	delete(x.spaces[s], id)
	if len(x.spaces[s]) == 0 {
		delete(x.spaces, s)
	}
}

// Delete implements [Index].
func (x *cosineIndex) Delete(ctx context.Context, s Space, ids ...string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, id := range ids {
		x.remove(s, id)
	}
	return nil
}

// Search implements [Index]. Equal scores are ordered by ID.
func (x *cosineIndex) Search(ctx context.Context, s Space, q Query, k int) ([]Candidate, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if k = min(k, len(x.spaces[s])); k <= 0 || len(q.Vector) == 0 {
		return nil, ctx.Err()
	}
	if !ValidVector(q.Vector) {
		return nil, fmt.Errorf("memory: query: %w", ErrVector)
	}
	want := unit(q.Vector)
	h := best.Heap[Candidate]{K: k, Worse: func(a, b Candidate) bool { return compareCandidates(a, b) > 0 }}
	for id, r := range x.spaces[s] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(want) != len(r.unit) {
			return nil, fmt.Errorf("memory: query has %d dimensions, want %d: %w", len(want), len(r.unit), ErrVector)
		}
		if !q.Match(&r.Record) {
			continue
		}
		h.Add(Candidate{ID: id, Score: dot(want, r.unit)})
	}
	slices.SortFunc(h.Items, compareCandidates)
	return h.Items, nil
}

func compareCandidates(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
}

// unit returns a copy of v with length 1.
func unit(v []float32) []float32 {
	length := math.Sqrt(dot(v, v)) // of a valid vector: neither 0 nor infinite
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / length)
	}
	return u
}

// dot adds up float64s, because large values overflow a float32.
func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
