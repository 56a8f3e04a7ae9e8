package social

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/presence"
	"github.com/hearth-bot/hearth/persona/social/internal/settings"
)

// ChatSettings are the settings of one chat in a form for files: they can be JSON. A nil or zero field keeps what
// [ChatOptions] and [Options] say. An empty list that is not nil overrides with an empty list.
type ChatSettings struct {
	Off                 *bool            `json:"off,omitzero"`                    // messages are dropped, and nothing is sent
	Names               []string         `json:"names,omitzero"`                  // instead of the names of Profile
	WakeWords           []string         `json:"wake_words,omitzero"`             // address the bot as a name does
	Keywords            []string         `json:"keywords,omitzero"`               // topics of interest
	Policy              string           `json:"policy,omitzero"`                 // "mention", "interject" or a name in When.Policies
	SpeakLess           *bool            `json:"speak_less,omitzero"`             // see ChatOptions.SpeakLess
	NoFocus             *bool            `json:"no_focus,omitzero"`               // see ChatOptions.NoFocus
	Begins              *bool            `json:"begins,omitzero"`                 // the bot may begin talks: see heartflow.Begin
	Public              *bool            `json:"public,omitzero"`                 // see ChatOptions.Public
	BannedWords         []string         `json:"banned_words,omitzero"`           // BannedWords or BannedPatterns replace When.Banned
	BannedPatterns      []string         `json:"banned_patterns,omitzero"`        // regular expressions
	QuietHours          []heartflow.Span `json:"quiet_hours,omitzero"`            // such as "23:00-07:30"
	MaxReplies          int              `json:"max_replies,omitzero"`            // replies to people who address the bot, within WindowMinutes
	MaxRepliesPerPerson int              `json:"max_replies_per_person,omitzero"` // to one person within a fifth of WindowMinutes, in a group
	MaxInterjections    int              `json:"max_interjections,omitzero"`      // other messages within WindowMinutes
	WindowMinutes       int              `json:"window_minutes,omitzero"`         // of these limits
	MaxConsecutive      int              `json:"max_consecutive,omitzero"`        // messages without one by somebody else
	HourTokens          int              `json:"hour_tokens,omitzero"`            // of the model in an hour; HourTokens or DayTokens replace the budget's limits of a chat
	DayTokens           int              `json:"day_tokens,omitzero"`             // in a day
}

// Validate returns an error that names the invalid setting and its allowed values. policies are those of
// When.Policies.
func (s ChatSettings) Validate(policies map[string]heartflow.Policy) error {
	if err := settings.Chat(s).Validate(policies); err != nil {
		return fmt.Errorf("social: %w", err)
	}
	return nil
}

// Configure replaces the overrides of a chat. They apply from the next message on, override Options.When, and survive
// a restart. An override ends when [Bot.Reload], or When.Settings at a start, gives its field another value than the
// one that it replaced. The zero ChatSettings remove all overrides of the chat, and so does [Bot.EraseChat]. After an error nothing has changed.
// Configure waits until [Bot.Run] has started.
func (b *Bot) Configure(ctx context.Context, chat persona.Chat, s ChatSettings) error {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return err
	}
	return b.settings.Set(ctx, chat, settings.Chat(s))
}

// Overrides returns the overrides of all chats that [Bot.Configure] made and that are in effect. It waits until
// [Bot.Run] has started.
func (b *Bot) Overrides(ctx context.Context) (map[persona.Chat]ChatSettings, error) {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return nil, err
	}
	return fromParts(b.settings.All()), nil
}

// ChatDefaults are the settings of a chat without its overrides, for a form.
type ChatDefaults struct {
	// ChatSettings has a value for every field. Policy is "" for a policy of the program without a name, and BannedWords and
	// BannedPatterns are empty if the program made the filter. HourTokens and DayTokens of 0 mean the budget of the program.
	ChatSettings
	Policies []string // names that ChatSettings.Policy may have
}

// ChatDefaults returns the settings that hold in a chat where [Bot.Configure] changes nothing.
func (b *Bot) ChatDefaults(chat persona.Chat) ChatDefaults {
	o := b.engine.Options
	a := o.Attention
	a.Names = slices.Concat([]string{o.Profile.Name}, o.Profile.Aliases, a.Names)
	return ChatDefaults{ChatSettings(b.settings.Defaults(chat, a)), b.settings.Policies()}
}

// Reload replaces When.Settings, for example when their file has changed. It returns the overrides that this ended,
// because the new value of their field differs from the one that they replaced. After an error nothing has changed. It
// waits until [Bot.Run] has started.
func (b *Bot) Reload(ctx context.Context, file map[persona.Chat]ChatSettings) (ended map[persona.Chat]ChatSettings, err error) {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return nil, err
	}
	over, err := b.settings.Reload(ctx, toParts(file))
	return fromParts(over), err
}

// Mute closes a chat for all messages of the bot until a time in the future. It has the effect of the owner's command
// for quiet: it survives a restart, and an admin cannot end it. Muting by the platform is independent of it. Mute waits
// until [Bot.Run] has started.
func (b *Bot) Mute(ctx context.Context, chat persona.Chat, until time.Time) error {
	if now := time.Now(); !until.After(now) {
		return fmt.Errorf("social: mute until %v: the time must be in the future", until)
	}
	return b.setQuiet(ctx, chat, presence.Quiet{Until: until.Round(0), Owner: true, Host: true})
}

// Unmute ends [Bot.Mute], and quiet that a command has asked for.
func (b *Bot) Unmute(ctx context.Context, chat persona.Chat) error {
	return b.setQuiet(ctx, chat, presence.Quiet{})
}

func (b *Bot) setQuiet(ctx context.Context, chat persona.Chat, q presence.Quiet) error {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return err
	}
	now := time.Now()
	old := b.presence.Quiet(chat)
	if _, err := b.presence.SetQuiet(ctx, now, chat, q); err != nil {
		return err
	}
	b.presence.Apply(time.Now(), chat)
	b.note(ctx, Change{Chat: chat, Field: "quiet", Old: presence.UntilText(now, old.Until), New: presence.UntilText(now, q.Until)})
	return nil
}

// Sleep makes the bot Offline in all chats until a time, or until [Bot.Wake] if the time is zero. It stores messages
// and sends nothing. It survives a restart. Sleep waits until [Bot.Run] has started.
func (b *Bot) Sleep(ctx context.Context, until time.Time) error {
	if now := time.Now(); !until.IsZero() && !until.After(now) {
		return fmt.Errorf("social: sleep until %v: the time must be in the future", until)
	}
	if err := b.engine.AwaitStart(ctx); err != nil {
		return err
	}
	if err := b.saveSleep(ctx, &until, b.presence.SaveHostSleep); err != nil {
		return err
	}
	b.engine.Attention.Sleep(time.Now(), until)
	return nil
}

// Wake ends sleep, also sleep that a command or a tool started. It waits until [Bot.Run] has started.
func (b *Bot) Wake(ctx context.Context) error {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return err
	}
	if err := b.saveSleep(ctx, nil, b.presence.SaveSleep); err != nil {
		return err
	}
	b.engine.Attention.Wake(time.Now())
	return nil
}

// saveSleep stores by save whether the bot sleeps, and notes the change.
func (b *Bot) saveSleep(ctx context.Context, until *time.Time, save func(context.Context, *time.Time) error) error {
	old := b.presence.SleepText(time.Now())
	err := save(ctx, until)
	if err == nil {
		b.note(ctx, Change{Field: "sleep", Old: old, New: b.presence.SleepText(time.Now())})
	}
	return err
}

// Say sends a text to a chat, without a model, and returns the id of the message. It counts for the caps, waits for the
// rate limit, and is stored before it is sent, like every message of the bot. If the chat is muted, off or over its
// caps, or the bot is asleep, the error is a [*heartflow.RefusedError]. An error that matches [ErrUnclear] means that
// the message may have been sent; do not repeat it then. Say waits until [Bot.Run] has started.
func (b *Bot) Say(ctx context.Context, chat persona.Chat, text string) (id string, err error) {
	return b.engine.Say(ctx, chat, text)
}

// settings returns the options of package settings.
func (o Options) settings(b *Bot) settings.Options {
	base := func(persona.Chat) engine.ChatOptions { return engine.ChatOptions{} }
	if o.When.Chats != nil {
		base = func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions(o.When.Chats(c)) }
	}
	return settings.Options{File: toParts(o.When.Settings), Policies: o.When.Policies, Base: base, Changed: b.noteSettings}
}

func toParts(all map[persona.Chat]ChatSettings) map[persona.Chat]settings.Chat {
	to := make(map[persona.Chat]settings.Chat, len(all))
	for chat, s := range all {
		to[chat] = settings.Chat(s)
	}
	return to
}

func fromParts(all map[persona.Chat]settings.Chat) map[persona.Chat]ChatSettings {
	to := make(map[persona.Chat]ChatSettings, len(all))
	for chat, s := range all {
		to[chat] = ChatSettings(s)
	}
	return to
}
