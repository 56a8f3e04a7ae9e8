package engine

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
)

// newAttention makes the one that the options want.
func (b *Engine) newAttention() (err error) {
	below := b.Options.attention(b.keeper.traced(b.Options.Attention.OnTrace))
	if b.Options.HFC == nil {
		b.Plain, err = heartflow.New[persona.Chat](below)
		b.Attention = b.Plain
		return err
	}
	o := *b.Options.HFC
	o.Attention = below
	b.Flow, err = hfc.New[persona.Chat](o)
	b.Attention = b.Flow
	return err
}

// configure sets how one chat differs.
func (b *Engine) configure(chat persona.Chat, o ChatOptions) error {
	if b.Flow != nil {
		return b.Flow.Configure(chat, hfc.Settings{Settings: o.Attention, SpeakLess: o.SpeakLess, NoFocus: o.NoFocus})
	}
	return b.Plain.Configure(chat, o.Attention)
}

// attentionKey is the row that keeps what was counted, so that a restart is no way around the caps.
const attentionKey = "attention"

// budgetKey is the row beside it that keeps what was spent.
const budgetKey = "budget"

// attentionEvery is how often the row is written, at most: a kill forgets what was counted since.
const attentionEvery = 5 * time.Second

// restoreAttention takes up caps, mutes, chances and what was spent where they were. What was heard comes anew, from the
// journal.
func (k *keeper) restoreAttention(ctx context.Context) error {
	if err := k.restore(ctx, attentionKey, k.engine.Attention.Restore); err != nil {
		return err
	}
	return k.restore(ctx, budgetKey, k.engine.Options.Attention.Budget.Restore)
}

func (k *keeper) restore(ctx context.Context, key string, take func([]byte) error) error {
	rows, err := k.engine.Options.Store.Load(ctx, key)
	if err != nil {
		return err
	}
	saved, ok := rows[key]
	if !ok {
		return nil
	}
	if err := take(saved); err != nil {
		k.engine.Log.Error("what was counted is unreadable, and begins anew", "row", key, "err", err)
	}
	return nil
}

// metered counts a model call, for the chat of the turn that made it.
func (k *keeper) metered(ctx context.Context, u models.Usage) {
	chat := ""
	if r, ok := ctx.Value(asideKey{}).(*Chat); ok {
		chat = r.ID.String()
		k.engine.Counters.asides.Add(1)
		k.engine.Counters.asideTokens.Add(int64(u.Total()))
	} else if t := TurnFrom(ctx); t != nil {
		chat = t.Chat.ID.String()
	}
	k.engine.Counters.calls.Add(1)
	k.engine.Counters.tokens.Add(int64(u.Total()))
	k.engine.Options.Attention.Budget.AddCall(time.Now(), chat, u.Total())
	k.counts()
}

// counts tells that something was counted which a restart must know.
func (k *keeper) counts() {
	select {
	case k.counted <- struct{}{}:
	default:
	}
}

// keepAttention writes the row while the being lives, and once more at its end.
func (k *keeper) keepAttention(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			after, stop := Afterwards(ctx)
			defer stop()
			k.saveAttention(after)
			return nil
		case <-k.counted:
		}
		k.saveAttention(ctx)
		pause := time.NewTimer(attentionEvery)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

func (k *keeper) saveAttention(ctx context.Context) {
	if err := k.writeAttention(ctx); err != nil && ctx.Err() == nil {
		k.engine.Log.Error("what attention knows was not kept", "err", err)
	}
}

func (k *keeper) writeAttention(ctx context.Context) error {
	row, err := k.engine.Attention.SnapshotWithoutMessages()
	spent, budgetErr := k.engine.Options.Attention.Budget.Snapshot()
	if err = errors.Join(err, budgetErr); err != nil {
		return err
	}
	return k.engine.Options.Store.Apply(ctx, map[string][]byte{attentionKey: row, budgetKey: spent})
}

// traced is told of every decision: it wakes what depends on them.
func (k *keeper) traced(also func(heartflow.Trace)) func(heartflow.Trace) {
	return func(t heartflow.Trace) {
		k.engine.Beat.Wake() // what is due next may have moved
		if t.Kind == heartflow.KindSpeak || t.Kind == heartflow.KindState {
			k.counts()
		}
		if k.engine.Options.Trace != nil {
			k.engine.Options.Trace(t)
		}
		if also != nil {
			also(t)
		}
	}
}

type asideKey struct{}
