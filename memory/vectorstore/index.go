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

// Options says what a store can do beyond langchaingo's interface.
type Options struct {
	// Delete removes documents from the collection of that name. Documents that are not there are no error. Nil: the store cannot, and what was forgotten stays in it.
	Delete func(ctx context.Context, name string, docs []Document) error

	// Score turns the score of a document into one where more is better, the cosine if possible. Nil takes it as it is, which
	// pgvector and Qdrant mean so; Redis tells distances: func(s float32) float64 { return 1 - float64(s) }.
	Score func(float32) float64

	// MaxResults is how many documents are asked for at most in one search; 0 means 10 000. Beyond it candidates are missed.
	MaxResults int
}

// A Document is how a store knows a vector.
type Document struct {
	Key string // its PageContent
	ID  string // what AddDocuments returned for it; "" if nothing, as where it failed and may have added it all the same
}

// An Index finds records with vector stores. All methods may be called concurrently.
type Index struct {
	open func(ctx context.Context, name string) (vectorstores.VectorStore, error)
	o    Options

	mu     sync.Mutex
	spaces map[memory.Space]*space
	turns  map[memory.Space]chan struct{} // by plain space; holds one token while somebody writes
}

var _ memory.Index = (*Index)(nil)

const (
	batch         = 256 // documents handed over in one call
	defaultMaxAsk = 10_000
)

// New returns an index without records. Open is called once for each space, when it gets its first record, with a name of letters, digits and an underscore that is
// the same for that space in every process. It returns a store made with [Embedder], over an empty collection of that name. New fails if open is nil.
func New(open func(ctx context.Context, name string) (vectorstores.VectorStore, error), o Options) (*Index, error) {
	if open == nil {
		return nil, errors.New("vectorstore: New without a function that opens stores")
	}
	x := &Index{open: open, o: o, spaces: map[memory.Space]*space{}, turns: map[memory.Space]chan struct{}{}}
	if x.o.Score == nil {
		x.o.Score = func(s float32) float64 { return float64(s) }
	}
	x.o.MaxResults = cmp.Or(max(x.o.MaxResults, 0), defaultMaxAsk)
	return x, nil
}

// Put implements [memory.Index]. Records without a vector are not found, and a former vector of theirs is dropped. One unusable vector refuses the whole call. Where
// a store fails, records of that call are not found until they are put again.
func (x *Index) Put(ctx context.Context, recs ...memory.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := vectors.Check("vectorstore", recs, x.dims); err != nil {
		return err
	}
	rooms := map[memory.Space][]*memory.Record{}
	for i := range recs {
		r := &recs[i]
		rooms[r.Space.Base()] = append(rooms[r.Space.Base()], r)
	}
	var plain []memory.Space
	for s := range rooms {
		plain = append(plain, s)
	}
	slices.Sort(plain)
	var errs []error
	for _, s := range plain {
		errs = append(errs, x.putAll(ctx, s, rooms[s]))
	}
	return errors.Join(errs...)
}

// dims is how long the vectors of a space are; 0 where there is none.
func (x *Index) dims(at memory.Space) int {
	if s := x.at(at); s != nil {
		return s.length()
	}
	return 0
}

// putAll writes to one space and its twin, one stretch of records of one space after another.
func (x *Index) putAll(ctx context.Context, plain memory.Space, recs []*memory.Record) error {
	leave, err := x.enter(ctx, plain)
	if err != nil {
		return err
	}
	defer leave()
	for len(recs) > 0 {
		n := 1
		for n < len(recs) && n < batch && recs[n].Space == recs[0].Space {
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
	last := map[string]*memory.Record{} // put twice in one call: the later one counts
	for _, r := range recs {
		last[r.ID] = r
		if n := s.length(); n != 0 && len(r.Vector) != 0 && n != len(r.Vector) { // somebody else came between check and here
			return fmt.Errorf("vectorstore: record %q: %w", r.ID, memory.ErrVector)
		}
	}
	var ids []string
	var fresh []*entry
	byKey := map[string][]float32{}
	for _, r := range recs {
		if last[r.ID] != r {
			continue
		}
		ids = append(ids, r.ID)
		if len(r.Vector) == 0 {
			s.kill(r.ID)
			continue
		}
		u := vectors.Unit(r.Vector)
		e := &entry{rec: memory.Record{ID: r.ID, Person: r.Person, Kind: r.Kind, Tags: slices.Clone(r.Tags), At: r.At}, doc: Document{Key: keyOf(at, r.ID, u)}}
		if s.renew(e) {
			continue // the store has this vector already
		}
		s.kill(r.ID)
		if x.o.Delete == nil && s.revive(e, len(u)) {
			continue // the store has it still
		}
		fresh, byKey[e.doc.Key] = append(fresh, e), u
	}
	if twin := x.at(at.Counterpart()); twin != nil {
		twin.kill(ids...)
		if err := x.bury(ctx, at.Counterpart(), twin, twin.dead, ids); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
			return err
		}
	}
	// what goes before what comes: a deletion by key must not meet a key that has come back
	if err := x.bury(ctx, at, s, s.dead, ids); err != nil && !errors.Is(err, memory.ErrCannotDelete) {
		return err
	}
	return x.add(ctx, at, s, fresh, byKey)
}

// add hands documents to the store. Only then are they known: what a failed call may have left behind is not answered, and forgotten with its record.
func (x *Index) add(ctx context.Context, at memory.Space, s *space, fresh []*entry, byKey map[string][]float32) error {
	if len(fresh) == 0 {
		return nil
	}
	store, err := s.opened(ctx, func(ctx context.Context) (vectorstores.VectorStore, error) { return x.open(ctx, nameOf(at)) })
	if err != nil {
		return fmt.Errorf("vectorstore: open: %w", err)
	}
	docs := make([]schema.Document, len(fresh))
	for i, e := range fresh {
		docs[i] = schema.Document{PageContent: e.doc.Key, Metadata: map[string]any{}} // some stores write into it
	}
	asking, g := give(ctx, byKey)
	ids, err := store.AddDocuments(asking, docs)
	if err == nil && !g.used.Load() {
		err = ErrWrongEmbedder
	}
	if err != nil {
		s.doubt(fresh)
		return fmt.Errorf("vectorstore: add: %w", err)
	}
	for i, e := range fresh {
		if len(ids) == len(fresh) {
			e.doc.ID = ids[i]
		}
		s.link(e, len(byKey[e.doc.Key]))
	}
	return nil
}

// Delete implements [memory.Index].
func (x *Index) Delete(ctx context.Context, at memory.Space, ids ...string) error {
	s := x.at(at)
	if s == nil || len(ids) == 0 {
		return ctx.Err()
	}
	leave, err := x.enter(ctx, at.Base())
	if err != nil {
		return err
	}
	defer leave()
	s.kill(ids...) // found no more, whatever the store says
	// apart: a store that deletes by its own IDs has none for what came of a failed call
	return errors.Join(x.bury(ctx, at, s, s.dead, ids), x.bury(ctx, at, s, s.maybe, ids))
}

// bury removes what was killed, or may be there, from the store. What that fails for is tried again when the record is deleted or put again.
func (x *Index) bury(ctx context.Context, at memory.Space, s *space, of map[string][]Document, ids []string) error {
	docs := s.leftOf(of, ids)
	if len(docs) == 0 {
		return nil
	}
	if x.o.Delete == nil {
		return fmt.Errorf("vectorstore: %w", memory.ErrCannotDelete)
	}
	if err := x.o.Delete(ctx, nameOf(at), docs); err != nil {
		return fmt.Errorf("vectorstore: delete: %w", err)
	}
	s.buried(of, ids)
	return nil
}

// Search implements [memory.Index]. The score is what the store says, through [Options].Score. A query without a vector, or with one that cannot be compared, has no
// candidates; one of another length than the space's gives [memory.ErrVector].
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
		return nil, fmt.Errorf("vectorstore: %d dimensions asked, space %q has %d: %w", len(q.Vector), string(at), dims, memory.ErrVector)
	}
	const query = "query" // what is asked is in the vector
	asking, g := give(ctx, map[string][]float32{query: vectors.Unit(q.Vector)})
	for ask := min(2*min(k, live)+8, x.o.MaxResults); ; ask = min(4*ask, x.o.MaxResults) {
		docs, err := store.SimilaritySearch(asking, query, ask)
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

// pick checks what was found and takes the best. It fails where something better or as good may have been left out.
func (x *Index) pick(s *space, q *memory.Query, docs []schema.Document, k int, all bool) ([]memory.Candidate, bool) {
	least := math.Inf(1)
	scores := make([]float64, len(docs))
	for i, d := range docs {
		scores[i] = x.o.Score(d.Score)
		if !none(scores[i]) {
			least = min(least, scores[i])
		}
	}
	best := make([]scored, 0, len(docs))
	seen := map[string]bool{}
	for i, d := range docs {
		if none(scores[i]) || seen[d.PageContent] {
			continue
		}
		if !all && scores[i] == least {
			continue // as good as some that were cut off, and which ones is chance
		}
		seen[d.PageContent] = true
		if r := s.known(d.PageContent); r != nil && q.Match(r) {
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

// none tells that a score is no number.
func none(score float64) bool { return math.IsNaN(score) || math.IsInf(score, 0) }

type scored struct {
	rec   *memory.Record
	score float64
}
