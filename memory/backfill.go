package memory

import (
	"context"
	"fmt"
	"time"
)

// A backfill makes vectors of what the store has and indexes lack.
type backfill struct {
	*embedder
	indexes *indexes
}

// catchUp makes vectors of what is listed, and of all that lacks one where the list is not all.
func (b *backfill) catchUp(ctx context.Context) (refused int, err error) {
	if b.Embedder == nil {
		return 0, nil
	}
	if !b.backlog.whole() {
		return b.drain(ctx)
	}
	refused, err = b.embedAll(ctx, nil)
	if err != nil {
		b.backlog.look()
	}
	return refused, err
}

// embedAll looks through the store. What is kept meanwhile goes first.
func (b *backfill) embedAll(ctx context.Context, progress func(done, total int)) (refused int, err error) {
	spaces, err := b.indexes.store.Spaces(ctx)
	if err != nil {
		return 0, fmt.Errorf("memory: embed: %w", err)
	}
	done, total := 0, 0
	if progress != nil {
		count := func(recs []Record) error { total += len(recs); return nil }
		for _, s := range spaces {
			if err := b.lacking(ctx, s, count); err != nil {
				return 0, err
			}
		}
		progress(0, total)
	}
	for _, s := range spaces {
		err := b.lacking(ctx, s, func(recs []Record) error {
			n, err := b.portion(ctx, recs)
			refused += n
			if err != nil {
				return err
			}
			if done += len(recs); progress != nil {
				progress(done, max(done, total))
			}
			n, err = b.drain(ctx)
			refused += n
			return err
		})
		if err != nil {
			return refused, err
		}
	}
	n, err := b.drain(ctx)
	return refused + n, err
}

// lacking yields the records of a space that want a vector, in portions.
func (b *backfill) lacking(ctx context.Context, s Space, yield func([]Record) error) error {
	var recs []Record
	for r, err := range b.indexes.store.Scan(ctx, s, 0) {
		if err != nil {
			return fmt.Errorf("memory: embed: %w", err)
		}
		if !b.wants(&r) {
			continue
		}
		r.Vector = nil
		if recs = append(recs, r); len(recs) == embedAtOnce {
			if err := yield(recs); err != nil {
				return err
			}
			recs = recs[:0]
		}
	}
	if len(recs) == 0 {
		return ctx.Err()
	}
	return yield(recs)
}

// drain makes vectors of what is listed. What fails goes back.
func (b *backfill) drain(ctx context.Context) (refused int, err error) {
	for {
		s, ids := b.backlog.take(embedAtOnce)
		if len(ids) == 0 {
			return refused, nil
		}
		for _, s := range [...]Space{s, s.Counterpart()} { // it may have been hidden since
			n, err := b.portionOf(ctx, s, ids)
			refused += n
			if err != nil {
				b.backlog.look()
				return refused, err
			}
		}
	}
}

func (b *backfill) portionOf(ctx context.Context, s Space, ids []string) (refused int, err error) {
	recs, err := b.indexes.store.Get(ctx, s, ids...)
	if err != nil {
		return 0, fmt.Errorf("memory: embed: %w", err)
	}
	want := recs[:0]
	for _, r := range recs {
		if b.wants(&r) {
			want = append(want, r)
		}
	}
	return b.portion(ctx, want)
}

// portion makes vectors while nobody else does.
func (b *backfill) portion(ctx context.Context, recs []Record) (refused int, err error) {
	if len(recs) == 0 {
		return 0, nil
	}
	select {
	case b.backlog.turn <- struct{}{}:
		defer func() { <-b.backlog.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return b.vectorise(ctx, recs)
}

// vectorise makes vectors of records of one space that lie in the store already, and returns how many got none: the embedder refuses their texts.
// It fails where the embedder refuses everything, or the store.
func (b *backfill) vectorise(ctx context.Context, recs []Record) (refused int, err error) {
	vectors, err := b.vectorsOf(ctx, recs)
	if err != nil {
		return 0, err
	}
	good := recs[:0:0]
	for i, r := range recs {
		if !ValidVector(vectors[i]) || !b.fits(vectors[i]) {
			continue
		}
		r.Vector, r.Embedder = vectors[i], b.id
		good = append(good, r)
	}
	return len(recs) - len(good), b.adorn(ctx, good)
}

// adorn stores the vectors of records of one space that are still there and still say the same.
func (b *backfill) adorn(ctx context.Context, recs []Record) error {
	if len(recs) == 0 {
		return nil
	}
	leave, err := b.indexes.rooms.enter(ctx, recs[0].Space)
	if err != nil {
		return err
	}
	defer leave()
	ids, by := make([]string, len(recs)), make(map[string]*Record, len(recs))
	for i := range recs {
		ids[i] = recs[i].ID
		by[recs[i].ID] = &recs[i]
	}
	now, err := b.indexes.store.Get(ctx, recs[0].Space, ids...)
	if err != nil {
		return fmt.Errorf("memory: embed: %w", err)
	}
	still := now[:0]
	for _, r := range now {
		if made := by[r.ID]; made != nil && made.Text == r.Text && b.wants(&r) {
			r.Vector, r.Embedder = made.Vector, made.Embedder
			still = append(still, r)
		}
	}
	if len(still) == 0 {
		return nil
	}
	if err := b.indexes.store.Put(ctx, still...); err != nil {
		return fmt.Errorf("memory: embed: %w", err)
	}
	if err := b.indexes.put(ctx, still); err != nil { // the store has the vectors: what is loaded next finds by them
		b.indexes.logger.WarnContext(ctx, "memory: an index did not take vectors", "space", string(recs[0].Space), "err", err)
	}
	return nil
}

const (
	embedAtOnce = 64               // texts in one call of an embedder
	firstPause  = time.Second      // after an embedder failed; then twice as long each time
	longPause   = 10 * time.Minute // at most
	lookAgain   = time.Hour        // at texts that the embedder refused
)
