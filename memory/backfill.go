package memory

import (
	"context"
	"fmt"
	"time"
)

// A backfill embeds stored records that have no vector yet.
type backfill struct {
	*embedder
	indexes *indexes
}

// catchUp embeds the listed records. If the backlog asks for a scan, it embeds all records without a vector.
func (b *backfill) catchUp(ctx context.Context) (refused int, err error) {
	if b.Embedder == nil {
		return 0, nil
	}
	if !b.backlog.takeScanRequest() {
		return b.embedListed(ctx)
	}
	refused, err = b.embedAll(ctx, nil)
	if err != nil {
		b.backlog.requestScan()
	}
	return refused, err
}

// embedAll scans the store. It embeds new records between batches.
func (b *backfill) embedAll(ctx context.Context, progress func(done, total int)) (refused int, err error) {
	spaces, err := b.indexes.store.Spaces(ctx)
	if err != nil {
		return 0, fmt.Errorf("memory: embed: %w", err)
	}
	done, total := 0, 0
	if progress != nil {
		count := func(recs []Record) error { total += len(recs); return nil }
		for _, s := range spaces {
			if err := b.scanMissing(ctx, s, count); err != nil {
				return 0, err
			}
		}
		progress(0, total)
	}
	for _, s := range spaces {
		err := b.scanMissing(ctx, s, func(recs []Record) error {
			n, err := b.embedBatch(ctx, recs)
			refused += n
			if err != nil {
				return err
			}
			if done += len(recs); progress != nil {
				progress(done, max(done, total))
			}
			n, err = b.embedListed(ctx)
			refused += n
			return err
		})
		if err != nil {
			return refused, err
		}
	}
	n, err := b.embedListed(ctx)
	return refused + n, err
}

// scanMissing yields the records of a space that need a vector, in batches.
func (b *backfill) scanMissing(ctx context.Context, s Space, yield func([]Record) error) error {
	var recs []Record
	for r, err := range b.indexes.store.Scan(ctx, s, 0) {
		if err != nil {
			return fmt.Errorf("memory: embed: %w", err)
		}
		if !b.needsVector(&r) {
			continue
		}
		r.Vector = nil
		if recs = append(recs, r); len(recs) == embedBatchSize {
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

// embedListed embeds the listed records. After an error it requests a scan.
func (b *backfill) embedListed(ctx context.Context) (refused int, err error) {
	for {
		s, ids := b.backlog.take(embedBatchSize)
		if len(ids) == 0 {
			return refused, nil
		}
		for _, s := range [...]Space{s, s.Counterpart()} { // the record may have been hidden since
			n, err := b.embedIDs(ctx, s, ids)
			refused += n
			if err != nil {
				b.backlog.requestScan()
				return refused, err
			}
		}
	}
}

func (b *backfill) embedIDs(ctx context.Context, s Space, ids []string) (refused int, err error) {
	recs, err := b.indexes.store.Get(ctx, s, ids...)
	if err != nil {
		return 0, fmt.Errorf("memory: embed: %w", err)
	}
	want := recs[:0]
	for _, r := range recs {
		if b.needsVector(&r) {
			want = append(want, r)
		}
	}
	return b.embedBatch(ctx, want)
}

// embedBatch embeds records. Only one call runs at a time.
func (b *backfill) embedBatch(ctx context.Context, recs []Record) (refused int, err error) {
	if len(recs) == 0 {
		return 0, nil
	}
	select {
	case b.backlog.token <- struct{}{}:
		defer func() { <-b.backlog.token }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return b.embedRecords(ctx, recs)
}

// embedRecords embeds stored records of one space and returns the number of texts that the embedder rejected. It fails
// if the embedder rejects all texts, or if the store fails.
func (b *backfill) embedRecords(ctx context.Context, recs []Record) (refused int, err error) {
	vectors, err := b.embedTexts(ctx, recs)
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
	return len(recs) - len(good), b.storeVectors(ctx, good)
}

// storeVectors stores vectors for records of one space, unless a record was deleted or its text changed.
func (b *backfill) storeVectors(ctx context.Context, recs []Record) error {
	if len(recs) == 0 {
		return nil
	}
	unlock, err := b.indexes.locks.lock(ctx, recs[0].Space)
	if err != nil {
		return err
	}
	defer unlock()
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
		if embedded := by[r.ID]; embedded != nil && embedded.Text == r.Text && b.needsVector(&r) {
			r.Vector, r.Embedder = embedded.Vector, embedded.Embedder
			still = append(still, r)
		}
	}
	if len(still) == 0 {
		return nil
	}
	if err := b.indexes.store.Put(ctx, still...); err != nil {
		return fmt.Errorf("memory: embed: %w", err)
	}
	if err := b.indexes.put(ctx, still); err != nil { // the store has the vectors, so the next load finds them
		b.indexes.logger.WarnContext(ctx, "memory: an index rejected vectors", "space", string(recs[0].Space), "err", err)
	}
	return nil
}

const (
	embedBatchSize    = 64               // texts in one call of the embedder
	minBackoff        = time.Second      // after an error of the embedder; doubled after each further error
	maxBackoff        = 10 * time.Minute // maximum
	retryRefusedAfter = time.Hour        // pause before rejected texts are tried again
)
