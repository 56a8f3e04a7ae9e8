package engine

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// AskRunes is how much of what was said one call is shown; beyond it each message is cut alike.
const AskRunes = 12_000

// ErrOverBudget says that what is left of the budget is for replies.
var ErrOverBudget = errors.New("social: too much of the budget is spent for what is made in the background")

// OverBudget reports that what is left of the budget is for what is said.
func (b *Engine) OverBudget(r *Chat) bool {
	return b.Options.Attention.Budget.Level(time.Now(), r.ID.String()) >= heartflow.LevelNoJudge
}

// Ask holds a conversation without tools of which nothing is said.
func (b *Engine) Ask(ctx context.Context, r *Chat, s prompt.Scene, call prompt.Turn) (string, error) {
	if b.OverBudget(r) {
		return "", ErrOverBudget
	}
	now := time.Now()
	s.Chat, s.ChatName, s.Budget, s.Location, s.Prompts = r.Shown, r.Title(), -1, b.Options.Location, b.Options.Prompts
	s.Mode, s.OwnerPresent = r.Origin.Mode, r.Agent() || b.Router.OwnerPresent(now, r.ID)
	shorten(s.Recent)
	who := b.Options.Profile
	call.MaxCalls, call.Logger = -1, b.Log
	reply, err := call.Run(context.WithValue(ctx, asideKey{}, r), prompt.System(who, s), prompt.Context(who, now, s)+prompt.Instructions(s))
	return reply.Text, err
}

// shorten cuts messages so that all of them together are not too long.
func shorten(ms []persona.Message) {
	all := 0
	for i := range ms {
		all += len([]rune(ms[i].Text))
	}
	if all <= AskRunes {
		return
	}
	for i := range ms {
		if text := []rune(ms[i].Text); len(text) > AskRunes/len(ms) {
			ms[i].Text = string(text[:AskRunes/len(ms)]) + "…"
		}
	}
}
