package flat

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory"
)

// MaxDimensions is the maximum length of a vector.
const MaxDimensions = 1 << 16

// An Index searches vectors by cosine. All methods may be called concurrently.
type Index struct {
	views   sync.Map // memory.Space → *view; the snapshots for searches
	scratch sync.Pool
	mu      sync.Mutex // for writers
	spaces  map[memory.Space]*space
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index.
func New() *Index { return &Index{spaces: map[memory.Space]*space{}} }

// writeBatch is the number of records that a writer changes before others may write.
const writeBatch = 256

// Put implements [memory.Index]. Records without a vector are not indexed, and their old vector is removed. One
// unusable vector rejects the whole call with [memory.ErrVector]. A vector is unusable if it is not finite, all zero,
// longer than [MaxDimensions], or not as long as the others in its space.
func (x *Index) Put(ctx context.Context, recs ...memory.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	firsts, err := validate(recs)
	if err != nil {
		return err
	}
	if err := x.reserve(firsts); err != nil {
		return err
	}
	defer x.release(firsts)
	rows := make([]row, min(writeBatch, len(recs)))
	for len(recs) > 0 {
		n := min(writeBatch, len(recs))
		for i := range n {
			rows[i].set(&recs[i])
		}
		x.apply(rows[:n])
		recs = recs[n:]
	}
	return nil
}

// validate rejects records that no space accepts. It returns the first record with a vector of each space.
func validate(recs []memory.Record) (firsts []*memory.Record, err error) {
	lengths := map[memory.Space]int{}
	for i := range recs {
		r := &recs[i]
		if err := r.Space.Validate(); err != nil {
			return nil, fmt.Errorf("flat: record %q: %w", r.ID, err)
		}
		if r.ID == "" {
			return nil, fmt.Errorf("flat: record in space %q has no ID: %w", string(r.Space), memory.ErrInvalid)
		}
		if len(r.Vector) == 0 {
			continue
		}
		if !memory.ValidVector(r.Vector) || len(r.Vector) > MaxDimensions {
			return nil, fmt.Errorf("flat: record %q has a vector of %d dimensions: %w", r.ID, len(r.Vector), memory.ErrVector)
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
	return fmt.Errorf("flat: record %q has %d dimensions, want %d: %w", r.ID, len(r.Vector), dims, memory.ErrVector)
}

// reserve fixes the vector length of the records' spaces until release. Otherwise a space emptied between two batches
// could start again with another length.
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
		x.dropIfEmpty(r.Space, sp)
	}
}

// apply puts rows into their spaces, removes them from the counterparts, and publishes both.
func (x *Index) apply(rows []row) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range rows {
		r := &rows[i]
		if counterpart := x.spaces[r.counterpart]; counterpart != nil {
			counterpart.remove(r.id)
		}
		switch sp := x.spaces[r.space]; {
		case sp == nil:
		case r.vector == nil:
			sp.remove(r.id)
		default:
			sp.put(r)
		}
	}
	for i := range rows { // counterparts first, so that a record that becomes secret is never visible in both
		x.publish(rows[i].counterpart)
		x.publish(rows[i].space)
	}
}

// Delete implements [memory.Index]. It frees the vectors of deleted records by blocks, when half of a block is deleted.
func (x *Index) Delete(ctx context.Context, s memory.Space, ids ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for some := range slices.Chunk(ids, writeBatch) {
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
		x.publish(s)
	}
}

// publish makes the new state of a space visible to searches.
func (x *Index) publish(s memory.Space) {
	sp := x.spaces[s]
	if sp == nil || !sp.changed {
		return
	}
	sp.compact()
	if len(sp.places) == 0 {
		x.views.Delete(s)
	} else {
		x.views.Store(s, sp.view())
	}
	sp.changed = false
	x.dropIfEmpty(s, sp)
}

// dropIfEmpty deletes a space that is empty and not reserved.
func (x *Index) dropIfEmpty(s memory.Space, sp *space) {
	if len(sp.places) == 0 && sp.reserved == 0 {
		delete(x.spaces, s)
	}
}

// Search implements [memory.Index]. The score is the cosine in float64. Equal scores are ordered by ID. A query without
// a vector has no candidates. If the vector is not finite, all zero, or of the wrong length, the error matches
// [memory.ErrVector].
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
		return nil, fmt.Errorf("flat: query has %d dimensions, space %q has %d: %w", len(q.Vector), string(s), v.dims, memory.ErrVector)
	}
	w, _ := x.scratch.Get().(*scratch)
	if w == nil {
		w = new(scratch)
	}
	defer x.scratch.Put(w)
	return w.search(ctx, v, &q, k, v.workers())
}
