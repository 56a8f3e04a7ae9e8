package engine

import (
	"cmp"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// defaultContextTokens is the size of a prompt if TurnOptions.ContextTokens is 0.
const defaultContextTokens = 28000

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

// promptLimits returns the tokens of a prompt and the number of turns that it shows. A bot that saves halves both.
func (o Options) promptLimits(saves bool) (tokens, turns int) {
	tokens, turns = o.Turn.ContextTokens, o.History
	switch {
	case !saves:
		return tokens, turns
	case tokens < 0: // without a limit
		tokens = defaultContextTokens
	default:
		tokens = max(cmp.Or(tokens, defaultContextTokens)/2, 1)
	}
	return tokens, (turns + 1) / 2
}
