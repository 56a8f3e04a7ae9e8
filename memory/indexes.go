package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

// indexes are the indexes of a Memory, which propose what its store has.
type indexes struct {
	store   Store
	rooms   *rooms
	embed   *embedder
	words   *LexicalIndex
	vectors []Index
	logger  *slog.Logger
}

// put tells the indexes of records that the store has just taken. What is not loaded yet is found when it is.
func (x *indexes) put(ctx context.Context, recs []Record) error {
	loaded := recs[:0:0]
	for _, r := range recs {
		if x.rooms.of(r.Space).loaded.Load() {
			loaded = append(loaded, r)
		}
	}
	if len(loaded) == 0 {
		return nil
	}
	return x.fill(context.WithoutCancel(ctx), loaded) // the store has them: a caller who gives up now must not leave them unfound
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

// load reads a space and its twin into the indexes, once.
func (x *indexes) load(ctx context.Context, s Space) error {
	r := x.rooms.of(s)
	if r.loaded.Load() {
		return nil
	}
	leave, err := x.rooms.enter(ctx, s)
	if err != nil {
		return err
	}
	defer leave()
	if r.loaded.Load() { // somebody else did meanwhile
		return nil
	}
	var failed error
	for _, s := range [...]Space{s.Base(), s.Secret()} {
		if failed, err = x.read(ctx, s); err != nil {
			return fmt.Errorf("memory: load %q: %w", string(s), err)
		}
	}
	r.loaded.Store(true)
	if failed != nil {
		x.logger.WarnContext(ctx, "memory: an index did not take what the store holds", "space", string(s), "err", failed)
	}
	return nil
}

// read puts all records of a space into the indexes.
func (x *indexes) read(ctx context.Context, s Space) (failed, err error) {
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
		if recs = append(recs, r); len(recs) == chunk {
			flush()
		}
	}
	flush()
	return failed, ctx.Err()
}

// remove takes records out of the store, then out of the indexes. Failed tells of indexes.
func (x *indexes) remove(ctx context.Context, s Space, ids []string) (failed, err error) {
	for some := range slices.Chunk(ids, 500) { // a step that others need not wait long for
		if err := x.store.Delete(ctx, s, some...); err != nil {
			return nil, fmt.Errorf("memory: forget: %w", err)
		}
		inner := context.WithoutCancel(ctx) // the truth is gone: nothing may be left behind
		errs := []error{failed, x.words.Delete(inner, s, some...)}
		for _, v := range x.vectors {
			errs = append(errs, v.Delete(inner, s, some...))
		}
		failed = errors.Join(errs...)
	}
	return failed, nil
}
