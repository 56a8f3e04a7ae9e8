package engine

import (
	"cmp"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// A ChatStatus is documented in package social.
type ChatStatus struct {
	GlobalState string
	State       string
	Interest    float64
	FocusChance float64
	Energy      float64
	Mood        persona.Mood
	Cycles      []hfc.CycleRecord
}

// Status returns how much attention the bot gives to a chat, without its mood.
func (e *Engine) Status(now time.Time, chat persona.Chat) ChatStatus {
	s := ChatStatus{State: e.Attention.State(now, chat).String(), Energy: e.Attention.Energy(now, chat)}
	if f := e.Flow; f != nil {
		s.GlobalState, s.State, s.Cycles = f.GlobalState(now).String(), f.ChatState(now, chat).String(), f.Records(chat)
		s.Interest, s.FocusChance = f.Interest(now, chat)
	}
	return s
}

// addAttention adds energy, the states of Heart Flow Chat and the interest in the chat to a scene.
func (e *Engine) addAttention(now time.Time, c *Chat, s *prompt.Scene) {
	if e.Flow == nil || !c.InChat {
		return
	}
	level, _ := e.Flow.Interest(now, c.ID)
	s.Attention = &prompt.AttentionSummary{
		GlobalState: e.Flow.GlobalState(now).String(), ChatState: e.Flow.ChatState(now, c.ID).String(), Interest: e.InterestShare(level),
	}
	s.Mood = &prompt.MoodSummary{Energy: e.Attention.Energy(now, c.ID)}
}

// InterestShare returns an interest level as a share of the level from which on a chat may become Focused, at most 1.
func (e *Engine) InterestShare(level float64) float64 {
	return min(level/cmp.Or(e.Options.HFC.Interest.Threshold, hfc.DefaultThreshold), 1)
}
