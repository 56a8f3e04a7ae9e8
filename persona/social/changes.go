package social

import (
	"context"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/changes"
	"github.com/hearth-bot/hearth/persona/social/internal/settings"
)

// A Change says who changed a setting of the bot when. It has no words of chats, except those that are settings.
type Change struct {
	At time.Time
	// By is "command" for a message in a chat, "tool" for a turn, "file" for [Bot.Reload] and When.Settings, "code" for a call of a
	// method, or the name of [WithActor], such as "page".
	By      string
	Account persona.Account // who gave the command; zero for others
	Chat    persona.Chat    // zero means the whole bot
	// Field is a JSON name of [ChatSettings], or one of quiet, sleep, heartbeat, timer, task, unclear_send, request, plugin,
	// social_mode and label.
	Field   string
	Subject string // id of the timer, task or send, name of the plugin, or kind of the request or of the label
	// Old and New are JSON for fields of ChatSettings, times as in RFC 3339, durations, or words such as "off". "" means the default,
	// or none.
	Old, New string
}

// WithActor returns a context that names who makes the changes of calls with it, such as "page", for [Bot.Changes].
func WithActor(ctx context.Context, by string) context.Context {
	return changes.WithActor(ctx, by, persona.Account{})
}

// Changes returns the last 500 changes of settings, oldest first. They are kept in the store. Changes of an erased chat, and
// those that an erased person made by a command, are erased. A crash between a change and its entry loses the entry. Changes
// waits until [Bot.Run] has started.
func (b *Bot) Changes(ctx context.Context) ([]Change, error) {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return nil, err
	}
	all := b.changes.All()
	list := make([]Change, len(all))
	for i, c := range all {
		list[i] = Change(c)
	}
	return list, nil
}

// note stores a change.
func (b *Bot) note(ctx context.Context, c Change) { b.changes.Add(ctx, changes.Change(c)) }

// noteSettings stores the changed settings of a chat.
func (b *Bot) noteSettings(ctx context.Context, chat persona.Chat, old, is settings.Chat, file bool) {
	if file {
		ctx = changes.WithActor(ctx, changes.ByFile, persona.Account{})
	}
	var all []changes.Change
	for _, d := range settings.Diff(old, is) {
		all = append(all, changes.Change{Chat: chat, Field: d.Field, Old: d.Old, New: d.New})
	}
	b.changes.Add(ctx, all...)
}

// noteCommand stores the change of a command in a chat.
func (b *Bot) noteCommand(ctx context.Context, by persona.Account, chat persona.Chat, field, old, new string) {
	b.note(changes.WithActor(ctx, changes.ByCommand, by), Change{Chat: chat, Field: field, Old: old, New: new})
}
