package memory

import (
	"context"
	"fmt"
	"time"
)

const (
	embedAtOnce = 64               // texts in one call of an embedder
	firstPause  = time.Second      // after an embedder failed; then twice as long each time
	longPause   = 10 * time.Minute // at most
	lookAgain   = time.Hour        // at texts that the embedder refused
)

// Run makes vectors of what is kept, shortly after, until ctx ends; it returns nil then. It begins with all records of the store that have none of this
// embedder's: what was kept while nobody ran, and what another embedder knew. Words find records meanwhile.
//
// An embedder that fails is asked again after a pause, which grows to ten minutes; texts that it alone refuses are left out for an hour.
// Nothing is lost by stopping: the store tells what is left. Without an embedder Run waits for the end of ctx.
func (m *Memory) Run(ctx context.Context) error {
	pause := firstPause
	var again time.Time // when to look at refused texts; zero: there are none
	m.backlog.look()
	for ctx.Err() == nil {
		if !again.IsZero() && !time.Now().Before(again) {
			again = time.Time{}
			m.backlog.look()
		}
		refused, err := m.catchUp(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			m.o.Logger.WarnContext(ctx, "memory: no vectors for now", "err", err, "pause", pause)
			wait(ctx, nil, pause)
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
		wait(ctx, m.backlog.wake, left)
	}
	return nil
}

// wait returns when something came (unless wake is nil), when the time is over (unless it is negative), or when ctx ended.
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

// catchUp makes vectors of what is listed, and of all that lacks one where the list is not all.
func (m *Memory) catchUp(ctx context.Context) (refused int, err error) {
	if m.o.Embedder == nil {
		return 0, nil
	}
	if !m.backlog.whole() {
		return m.drain(ctx)
	}
	refused, err = m.embedAll(ctx, nil)
	if err != nil {
		m.backlog.look()
	}
	return refused, err
}

// Embed makes vectors of all records of the store that have none of this embedder's, such as those that another embedder knew, and
// returns when it is done. Use it where nobody runs [Memory.Run], or to see the progress, which is told after each portion; nil tells nobody.
// Progress is called without any lock held.
//
// What is made stays when Embed fails or ctx ends: called again it goes on. Texts that the embedder refuses are passed over, and
// the error, which matches [ErrNotIndexed], comes when all others are done. Without an embedder there is nothing to do.
func (m *Memory) Embed(ctx context.Context, progress func(done, total int)) error {
	if m.o.Embedder == nil {
		return nil
	}
	refused, err := m.embedAll(ctx, progress)
	if err == nil && refused > 0 {
		err = fmt.Errorf("memory: embed: %d texts: %w: %w", refused, ErrNotIndexed, ErrVector)
	}
	return err
}

// embedAll looks through the store. What is kept meanwhile goes first.
func (m *Memory) embedAll(ctx context.Context, progress func(done, total int)) (refused int, err error) {
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return 0, fmt.Errorf("memory: embed: %w", err)
	}
	done, total := 0, 0
	if progress != nil {
		count := func(recs []Record) error { total += len(recs); return nil }
		for _, s := range spaces {
			if err := m.lacking(ctx, s, count); err != nil {
				return 0, err
			}
		}
		progress(0, total)
	}
	for _, s := range spaces {
		err := m.lacking(ctx, s, func(recs []Record) error {
			n, err := m.portion(ctx, recs)
			refused += n
			if err != nil {
				return err
			}
			if done += len(recs); progress != nil {
				progress(done, max(done, total))
			}
			n, err = m.drain(ctx)
			refused += n
			return err
		})
		if err != nil {
			return refused, err
		}
	}
	n, err := m.drain(ctx)
	return refused + n, err
}

// lacking yields the records of a space that want a vector, in portions.
func (m *Memory) lacking(ctx context.Context, s Space, yield func([]Record) error) error {
	var recs []Record
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return fmt.Errorf("memory: embed: %w", err)
		}
		if !m.wants(&r) {
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
func (m *Memory) drain(ctx context.Context) (refused int, err error) {
	for {
		s, ids := m.backlog.take(embedAtOnce)
		if len(ids) == 0 {
			return refused, nil
		}
		for _, s := range [...]Space{s, s.Twin()} { // it may have been hidden since
			n, err := m.portionOf(ctx, s, ids)
			refused += n
			if err != nil {
				m.backlog.look()
				return refused, err
			}
		}
	}
}

func (m *Memory) portionOf(ctx context.Context, s Space, ids []string) (refused int, err error) {
	recs, err := m.store.Get(ctx, s, ids...)
	if err != nil {
		return 0, fmt.Errorf("memory: embed: %w", err)
	}
	want := recs[:0]
	for _, r := range recs {
		if m.wants(&r) {
			want = append(want, r)
		}
	}
	return m.portion(ctx, want)
}

// portion makes vectors while nobody else does.
func (m *Memory) portion(ctx context.Context, recs []Record) (refused int, err error) {
	if len(recs) == 0 {
		return 0, nil
	}
	select {
	case m.backlog.turn <- struct{}{}:
		defer func() { <-m.backlog.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return m.vectorise(ctx, recs)
}
