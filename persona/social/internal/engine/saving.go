package engine

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// defaultContextTokens is the size of a prompt if TurnOptions.ContextTokens is 0.
const defaultContextTokens = 8000

// Saves reports whether the turn saves model usage: from [heartflow.LevelSaving] on it uses one call instead of three,
// half of the history and half of the context. Turns of the owner save nothing. The first call decides for the whole
// turn and adds the steps to the trace of the chat.
func (t *Turn) Saves() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saving != nil {
		return *t.saving
	}
	now := time.Now()
	saves := !t.Chat.Agent() && t.Engine.Attention.Level(now, t.Chat.ID) >= heartflow.LevelSaving
	t.saving = &saves
	if saves {
		why := []heartflow.Code{heartflow.WhyShortContext}
		if t.Engine.Options.ThinkPlanReply && t.utterance != nil {
			why = append(why, heartflow.WhyOneCall)
		}
		t.Engine.Attention.AddTrace(now, t.Chat.ID, nil, why...)
	}
	return saves
}

// contextTokens returns the largest context of the turn, in tokens.
func (t *Turn) contextTokens() int {
	most := t.Engine.Options.Turn.ContextTokens
	switch {
	case !t.Saves():
		return most
	case most == 0:
		return defaultContextTokens / 2
	case most < 0: // without a limit
		return defaultContextTokens
	}
	return max(most/2, 1)
}

// historyTurns returns how many turns of the chat a prompt shows.
func (t *Turn) historyTurns() int {
	if t.Saves() {
		return (t.Engine.Options.History + 1) / 2
	}
	return t.Engine.Options.History
}
