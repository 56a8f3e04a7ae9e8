package social

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/models"
)

// attentionKey is the row that keeps what was counted, so that a restart is no way around the caps.
const attentionKey = "attention"

// budgetKey is the row beside it that keeps what was spent.
const budgetKey = "budget"

// attentionEvery is how often the row is written, at most: a kill forgets what was counted since.
const attentionEvery = 5 * time.Second

// restoreAttention takes up caps, mutes, chances and what was spent where they were. What was heard comes anew, from the
// journal.
func (b *Being) restoreAttention(ctx context.Context) error {
	if err := b.restore(ctx, attentionKey, b.attention.Restore); err != nil {
		return err
	}
	return b.restore(ctx, budgetKey, b.opts.Attention.Budget.Restore)
}

func (b *Being) restore(ctx context.Context, key string, take func([]byte) error) error {
	rows, err := b.opts.Store.Load(ctx, key)
	if err != nil {
		return err
	}
	saved, ok := rows[key]
	if !ok {
		return nil
	}
	if err := take(saved); err != nil {
		b.log.Error("what was counted is unreadable, and begins anew", "row", key, "err", err)
	}
	return nil
}

// metered counts a model call, for the chat of the turn that made it.
func (b *Being) metered(ctx context.Context, u models.Usage) {
	chat := ""
	if t := turnFrom(ctx); t != nil {
		chat = t.room.chat.String()
	}
	b.count.calls.Add(1)
	b.count.tokens.Add(int64(u.Total()))
	b.opts.Attention.Budget.Call(time.Now(), chat, u.Total())
	b.counts()
}

// counts tells that something was counted which a restart must know.
func (b *Being) counts() {
	select {
	case b.counted <- struct{}{}:
	default:
	}
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
	spent, budgetErr := b.opts.Attention.Budget.Snapshot()
	if err = errors.Join(err, budgetErr); err == nil {
		err = b.opts.Store.Apply(ctx, map[string][]byte{attentionKey: row, budgetKey: spent})
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
			b.counts()
		}
		if b.opts.Trace != nil {
			b.opts.Trace(t)
		}
		if also != nil {
			also(t)
		}
	}
}
