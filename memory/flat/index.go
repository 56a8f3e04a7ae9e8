package flat

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory"
)

// MaxDimensions is the most components that a vector may have.
const MaxDimensions = 1 << 16

// An Index finds records by the angle between vectors. All methods may be called concurrently.
type Index struct {
	views   sync.Map // memory.Space → *view: what searches see
	scratch sync.Pool
	mu      sync.Mutex // for writers
	spaces  map[memory.Space]*space
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index.
func New() *Index { return &Index{spaces: map[memory.Space]*space{}} }

// portion is how many records are entered or deleted before other writers get in between.
const portion = 256

// Put implements [memory.Index]. Records without a vector are not found, and a former vector of theirs is dropped.
// One unusable vector refuses the whole call with [memory.ErrVector]: not finite, all zero, of more than [MaxDimensions] components, or
// not as long as the others of its space.
func (x *Index) Put(ctx context.Context, recs ...memory.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	firsts, err := check(recs)
	if err != nil {
		return err
	}
	if err := x.reserve(firsts); err != nil {
		return err
	}
	defer x.release(firsts)
	rows := make([]row, min(portion, len(recs)))
	for len(recs) > 0 {
		n := min(portion, len(recs))
		for i := range n {
			rows[i].set(&recs[i])
		}
		x.enter(rows[:n])
		recs = recs[n:]
	}
	return nil
}

// check refuses what no space would take. It returns the first record with a vector of each space.
func check(recs []memory.Record) (firsts []*memory.Record, err error) {
	lengths := map[memory.Space]int{}
	for i := range recs {
		r := &recs[i]
		if err := r.Space.Validate(); err != nil {
			return nil, fmt.Errorf("flat: record %q: %w", r.ID, err)
		}
		if r.ID == "" {
			return nil, fmt.Errorf("flat: record in space %q without an ID: %w", string(r.Space), memory.ErrInvalid)
		}
		if len(r.Vector) == 0 {
			continue
		}
		if !memory.ValidVector(r.Vector) || len(r.Vector) > MaxDimensions {
			return nil, fmt.Errorf("flat: record %q with %d dimensions: %w", r.ID, len(r.Vector), memory.ErrVector)
		}
		switch lengths[r.Space] {
		case 0:
			lengths[r.Space] = len(r.Vector)
			firsts = append(firsts, r)
		case len(r.Vector):
		default:
			return nil, mismatch(r, lengths[r.Space])
		}
	}
	return firsts, nil
}

func mismatch(r *memory.Record, dims int) error {
	return fmt.Errorf("flat: record %q: %d dimensions, its space has %d: %w", r.ID, len(r.Vector), dims, memory.ErrVector)
}

// reserve settles how long the vectors of these records' spaces are, and holds it until release: between two portions
// nobody can empty a space and begin it anew with others.
func (x *Index) reserve(firsts []*memory.Record) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range firsts {
		if sp := x.spaces[r.Space]; sp != nil && sp.dims != len(r.Vector) {
			return mismatch(r, sp.dims)
		}
	}
	for _, r := range firsts {
		if x.spaces[r.Space] == nil {
			x.spaces[r.Space] = newSpace(len(r.Vector))
		}
		x.spaces[r.Space].reserved++
	}
	return nil
}

func (x *Index) release(firsts []*memory.Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range firsts {
		sp := x.spaces[r.Space]
		sp.reserved--
		x.drop(r.Space, sp)
	}
}

// enter takes rows into their spaces, out of their twins, and shows both to those who search from now on.
func (x *Index) enter(rows []row) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range rows {
		r := &rows[i]
		if twin := x.spaces[r.twin]; twin != nil {
			twin.remove(r.id)
		}
		switch sp := x.spaces[r.space]; {
		case sp == nil:
		case r.vector == nil:
			sp.remove(r.id)
		default:
			sp.put(r)
		}
	}
	for i := range rows { // twins first: what becomes secret is gone there before it is found here
		x.show(rows[i].twin)
		x.show(rows[i].space)
	}
}

// Delete implements [memory.Index]. The vectors of deleted records are given back in blocks, each when half of it is gone.
func (x *Index) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for some := range slices.Chunk(ids, portion) {
		x.remove(s, some)
	}
	return nil
}

func (x *Index) remove(s memory.Space, ids []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if sp := x.spaces[s]; sp != nil {
		for _, id := range ids {
			sp.remove(id)
		}
		x.show(s)
	}
}

// show lets searches see what a space has become.
func (x *Index) show(s memory.Space) {
	sp := x.spaces[s]
	if sp == nil || !sp.changed {
		return
	}
	sp.tidy()
	if len(sp.at) == 0 {
		x.views.Delete(s)
	} else {
		x.views.Store(s, sp.view())
	}
	sp.changed = false
	x.drop(s, sp)
}

// drop forgets a space that is empty and reserved by nobody.
func (x *Index) drop(s memory.Space, sp *space) {
	if len(sp.at) == 0 && sp.reserved == 0 {
		delete(x.spaces, s)
	}
}

// Search implements [memory.Index]. The score is the cosine, computed in float64; equal scores are ordered by ID. A query
// without a vector has no candidates; a vector that is not finite, all zero, or of another length than the space's gives [memory.ErrVector].
func (x *Index) Search(ctx context.Context, s memory.Space, q memory.Query, k int) ([]memory.Candidate, error) {
	if err := ctx.Err(); err != nil || len(q.Vector) == 0 {
		return nil, err
	}
	if !memory.ValidVector(q.Vector) {
		return nil, fmt.Errorf("flat: query: %w", memory.ErrVector)
	}
	found, ok := x.views.Load(s)
	if !ok || k <= 0 {
		return nil, nil
	}
	v := found.(*view)
	if len(q.Vector) != v.dims {
		return nil, fmt.Errorf("flat: %d dimensions asked, space %q has %d: %w", len(q.Vector), string(s), v.dims, memory.ErrVector)
	}
	w, _ := x.scratch.Get().(*scratch)
	if w == nil {
		w = new(scratch)
	}
	defer x.scratch.Put(w)
	return w.search(ctx, v, &q, k, v.workers())
}
