package vectorstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/vectors"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// Options describes abilities of a store beyond langchaingo's interface.
type Options struct {
	// Delete removes documents from the collection with this name. It must ignore unknown documents. Nil: the store
	// cannot delete, and deleted records stay in it.
	Delete func(ctx context.Context, name string, docs []Document) error

	// Score converts the score of a document, so that higher is better, preferably to the cosine. Nil keeps it, as
	// needed for pgvector and Qdrant. Redis returns distances: func(s float32) float64 { return 1 - float64(s) }.
	Score func(float32) float64

	// MaxResults is the maximum number of documents for one search; 0 means 10 000. A search may miss candidates beyond
	// it.
	MaxResults int
}

// A Document identifies a vector in a store.
type Document struct {
	Key string // PageContent of the document
	ID  string // ID returned by AddDocuments; "" if none, or if the call failed and may have added the document
}

// An Index searches records with vector stores. All methods may be called concurrently.
type Index struct {
	open func(ctx context.Context, name string) (vectorstores.VectorStore, error)
	o    Options

	mu     sync.Mutex
	spaces map[memory.Space]*space
	locks  map[memory.Space]chan struct{} // by base space; contains one token while a writer has the lock
}

var _ memory.Index = (*Index)(nil)

const (
	addBatchSize      = 256 // documents per call of AddDocuments
	defaultMaxResults = 10_000
)

// New returns an empty index. For each space with records it calls open once. name consists of letters, digits and an
// underscore, and is the same for a space in every process. open must return a store made with [Embedder], with an
// empty collection of that name. New fails if open is nil.
func New(open func(ctx context.Context, name string) (vectorstores.VectorStore, error), o Options) (*Index, error) {
	if open == nil {
		return nil, errors.New("vectorstore: New needs a function that opens stores")
	}
	x := &Index{open: open, o: o, spaces: map[memory.Space]*space{}, locks: map[memory.Space]chan struct{}{}}
	if x.o.Score == nil {
		x.o.Score = func(s float32) float64 { return float64(s) }
	}
	x.o.MaxResults = cmp.Or(max(x.o.MaxResults, 0), defaultMaxResults)
	return x, nil
}

// Put implements [memory.Index]. Records without a vector are not indexed, and their old vector is removed. One
// unusable vector rejects the whole call. If a store fails, records of the call are not found until they are put again.
func (x *Index) Put(ctx context.Context, recs ...memory.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := vectors.Check("vectorstore", recs, x.dims); err != nil {
		return err
	}
	bySpace := map[memory.Space][]*memory.Record{}
	for i := range recs {
		r := &recs[i]
		bySpace[r.Space.Base()] = append(bySpace[r.Space.Base()], r)
	}
	var base []memory.Space
	for s := range bySpace {
		base = append(base, s)
	}
	slices.Sort(base)
	var errs []error
	for _, s := range base {
		errs = append(errs, x.putAll(ctx, s, bySpace[s]))
	}
	return errors.Join(errs...)
}

// dims returns the vector length of a space, or 0 if it has none.
func (x *Index) dims(at memory.Space) int {
	if s := x.at(at); s != nil {
		return s.length()
	}
	return 0
}

// putAll writes to one space and its counterpart, one run of records of the same space at a time.
func (x *Index) putAll(ctx context.Context, base memory.Space, recs []*memory.Record) error {
	unlock, err := x.lock(ctx, base)
	if err != nil {
		return err
	}
	defer unlock()
	for len(recs) > 0 {
		n := 1
		for n < len(recs) && n < addBatchSize && recs[n].Space == recs[0].Space {
			n++
		}
		if err := x.put(ctx, recs[0].Space, recs[:n]); err != nil {
			return err
		}
		recs = recs[n:]
	}
	return nil
}

func (x *Index) put(ctx context.Context, at memory.Space, recs []*memory.Record) error {
	s := x.make(at)
	last := map[string]*memory.Record{} // the last record with an ID counts
	for _, r := range recs {
		last[r.ID] = r
		if n := s.length(); n != 0 && len(r.Vector) != 0 && n != len(r.Vector) { // changed by another call since Check
			return fmt.Errorf("vectorstore: record %q: %w", r.ID, memory.ErrVector)
		}
	}
	var ids []string
	var added []*entry
	byKey := map[string][]float32{}
	for _, r := range recs {
		if last[r.ID] != r {
			continue
		}
		ids = append(ids, r.ID)
		if len(r.Vector) == 0 {
			s.invalidate(r.ID)
			continue
		}
		u := vectors.Unit(r.Vector)
		e := &entry{rec: memory.Record{ID: r.ID, Person: r.Person, Kind: r.Kind, Tags: slices.Clone(r.Tags), At: r.At}, doc: Document{Key: keyOf(at, r.ID, u)}}
		if s.updateFields(e) {
			continue // the store has this vector already
		}
		s.invalidate(r.ID)
		if x.o.Delete == nil && s.restore(e, len(u)) {
			continue // the store still has it
		}
		added, byKey[e.doc.Key] = append(added, e), u
	}
	if counterpart := x.at(at.Counterpart()); counterpart != nil {
		counterpart.invalidate(ids...)
		if err := x.deleteDocuments(ctx, at.Counterpart(), counterpart, counterpart.stale, ids); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
			return err
		}
	}
	// delete before adding, so that a deletion by key cannot hit a key that is added again
	if err := x.deleteDocuments(ctx, at, s, s.stale, ids); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
		return err
	}
	return x.add(ctx, at, s, added, byKey)
}

// add adds documents to the store. A record is indexed only after success. Documents of a failed call are never
// returned, and are deleted with their record.
func (x *Index) add(ctx context.Context, at memory.Space, s *space, added []*entry, byKey map[string][]float32) error {
	if len(added) == 0 {
		return nil
	}
	store, err := s.openOnce(ctx, func(ctx context.Context) (vectorstores.VectorStore, error) { return x.open(ctx, nameOf(at)) })
	if err != nil {
		return fmt.Errorf("vectorstore: open: %w", err)
	}
	docs := make([]schema.Document, len(added))
	for i, e := range added {
		docs[i] = schema.Document{PageContent: e.doc.Key, Metadata: map[string]any{}} // some stores write into the map
	}
	callCtx, g := withVectors(ctx, byKey)
	ids, err := store.AddDocuments(callCtx, docs)
	if err == nil && !g.used.Load() {
		err = ErrWrongEmbedder
	}
	if err != nil {
		s.addUncertain(added)
		return fmt.Errorf("vectorstore: add: %w", err)
	}
	for i, e := range added {
		if len(ids) == len(added) {
			e.doc.ID = ids[i]
		}
		s.add(e, len(byKey[e.doc.Key]))
	}
	return nil
}

// Delete implements [memory.Index].
func (x *Index) Delete(ctx context.Context, at memory.Space, ids ...string) error {
	s := x.at(at)
	if s == nil || len(ids) == 0 {
		return ctx.Err()
	}
	unlock, err := x.lock(ctx, at.Base())
	if err != nil {
		return err
	}
	defer unlock()
	s.invalidate(ids...) // never found from here on, even if the store fails
	// separate calls, because a store that deletes by its own IDs has none for documents of a failed call
	return errors.Join(x.deleteDocuments(ctx, at, s, s.stale, ids), x.deleteDocuments(ctx, at, s, s.uncertain, ids))
}

// deleteDocuments deletes the documents of these records from the store. After an error, the next Put or Delete of a
// record tries again.
func (x *Index) deleteDocuments(ctx context.Context, at memory.Space, s *space, of map[string][]Document, ids []string) error {
	docs := s.documentsOf(of, ids)
	if len(docs) == 0 {
		return nil
	}
	if x.o.Delete == nil {
		return fmt.Errorf("vectorstore: %w", memory.ErrCannotDelete)
	}
	if err := x.o.Delete(ctx, nameOf(at), docs); err != nil {
		return fmt.Errorf("vectorstore: delete: %w", err)
	}
	s.clearDeleted(of, ids)
	return nil
}

// Search implements [memory.Index]. The score comes from the store through [Options].Score. A query without a valid
// vector has no candidates. If the vector has the wrong length, the error matches [memory.ErrVector].
func (x *Index) Search(ctx context.Context, at memory.Space, q memory.Query, k int) ([]memory.Candidate, error) {
	s := x.at(at)
	if err := ctx.Err(); err != nil || s == nil || k <= 0 || !memory.ValidVector(q.Vector) {
		return nil, err
	}
	store, live, dims := s.state()
	if store == nil || live == 0 {
		return nil, nil
	}
	if len(q.Vector) != dims {
		return nil, fmt.Errorf("vectorstore: query has %d dimensions, space %q has %d: %w", len(q.Vector), string(at), dims, memory.ErrVector)
	}
	const query = "query" // any text, because the vector comes from the context
	callCtx, g := withVectors(ctx, map[string][]float32{query: vectors.Unit(q.Vector)})
	for ask := min(2*min(k, live)+8, x.o.MaxResults); ; ask = min(4*ask, x.o.MaxResults) {
		docs, err := store.SimilaritySearch(callCtx, query, ask)
		if err != nil {
			return nil, fmt.Errorf("vectorstore: search: %w", err)
		}
		if !g.used.Load() {
			return nil, fmt.Errorf("vectorstore: search: %w", ErrWrongEmbedder)
		}
		if cs, ok := x.pick(s, &q, docs, k, len(docs) < ask || ask == x.o.MaxResults); ok {
			return cs, nil
		}
	}
}

// pick checks the documents and returns the best. It returns false if an equal or better record may be missing.
func (x *Index) pick(s *space, q *memory.Query, docs []schema.Document, k int, all bool) ([]memory.Candidate, bool) {
	least := math.Inf(1)
	scores := make([]float64, len(docs))
	for i, d := range docs {
		scores[i] = x.o.Score(d.Score)
		if !notFinite(scores[i]) {
			least = min(least, scores[i])
		}
	}
	best := make([]scored, 0, len(docs))
	seen := map[string]bool{}
	for i, d := range docs {
		if notFinite(scores[i]) || seen[d.PageContent] {
			continue
		}
		if !all && scores[i] == least {
			continue // ties with documents that were cut off in random order
		}
		seen[d.PageContent] = true
		if r := s.lookUp(d.PageContent); r != nil && q.Match(r) {
			best = append(best, scored{r, scores[i]})
		}
	}
	if !all && len(best) < k {
		return nil, false
	}
	slices.SortFunc(best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.rec.At.Compare(a.rec.At), strings.Compare(a.rec.ID, b.rec.ID))
	})
	cs := make([]memory.Candidate, min(k, len(best)))
	for i := range cs {
		cs[i] = memory.Candidate{ID: best[i].rec.ID, Score: best[i].score}
	}
	return cs, true
}

// notFinite reports whether a score is NaN or infinite.
func notFinite(score float64) bool { return math.IsNaN(score) || math.IsInf(score, 0) }

type scored struct {
	rec   *memory.Record
	score float64
}
