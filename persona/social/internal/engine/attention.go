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

// An attention decides when to speak: a heartflow.Attention, or an hfc.Flow over one.
type Attention interface {
	Seed() uint64
	Hear(now time.Time, chat persona.Chat, m heartflow.Message) heartflow.Notice
	JudgeTo(now time.Time, chat persona.Chat, last string) heartflow.Verdict
	Begin(now time.Time, chat persona.Chat, why heartflow.Code) heartflow.Verdict
	Speak(now time.Time, chat persona.Chat, text string) error
	Volunteer(now time.Time, chat persona.Chat, text string, why heartflow.Code) error
	Continue(now time.Time, chat persona.Chat) error
	Cut(now time.Time, chat persona.Chat, text string, why ...heartflow.Code)
	Skip(now time.Time, chat persona.Chat, why heartflow.Code)
	Recalled(now time.Time, chat persona.Chat, id string)
	Mute(now time.Time, chat persona.Chat, until time.Time)
	Unmute(now time.Time, chat persona.Chat)
	MuteAll(now, until time.Time)
	UnmuteAll(now time.Time)
	Mood(chat persona.Chat) float64
	SetChatMood(chat persona.Chat, mood float64)
	State(now time.Time, chat persona.Chat) heartflow.State
	Sleep(now, until time.Time)
	Wake(now time.Time)
	Energy(now time.Time, chat persona.Chat) float64
	Quiet(now time.Time, chat persona.Chat) (until time.Time, quiet bool)
	Forget(chat persona.Chat)
	Next() (time.Time, bool)
	Traces(chat persona.Chat) []heartflow.Trace
	SnapshotCounts() ([]byte, error)
	Restore(snapshot []byte) error
}

// newAttention makes the one that the options want.
func (b *Engine) newAttention() {
	below := b.Options.attention(b.traced(b.Options.Attention.Trace))
	if b.Options.HFC == nil {
		b.Plain = heartflow.New[persona.Chat](below)
		b.Attention = b.Plain
		return
	}
	o := *b.Options.HFC
	o.Attention = below
	b.Flow = hfc.New[persona.Chat](o)
	b.Attention = b.Flow
}

// configure sets how one chat differs.
func (b *Engine) configure(chat persona.Chat, o ChatOptions) error {
	if b.Flow != nil {
		return b.Flow.Configure(chat, hfc.Settings{Settings: o.Attention, Down: o.Down, NoFocus: o.NoFocus})
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
func (b *Engine) restoreAttention(ctx context.Context) error {
	if err := b.restore(ctx, attentionKey, b.Attention.Restore); err != nil {
		return err
	}
	return b.restore(ctx, budgetKey, b.Options.Attention.Budget.Restore)
}

func (b *Engine) restore(ctx context.Context, key string, take func([]byte) error) error {
	rows, err := b.Options.Store.Load(ctx, key)
	if err != nil {
		return err
	}
	saved, ok := rows[key]
	if !ok {
		return nil
	}
	if err := take(saved); err != nil {
		b.Log.Error("what was counted is unreadable, and begins anew", "row", key, "err", err)
	}
	return nil
}

// metered counts a model call, for the chat of the turn that made it.
func (b *Engine) metered(ctx context.Context, u models.Usage) {
	chat := ""
	if r, ok := ctx.Value(asideKey{}).(*Chat); ok {
		chat = r.ID.String()
		b.Counters.asides.Add(1)
		b.Counters.asideTokens.Add(int64(u.Total()))
	} else if t := TurnFrom(ctx); t != nil {
		chat = t.Chat.ID.String()
	}
	b.Counters.calls.Add(1)
	b.Counters.tokens.Add(int64(u.Total()))
	b.Options.Attention.Budget.Call(time.Now(), chat, u.Total())
	b.counts()
}

// counts tells that something was counted which a restart must know.
func (b *Engine) counts() {
	select {
	case b.counted <- struct{}{}:
	default:
	}
}

// keepAttention writes the row while the being lives, and once more at its end.
func (b *Engine) keepAttention(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			after, stop := Afterwards(ctx)
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

func (b *Engine) saveAttention(ctx context.Context) {
	if err := b.writeAttention(ctx); err != nil && ctx.Err() == nil {
		b.Log.Error("what attention knows was not kept", "err", err)
	}
}

func (b *Engine) writeAttention(ctx context.Context) error {
	row, err := b.Attention.SnapshotCounts()
	spent, budgetErr := b.Options.Attention.Budget.Snapshot()
	if err = errors.Join(err, budgetErr); err != nil {
		return err
	}
	return b.Options.Store.Apply(ctx, map[string][]byte{attentionKey: row, budgetKey: spent})
}

// traced is told of every decision: it wakes what depends on them.
func (b *Engine) traced(also func(heartflow.Trace)) func(heartflow.Trace) {
	return func(t heartflow.Trace) {
		b.Beat.Wake() // what is due next may have moved
		if t.Kind == heartflow.KindSpeak || t.Kind == heartflow.KindState {
			b.counts()
		}
		if b.Options.Trace != nil {
			b.Options.Trace(t)
		}
		if also != nil {
			also(t)
		}
	}
}
