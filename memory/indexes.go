package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

// indexes are the indexes of a Memory. They propose records of its store.
type indexes struct {
	store   Store
	locks   *spaceLocks
	embed   *embedder
	words   *LexicalIndex
	vectors []Index
	logger  *slog.Logger
}

// put updates the indexes after a write to the store. Spaces that are not loaded yet are skipped.
func (x *indexes) put(ctx context.Context, recs []Record) error {
	loaded := recs[:0:0]
	for _, r := range recs {
		if r.searched() && x.locks.get(r.Space).loaded.Load() {
			loaded = append(loaded, r)
		}
	}
	if len(loaded) == 0 {
		return nil
	}
	return x.fill(context.WithoutCancel(ctx), loaded) // the store has the records, so a cancelled caller must not stop the indexing
}

// fill puts records into all indexes.
func (x *indexes) fill(ctx context.Context, recs []Record) error {
	if err := x.words.Put(ctx, recs...); err != nil {
		return err
	}
	if len(x.vectors) == 0 {
		return nil
	}
	mine := make([]Record, len(recs))
	for i, r := range recs {
		if !x.embed.comparable(&r) || !x.embed.fits(r.Vector) {
			r.Vector, r.Embedder = nil, ""
		}
		mine[i] = r
	}
	var errs []error
	for _, v := range x.vectors {
		if err := v.Put(ctx, mine...); err != nil {
			errs = append(errs, fmt.Errorf("memory: %w: %w", ErrNotIndexed, err))
		}
	}
	return errors.Join(errs...)
}

// load reads a space and its counterpart into the indexes, once.
func (x *indexes) load(ctx context.Context, s Space) error {
	r := x.locks.get(s)
	if r.loaded.Load() {
		return nil
	}
	unlock, err := x.locks.lock(ctx, s)
	if err != nil {
		return err
	}
	defer unlock()
	if r.loaded.Load() { // another call has loaded it
		return nil
	}
	var failed error
	for _, s := range [...]Space{s.Base(), s.Secret()} {
		if failed, err = x.loadSpace(ctx, s); err != nil {
			return fmt.Errorf("memory: load %q: %w", string(s), err)
		}
	}
	r.loaded.Store(true)
	if failed != nil {
		x.logger.WarnContext(ctx, "memory: an index rejected records of the store", "space", string(s), "err", failed)
	}
	return nil
}

// loadSpace puts all records of a space into the indexes.
func (x *indexes) loadSpace(ctx context.Context, s Space) (failed, err error) {
	const chunk = 256
	recs := make([]Record, 0, chunk)
	flush := func() {
		if len(recs) > 0 {
			if err := x.fill(ctx, recs); err != nil && failed == nil {
				failed = err
			}
			recs = recs[:0]
		}
	}
	for r, err := range x.store.Scan(ctx, s, 0) {
		if err != nil {
			return nil, err
		}
		if !r.searched() {
			continue
		}
		if recs = append(recs, r); len(recs) == chunk {
			flush()
		}
	}
	flush()
	return failed, ctx.Err()
}

// remove deletes records from the store, then from the indexes. failed reports index errors.
func (x *indexes) remove(ctx context.Context, s Space, ids []string) (failed, err error) {
	if len(ids) > 0 {
		defer x.locks.revise(s)
	}
	for some := range slices.Chunk(ids, 500) { // short steps, so that other writers do not wait long
		if err := x.store.Delete(ctx, s, some...); err != nil {
			return nil, fmt.Errorf("memory: delete: %w", err)
		}
		inner := context.WithoutCancel(ctx) // the store has deleted them, so the indexes must, too
		errs := []error{failed, x.words.Delete(inner, s, some...)}
		for _, v := range x.vectors {
			errs = append(errs, v.Delete(inner, s, some...))
		}
		failed = errors.Join(errs...)
	}
	return failed, nil
}
