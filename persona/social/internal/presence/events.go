package presence

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// events handles events of a link: it closes and opens chats and notifies the owner once.
type events struct {
	*Presence
	engine *engine.Engine
}

// Part returns the callbacks for the engine. If commands is false, closures by commands are not restored.
func (p *Presence) Part(e *engine.Engine, commands bool) engine.Part {
	return engine.Part{
		Restore: func(ctx context.Context) error {
			err := p.Restore(ctx, time.Now(), commands)
			p.logClosed(time.Now(), e)
			return err
		},
		Event: events{p, e}.event,
		Erase: p.erase,
	}
}

// logClosed logs after a start why the bot is silent.
func (p *Presence) logClosed(now time.Time, e *engine.Engine) {
	p.mu.Lock()
	chats, sleep := maps.Clone(p.chats), p.restoredSleep
	p.mu.Unlock()
	until := func(t time.Time) string { return t.In(e.Options.Location).Format(clockFormat) }
	switch {
	case sleep == nil:
	case sleep.IsZero():
		e.Log.Info("asleep since before the start, until it is woken")
	default:
		e.Log.Info("asleep since before the start", "until", until(*sleep))
	}
	for _, chat := range slices.SortedFunc(maps.Keys(chats), func(x, y persona.Chat) int { return strings.Compare(x.String(), y.String()) }) {
		r := chats[chat]
		if r.left {
			e.Log.Info("no longer a member of a chat", "chat", chat)
		}
		if r.muted.After(now) {
			e.Log.Info("muted in a chat since before the start", "chat", chat, "until", until(r.muted))
		}
		if r.quiet.Until.After(now) {
			e.Log.Info("asked to be quiet in a chat since before the start", "chat", chat, "until", until(r.quiet.Until))
		}
	}
}

func (v events) event(ctx context.Context, e persona.Event) {
	switch e := e.(type) {
	case persona.Message:
		v.rejoined(ctx, e.Chat)
	case persona.BotMuted:
		v.muted(ctx, e)
	case persona.BotLeft:
		v.left(ctx, e)
	case persona.BotJoined:
		v.rejoined(ctx, e.Chat)
	}
}

func (v events) muted(ctx context.Context, e persona.BotMuted) {
	news, err := v.SetMuted(ctx, time.Now(), e.Chat, e.Until)
	if err != nil {
		v.engine.Log.Error("could not store whether a chat is muted", "chat", e.Chat, "err", err)
	}
	if news {
		v.engine.NotifyOwner(ctx, engine.Notice{
			Text: "在 " + e.Chat.String() + " 被禁言，" + muteEnd(e.Until, v.engine.Options.Location), Chat: e.Chat,
		})
	}
}

// muteEnd says when a mute ends. A very long one ends when people lift it.
func muteEnd(until time.Time, loc *time.Location) string {
	if time.Until(until) > 10*365*24*time.Hour {
		return "没有期限"
	}
	return "直到 " + until.In(loc).Format(time.DateTime)
}

// left closes a chat that the account has left, until it rejoins.
func (v events) left(ctx context.Context, e persona.BotLeft) {
	news, err := v.SetLeft(ctx, time.Now(), e.Chat, true, e.By)
	if err != nil {
		v.engine.Log.Error("could not store that the account left a chat", "chat", e.Chat, "err", err)
	}
	if !news {
		return
	}
	text := "已不在 " + e.Chat.String() + " 里"
	if e.By != "" {
		text += "，是 " + e.By + " 移出的"
	}
	v.engine.NotifyOwner(ctx, engine.Notice{Text: text, Chat: e.Chat, Person: e.By})
}

// rejoined opens a chat again. A message from a chat proves that the account is a member.
func (v events) rejoined(ctx context.Context, chat persona.Chat) {
	if _, err := v.SetLeft(ctx, time.Now(), chat, false, ""); err != nil {
		v.engine.Log.Error("could not store that the account rejoined a chat", "chat", chat, "err", err)
	}
}

// erase adds the rows of erased chats and of an erased person.
func (p *Presence) erase(ctx context.Context, f memory.Erasure, rows map[string][]byte) error {
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) == nil {
			p.Forget(chat, rows)
		}
	}
	if f.Person == "" {
		return nil
	}
	return p.ForgetPerson(ctx, f.Person, rows)
}
