package social

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// A ChatStatus is the bot's attention to one chat at one time. Bots without When.HFC have the state of heartflow, and
// the fields of HFC are zero.
type ChatStatus struct {
	GlobalState string            // of HFC, the same for all chats: offline, peeking, normal_chat or focused_chat
	State       string            // of HFC: absent, chat or focused; of heartflow: observing, summoned, active or offline
	Interest    float64           // of HFC: the level, from 0
	FocusChance float64           // of HFC: the chance to become focused, 0 to 1, drawn every 5 seconds
	Energy      float64           // 0 to 1
	Welcome     float64           // how welcome the bot is there, from -.6 to .6; 0 without When.Feedback
	Mood        persona.Mood      // neutral without Background.Digest
	QuietUntil  time.Time         // end of [Bot.Mute] or of a command for quiet; zero if there is none
	Asleep      bool              // the bot sleeps in all chats
	AsleepUntil time.Time         // zero if it is awake, or sleeps until it is woken
	Cycles      []hfc.CycleRecord // of HFC: up to ten cycles of the latest focus, oldest first, with times, actions and reasons
}

// ChatStatus returns the bot's attention to a chat now. [Bot.Traces] has the decisions that led to it.
func (b *Bot) ChatStatus(chat persona.Chat) ChatStatus {
	now, e := time.Now(), b.engine
	s := ChatStatus{State: e.Attention.State(now, chat).String(), Energy: e.Attention.Energy(now, chat)}
	if q := b.presence.Quiet(chat).Until; q.After(now) {
		s.QuietUntil = q
	}
	if s.Asleep = engine.IsAsleep(e.Attention, now); s.Asleep {
		s.AsleepUntil = b.presence.AsleepUntil(now)
	}
	if f := e.Flow; f != nil {
		s.GlobalState, s.State, s.Cycles = f.GlobalState(now).String(), f.ChatState(now, chat).String(), f.Records(chat)
		s.Interest, s.FocusChance = f.Interest(now, chat)
	}
	if b.feedback != nil {
		s.Welcome = b.feedback.Welcome(now, chat)
	}
	if c := e.LoadedChat(chat); c != nil && b.digest != nil {
		s.Mood = b.digest.Mood(now, c)
	}
	return s
}
