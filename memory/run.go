package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// Run makes vectors of what is kept, shortly after, until ctx ends; it returns nil then. It begins with all records of the store that have none of this
// embedder's: what was kept while nobody ran, and what another embedder knew. Words find records meanwhile.
//
// An embedder that fails is asked again after a pause, which grows to ten minutes; texts that it alone refuses are left out for an hour.
// Nothing is lost by stopping: the store tells what is left. Without an embedder Run waits for the end of ctx.
func (m *Memory) Run(ctx context.Context) error {
	b, pause := &backfill{m.embed, m.indexes}, firstPause
	var again time.Time // when to look at refused texts; zero: there are none
	b.backlog.look()
	for ctx.Err() == nil {
		if !again.IsZero() && !time.Now().Before(again) {
			again = time.Time{}
			b.backlog.look()
		}
		refused, err := b.catchUp(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			m.o.Logger.WarnContext(ctx, "memory: no vectors for now", "err", err, "pause", pause)
			_ = loop.Sleep(ctx, pause)
			pause = min(2*pause, longPause)
			continue
		}
		pause = firstPause
		if refused > 0 {
			m.o.Logger.WarnContext(ctx, "memory: the embedder refused texts", "count", refused)
		}
		if refused > 0 && again.IsZero() {
			again = time.Now().Add(lookAgain)
		}
		left := time.Duration(-1)
		if !again.IsZero() {
			left = max(0, time.Until(again))
		}
		wait(ctx, b.backlog.wake, left)
	}
	return nil
}

// wait returns when something came, when the time is over (unless it is negative), or when ctx ended.
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

// EmbedMissing makes vectors of all records of the store that have none of this embedder's, such as those that another embedder knew, and
// returns when it is done. Use it where nobody runs [Memory.Run], or to see the progress, which is told after each portion; nil tells nobody.
// Progress is called without any lock held.
//
// What is made stays when Embed fails or ctx ends: called again it goes on. Texts that the embedder refuses are passed over, and
// the error, which matches [ErrNotIndexed], comes when all others are done. Without an embedder there is nothing to do.
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
