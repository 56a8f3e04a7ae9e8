package engine

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Notice is a text for the owner about the bot or a chat. Pass quoted text through [QuoteLine].
type Notice struct {
	Text    string
	Private string       // replaces Text in a private message; "" means Text
	Chat    persona.Chat // the chat that the text comes from; zero: none
	Person  string       // id of the person it is about; "" for none
	Label   memory.Label // of the text; zero: that of Chat, or else of the turn, or else readable by the owner alone
	Urgent  bool         // it may come in quiet hours
	Hook    bool         // only for Options.Notify
}

// A Messenger sends notices to the owner in a private message. Add stores a notice durably.
type Messenger interface {
	Add(ctx context.Context, n Notice) error
}

// NotifyOwner sends the owner a notice by Options.Notify and by the [Messenger], and logs it.
func (e *Engine) NotifyOwner(ctx context.Context, n Notice) {
	n.Text = StripInvisible(n.Text)
	e.Log.Warn("notice to the owner", "text", n.Text)
	e.Watchers.Act(ctx, n.Chat, trace.Act{Kind: "notice", Text: n.Text})
	if e.Options.Notify != nil {
		if err := e.Options.Notify(ctx, n.Text); err != nil {
			e.Log.Error("the owner was not notified", "text", n.Text, "err", err)
		}
	}
	if e.Options.Messenger == nil || n.Hook {
		return
	}
	after, stop := DetachedContext(ctx)
	defer stop()
	if err := e.Options.Messenger.Add(after, n); err != nil {
		e.Log.Error("a private message to the owner was not stored", "text", n.Text, "err", err)
	}
}

// label returns the label of a notice.
func (n Notice) label(t *Turn) memory.Label {
	switch {
	case !n.Label.IsZero():
		return n.Label
	case n.Chat != (persona.Chat{}):
		return memory.Untrusted(memory.Space(n.Chat.String()))
	case t != nil:
		return t.Label()
	}
	return memory.OwnerOnly()
}

// LabelIn returns the label of a notice in the owner's private chat.
func (n Notice) LabelIn(ctx context.Context, e *Engine, to persona.Chat) memory.Label {
	l := n.label(TurnFrom(ctx)).Join(memory.Untrusted(memory.Space(to.String())))
	return e.Options.Labels.LabelOf(DatumReport, l)
}

// IsAsleep reports whether the bot sleeps: it stores messages, calls no model for them and sends nothing.
func IsAsleep(a Attention, now time.Time) bool {
	return a.State(now, persona.Chat{}) == heartflow.Offline
}
