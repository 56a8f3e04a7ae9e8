package chromem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/vectors"
	chromem "github.com/philippgille/chromem-go"
)

// An Index searches vectors by cosine. All methods may be called concurrently.
type Index struct {
	writeMu sync.Mutex
	mu      sync.RWMutex
	spaces  map[memory.Space]*space
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index.
func New() *Index { return &Index{spaces: map[memory.Space]*space{}} }

// A space is a collection with the filter fields of its records. Users must hold mu, because chromem-go's own locks are
// incomplete.
type space struct {
	mu   sync.RWMutex
	docs *chromem.Collection
	recs map[string]*memory.Record // without text and vector
	dims int                       // of all vectors; 0 while empty
}

var errNoEmbedding = errors.New("chromem: the index does not embed texts")

func noEmbedder(context.Context, string) ([]float32, error) { return nil, errNoEmbedding }

// Put implements [memory.Index]. Records without a vector are not indexed, and their old vector is removed. One
// unusable vector rejects the whole call.
func (x *Index) Put(ctx context.Context, recs ...memory.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := vectors.Check("chromem", recs, x.dims); err != nil {
		return err
	}
	for i := range recs {
		if err := x.put(&recs[i]); err != nil {
			return err
		}
	}
	return nil
}

// dims returns the vector length of a space, or 0 if it has none.
func (x *Index) dims(at memory.Space) int {
	s := x.at(at)
	if s == nil {
		return 0
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.dims
}

func (x *Index) put(r *memory.Record) error {
	x.writeMu.Lock() // otherwise two concurrent moves could leave a record in both spaces
	defer x.writeMu.Unlock()
	if counterpart := x.at(r.Space.Counterpart()); counterpart != nil {
		if err := counterpart.remove(r.ID); err != nil {
			return err
		}
	}
	if len(r.Vector) == 0 {
		if s := x.at(r.Space); s != nil {
			return s.remove(r.ID)
		}
		return nil
	}
	s, err := x.make(r.Space)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dims != 0 && s.dims != len(r.Vector) { // changed by another call since Check
		return fmt.Errorf("chromem: record %q: %w", r.ID, memory.ErrVector)
	}
	if err := s.docs.AddDocument(context.Background(), chromem.Document{ID: r.ID, Embedding: vectors.Unit(r.Vector)}); err != nil {
		return fmt.Errorf("chromem: %w", err)
	}
	s.dims = len(r.Vector)
	s.recs[r.ID] = &memory.Record{ID: r.ID, Person: r.Person, Kind: r.Kind, Tags: slices.Clone(r.Tags), At: r.At}
	return nil
}

// Delete implements [memory.Index].
func (x *Index) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if sp := x.at(s); sp != nil && ctx.Err() == nil {
		return sp.remove(ids...)
	}
	return ctx.Err()
}

// remove deletes by ID only. With any filter, even an empty one, chromem-go ignores the IDs. Without filter and IDs it
// would delete everything.
func (s *space) remove(ids ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return s.recs[id] == nil })
	if len(ids) == 0 {
		return nil
	}
	if err := s.docs.Delete(context.Background(), nil, nil, ids...); err != nil {
		return fmt.Errorf("chromem: %w", err)
	}
	for _, id := range ids {
		delete(s.recs, id)
	}
	if len(s.recs) == 0 {
		s.dims = 0
	}
	return nil
}

// Search implements [memory.Index]. The score is the cosine. A query without a valid vector has no candidates. If the
// vector has the wrong length, the error matches [memory.ErrVector].
func (x *Index) Search(ctx context.Context, s memory.Space, q memory.Query, k int) ([]memory.Candidate, error) {
	sp := x.at(s)
	if err := ctx.Err(); err != nil || sp == nil || k <= 0 || !memory.ValidVector(q.Vector) {
		return nil, err
	}
	sp.mu.RLock()
	defer sp.mu.RUnlock()
	n := len(sp.recs)
	if n == 0 {
		return nil, nil
	}
	if len(q.Vector) != sp.dims {
		return nil, fmt.Errorf("chromem: query has %d dimensions, space %q has %d: %w", len(q.Vector), string(s), sp.dims, memory.ErrVector)
	}
	v := vectors.Unit(q.Vector)
	if ids, few := sp.fewMatches(&q); few {
		return sp.compare(ctx, v, ids, k)
	}
	for ask := min(n, 2*min(k, n)+8); ; ask = min(n, 4*ask) {
		// at most n, because chromem-go returns an error for more
		found, err := sp.docs.QueryEmbedding(ctx, v, ask, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("chromem: %w", err)
		}
		if cs, ok := sp.pick(&q, found, k, ask == n); ok {
			return cs, nil
		}
	}
}

// fewMatches lists the matching records if they are few. Then scoring them directly is faster than searching all.
func (s *space) fewMatches(q *memory.Query) (ids []string, ok bool) {
	if q.Person == "" && len(q.Kinds) == 0 && len(q.Tags) == 0 && q.Since.IsZero() && q.Until.IsZero() {
		return nil, false
	}
	for id, r := range s.recs {
		if !q.Match(r) {
			continue
		}
		if ids = append(ids, id); len(ids) > len(s.recs)/4 {
			return nil, false
		}
	}
	return ids, true
}

// compare scores these records one by one.
func (s *space) compare(ctx context.Context, v []float32, ids []string, k int) ([]memory.Candidate, error) {
	cs := make([]memory.Candidate, len(ids))
	for i, id := range ids {
		doc, err := s.docs.GetByID(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("chromem: %w", err)
		}
		var dot float32 // in the order of chromem-go
		for j, x := range v {
			dot += x * doc.Embedding[j]
		}
		cs[i] = memory.Candidate{ID: id, Score: float64(dot)}
	}
	return s.best(cs, k), nil
}

// pick applies the filters and returns the best records. It returns false if an equal or better record may be missing
// from found.
func (s *space) pick(q *memory.Query, found []chromem.Result, k int, all bool) ([]memory.Candidate, bool) {
	least := found[len(found)-1].Similarity
	cs := make([]memory.Candidate, 0, len(found))
	for _, f := range found {
		if !all && f.Similarity == least {
			break // ties with records that were cut off in random order
		}
		if q.Match(s.recs[f.ID]) {
			cs = append(cs, memory.Candidate{ID: f.ID, Score: float64(f.Similarity)})
		}
	}
	if !all && len(cs) < k {
		return nil, false
	}
	return s.best(cs, k), true
}

func (s *space) best(cs []memory.Candidate, k int) []memory.Candidate {
	slices.SortFunc(cs, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), s.recs[b.ID].At.Compare(s.recs[a.ID].At), strings.Compare(a.ID, b.ID))
	})
	return cs[:min(k, len(cs))]
}

func (x *Index) at(s memory.Space) *space {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.spaces[s]
}

func (x *Index) make(s memory.Space) (*space, error) {
	if sp := x.at(s); sp != nil {
		return sp, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spaces[s] == nil {
		docs, err := chromem.NewDB().CreateCollection(string(s), nil, noEmbedder)
		if err != nil {
			return nil, fmt.Errorf("chromem: %w", err)
		}
		x.spaces[s] = &space{docs: docs, recs: map[string]*memory.Record{}}
	}
	return x.spaces[s], nil
}
