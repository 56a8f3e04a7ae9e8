// Package feedback feeds a [feedback.Tracker] of heartflow with what happens in the chats, keeps what it learns, and puts its ratings
// into the trace.
package feedback

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/feedback"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A Recorder connects a tracker with an engine.
type Recorder struct {
	engine  *engine.Engine
	tracker *feedback.Tracker[persona.Chat]
	loop    loop.Loop
}

// rowPrefix begins the key of the row with what is known about a chat. The chat follows.
const rowPrefix = "feedback/"

func key(chat persona.Chat) string { return rowPrefix + chat.String() }

// New returns a Recorder.
func New(e *engine.Engine, t *feedback.Tracker[persona.Chat]) *Recorder {
	return &Recorder{engine: e, tracker: t}
}

// Part returns the callbacks for the engine.
func (r *Recorder) Part() engine.Part {
	return engine.Part{Restore: r.restore, Run: r.run, Event: r.event, Observed: r.observed, Sent: r.sent, Erase: r.erase, Due: r.due}
}

// due returns when the reactions to the latest messages of the bot are rated. What was seen of them is stored when the bot stops.
func (r *Recorder) due(context.Context, time.Time) (engine.Due, error) {
	at, ok := r.tracker.Next()
	return engine.DueAt(at, ok), nil
}

// Off returns a part that erases what an earlier run has learned, and nothing else.
func Off(e *engine.Engine) engine.Part {
	t, _ := feedback.New[persona.Chat](feedback.Options{}) // the defaults are valid
	r := New(e, t)
	return engine.Part{Erase: func(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
		if err := r.restore(ctx); err != nil {
			return err
		}
		return r.erase(ctx, f, rows)
	}}
}

// restore loads the rows.
func (r *Recorder) restore(ctx context.Context) error {
	rows, err := r.engine.Options.Store.Load(ctx, rowPrefix)
	if err != nil {
		return err
	}
	for name, row := range rows {
		var chat persona.Chat
		err := chat.UnmarshalText([]byte(strings.TrimPrefix(name, rowPrefix)))
		if err == nil {
			err = r.tracker.Restore(chat, row)
		}
		if err != nil {
			r.engine.Log.Error("saved feedback is unreadable and starts anew", "row", name, "err", err)
		}
	}
	return nil
}

// run logs and saves each rating when it is known, and saves the rest at the end.
func (r *Recorder) run(ctx context.Context) error {
	err := r.loop.Run(ctx, r.tracker.Next, func(now time.Time) {
		var changed []persona.Chat
		for _, rating := range r.tracker.Due(now) {
			if len(rating.Signals) == 0 {
				continue
			}
			r.engine.Attention.LogFeedback(now, rating.Chat, rating.Score, rating.Signals...)
			if !slices.Contains(changed, rating.Chat) {
				changed = append(changed, rating.Chat)
			}
		}
		r.save(ctx, changed...)
	})
	after, stop := engine.DetachedContext(ctx)
	defer stop()
	r.save(after, r.tracker.Chats()...)
	return err
}

// save writes the rows of chats.
func (r *Recorder) save(ctx context.Context, chats ...persona.Chat) {
	if len(chats) == 0 {
		return
	}
	rows := map[string][]byte{}
	err := r.rows(rows, chats...)
	if err == nil {
		err = r.engine.Options.Store.Apply(ctx, rows)
	}
	if err != nil && ctx.Err() == nil {
		r.engine.Log.Error("feedback was not saved", "err", err)
	}
}

// rows adds the rows of chats.
func (r *Recorder) rows(rows map[string][]byte, chats ...persona.Chat) error {
	for _, chat := range chats {
		b, err := r.tracker.Snapshot(chat)
		if err != nil {
			return err
		}
		rows[key(chat)] = b
	}
	return nil
}

// sent takes a message of the bot. Notices and answers to commands are no part of a conversation.
func (r *Recorder) sent(now time.Time, c *engine.Chat, u *engine.Utterance, id string) {
	t := u.Turn
	if u.Notice || u.CapNotice != "" || c.ID.Kind != persona.Group || t.Chat == c && t.OwnerOrder && t.Wake == nil {
		return
	}
	s := feedback.Said{ID: id}
	if t.Chat == c && t.Wake == nil && !t.OwnerOrder {
		s.To, s.Called = t.Caller.From, t.Callers > 0
	}
	r.tracker.Said(now, c.ID, s)
	r.loop.Wake()
}

// observed takes a message of somebody else.
func (r *Recorder) observed(now time.Time, c *engine.Chat, m persona.Message, addressed bool) {
	own := m.Quote != nil && m.Quote.Own
	r.tracker.Observe(now, c.ID, feedback.Message{
		From: m.From, Text: engine.OwnWords(m), QuoteID: r.engine.NormalizeID(m.ReplyTo), ToMe: addressed || own, FromBot: m.Bot,
		ToOthers: !addressed && !own && (m.ReplyTo != "" || len(m.Mentions) > 0),
	})
	r.loop.Wake()
}

// event takes what is no message.
func (r *Recorder) event(_ context.Context, ev persona.Event) {
	now := time.Now()
	switch ev := ev.(type) {
	case persona.Reacted:
		if !ev.Removed {
			r.tracker.Reacted(now, ev.Chat, r.engine.NormalizeID(ev.MessageID), ev.From, !slices.Contains(disapproving, ev.Face.Name))
		}
	case persona.Retracted:
		if ev.By != "" && ev.By != r.engine.SelfIn(ev.Chat) {
			r.tracker.Deleted(now, ev.Chat, r.engine.NormalizeID(ev.MessageID))
		}
	case persona.BotMuted:
		if !ev.Until.IsZero() {
			r.tracker.Muted(now, ev.Chat)
		}
	}
	r.loop.Wake()
}

// disapproving are the names of faces that say no. All others approve.
var disapproving = []string{
	"撇嘴", "闭嘴", "尴尬", "发怒", "抓狂", "吐", "白眼", "嘘", "折磨", "咒骂", "敲打", "再见", "炸弹", "刀", "菜刀", "便便", "踩", "怄火", "鄙视", "左哼哼", "右哼哼",
	"差劲", "NO", "无奈", "骚扰", "辣眼睛", "拒绝", "生气", "👎", "💩", "😡", "🙄", "🤮",
}

// Welcome returns how welcome the bot is in a chat.
func (r *Recorder) Welcome(now time.Time, chat persona.Chat) float64 {
	return r.tracker.Welcome(now, chat, "")
}

// Reset forgets what was learned about a chat.
func (r *Recorder) Reset(ctx context.Context, chat persona.Chat) error {
	r.tracker.Reset(chat)
	rows := map[string][]byte{}
	if err := r.rows(rows, chat); err != nil {
		return err
	}
	return r.engine.Options.Store.Apply(ctx, rows)
}

// erase removes chats, and a person from all chats.
func (r *Recorder) erase(_ context.Context, f memory.Erasure, rows map[string][]byte) error {
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) == nil {
			r.tracker.Forget(chat)
			rows[key(chat)] = nil
		}
	}
	if f.Person == "" {
		return nil
	}
	for _, chat := range r.tracker.Chats() {
		r.tracker.ForgetPerson(chat, f.Person)
		if err := r.rows(rows, chat); err != nil {
			return err
		}
	}
	return nil
}
