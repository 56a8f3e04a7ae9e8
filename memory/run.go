package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// Run embeds new records in the background until ctx ends, and then returns nil. First it embeds all stored records
// without a vector of this embedder. Word search finds records at once.
//
// If the embedder fails, Run retries with backoff, at most ten minutes. Texts that it rejects are retried after an
// hour. Run can be stopped at any time without losing work, because the store knows the missing vectors. Without an
// embedder, Run only waits for ctx.
func (m *Memory) Run(ctx context.Context) error {
	b, pause := &backfill{m.embed, m.indexes}, minBackoff
	var again time.Time // time to retry rejected texts; zero: none
	b.backlog.requestScan()
	for ctx.Err() == nil {
		if !again.IsZero() && !time.Now().Before(again) {
			again = time.Time{}
			b.backlog.requestScan()
		}
		refused, err := b.catchUp(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			m.o.Logger.WarnContext(ctx, "memory: embedding failed", "err", err, "pause", pause)
			_ = loop.Sleep(ctx, pause)
			pause = min(2*pause, maxBackoff)
			continue
		}
		pause = minBackoff
		if refused > 0 {
			m.o.Logger.WarnContext(ctx, "memory: the embedder rejected texts", "count", refused)
		}
		if refused > 0 && again.IsZero() {
			again = time.Now().Add(retryRefusedAfter)
		}
		left := time.Duration(-1)
		if !again.IsZero() {
			left = max(0, time.Until(again))
		}
		wait(ctx, b.backlog.wake, left)
	}
	return nil
}

// wait returns after a wake-up, after d unless it is negative, or when ctx ends.
func wait(ctx context.Context, wake <-chan struct{}, d time.Duration) {
	var over <-chan time.Time
	if d >= 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-ctx.Done():
	case <-wake:
	case <-over:
	}
}

// EmbedMissing embeds all stored records without a vector of this embedder, such as after a change of the model. It
// returns when it is done. Use it if [Memory.Run] is not running, or to see the progress. progress is called after each
// batch without any lock held; it may be nil.
//
// If EmbedMissing fails or ctx ends, finished vectors are kept, and another call continues. It skips texts that the
// embedder rejects and returns an error at the end; it matches [ErrNotIndexed]. Without an embedder it does nothing.
func (m *Memory) EmbedMissing(ctx context.Context, progress func(done, total int)) error {
	if m.o.Embedder == nil {
		return nil
	}
	refused, err := (&backfill{m.embed, m.indexes}).embedAll(ctx, progress)
	if err == nil && refused > 0 {
		err = fmt.Errorf("memory: embed: %d texts: %w: %w", refused, ErrNotIndexed, ErrVector)
	}
	return err
}
