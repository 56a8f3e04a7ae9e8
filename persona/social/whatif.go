package social

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/settings"
	"github.com/hearth-bot/hearth/persona/social/internal/whatif"
	"github.com/hearth-bot/hearth/persona/trace"
)

// A Question asks [Bot.WhatIf] what the bot would have decided in a chat under other settings.
type Question struct {
	Chat     persona.Chat
	Until    time.Time    // later messages are left out; zero means now
	Messages int          // the last ones before Until are replayed; 0 means 300, the maximum is 2000
	Settings ChatSettings // over those in effect; the zero value changes nothing
	// State fixes the state of the chat with Options.When.HFC: "absent", "chat" or "focused". "" means as it was.
	State string
	// Events are those of [Bot.Watch] about the chat and about the whole account, oldest first. With them the replay knows
	// when messages arrived and what was decided. Without them it knows the times of sending and the last decisions, see
	// [Bot.Traces].
	Events []trace.Event
}

// A Replay is the answer to a [Question].
type Replay struct {
	Messages []ReplayedMessage // oldest first
	Moment   int               // index of the last message that was judged in one of the columns; -1 without one
	Compared int               // messages whose decision in fact is known
	Agreed   int               // of them, those that the replay under the settings in effect decided alike
}

// Differences returns how many messages let a model be asked under one of the settings alone.
func (r Replay) Differences() (n int) {
	for _, m := range r.Messages {
		if m.Differs() {
			n++
		}
	}
	return n
}

// A ReplayedMessage is a message of a [Replay] with the decisions about it.
type ReplayedMessage struct {
	persona.Message
	ReceivedAt time.Time
	Fact       ReplayedDecision // what the bot decided
	Current    ReplayedDecision // the replay under the settings in effect
	Changed    ReplayedDecision // the replay under those of the Question
}

// Differs reports whether the other settings change whether a model is asked.
func (m ReplayedMessage) Differs() bool { return m.Current.Asks() != m.Changed.Asks() }

// A ReplayedDecision is a decision about a message and the others of its batch.
type ReplayedDecision struct {
	Known   bool            // the message was judged
	Trace   heartflow.Trace // of the verdict
	Dropped heartflow.Code  // why the message was not to be judged: "own", "banned", "command", "act", "off" or "stale"
	Spoke   bool            // a reply followed
	Refused heartflow.Code  // the gate that refused the reply; "": none
}

// Asks reports whether the decision lets a model be asked.
func (d ReplayedDecision) Asks() bool { return d.Known && d.Trace.Do != heartflow.Silent }

// ErrNoReplay is returned by [Bot.WhatIf] for a conversation whose messages no policy judges, such as the owner's own.
var ErrNoReplay = errors.New("social: no policy judges the messages of this conversation")

// WhatIf replays the last messages of a chat twice, under the settings in effect and under others. Nothing is sent or stored, no
// model is asked, and the bot's state does not change. Policies and functions of Options.When are called.
//
// The replay cannot know what a model would have answered: it takes the bot's own messages as they were. A turn that the bot did
// not have in fact ends after three seconds without a reply. Both replays draw the same random numbers, which are those that
// were drawn in fact as far as Events know them. Usage of the budget by other chats, earlier settings and earlier moods are not
// known. WhatIf waits until [Bot.Run] has started.
func (b *Bot) WhatIf(ctx context.Context, q Question) (Replay, error) {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return Replay{}, err
	}
	switch q.State {
	case "", whatif.StateAbsent, whatif.StateChat, whatif.StateFocused:
	default:
		return Replay{}, fmt.Errorf("social: Question.State is %q: absent, chat, focused or empty", q.State)
	}
	changed, err := b.settings.With(q.Chat, settings.Chat(q.Settings))
	if err != nil {
		return Replay{}, err
	}
	r, err := whatif.Run(ctx, b.engine, whatif.Query{
		Chat: q.Chat, Until: q.Until, Messages: q.Messages, Current: b.settings.ChatOptions(q.Chat), Changed: changed, State: q.State, Events: q.Events,
	})
	if errors.Is(err, whatif.ErrNoChat) {
		err = ErrNoReplay
	}
	all := Replay{Moment: r.Moment, Compared: r.Compared, Agreed: r.Agreed}
	for _, m := range r.Messages {
		all.Messages = append(all.Messages, ReplayedMessage{m.Message, m.ReceivedAt, ReplayedDecision(m.Fact), ReplayedDecision(m.Current), ReplayedDecision(m.Changed)})
	}
	return all, err
}

// Policies returns the names that ChatSettings.Policy may have: mention, interject and those of Options.When.Policies.
func (b *Bot) Policies() []string { return b.settings.Policies() }

// Settings returns the settings of a chat in effect: those of [Bot.Configure] and, below them, of Options.When.Settings. Fields
// that neither sets are zero.
func (b *Bot) Settings(chat persona.Chat) ChatSettings { return ChatSettings(b.settings.Current(chat)) }
