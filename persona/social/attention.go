package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// attentionKey is the row that keeps what was counted, so that a restart is no way around the caps.
const attentionKey = "attention"

// attentionEvery is how often the row is written, at most: a kill forgets what was counted since.
const attentionEvery = 5 * time.Second

// restoreAttention takes up caps, mutes and chances where they were. What was heard comes anew, from the journal.
func (b *Being) restoreAttention(ctx context.Context) error {
	rows, err := b.opts.Store.Load(ctx, attentionKey)
	if err != nil {
		return err
	}
	saved, ok := rows[attentionKey]
	if !ok {
		return nil
	}
	if err := b.attention.Restore(saved); err != nil {
		b.log.Error("what attention knew is unreadable, and begins anew", "err", err)
	}
	return nil
}

// keepAttention writes the row while the being lives, and once more at its end.
func (b *Being) keepAttention(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			after, stop := afterwards(ctx)
			defer stop()
			b.saveAttention(after)
			return nil
		case <-b.counted:
		}
		b.saveAttention(ctx)
		pause := time.NewTimer(attentionEvery)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

func (b *Being) saveAttention(ctx context.Context) {
	row, err := b.attention.SnapshotCounts()
	if err == nil {
		err = b.opts.Store.Apply(ctx, map[string][]byte{attentionKey: row})
	}
	if err != nil && ctx.Err() == nil {
		b.log.Error("what attention knows was not kept", "err", err)
	}
}

// traced is told of every decision: it wakes what depends on them.
func (b *Being) traced(also func(heartflow.Trace)) func(heartflow.Trace) {
	return func(t heartflow.Trace) {
		b.beat.Wake() // what is due next may have moved
		if t.Kind == heartflow.KindSpeak || t.Kind == heartflow.KindState {
			select {
			case b.counted <- struct{}{}:
			default:
			}
		}
		if b.opts.Trace != nil {
			b.opts.Trace(t)
		}
		if also != nil {
			also(t)
		}
	}
}
