package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
)

// AskRunes is the limit of all messages in one call of [Engine.Ask], in characters. Beyond it each message is cut to
// the same length.
const AskRunes = 12_000

// ErrOverBudget is returned when the rest of the budget is reserved for replies.
var ErrOverBudget = errors.New("social: too much of the budget is spent for background calls")

// OverBudget reports whether the rest of the budget is reserved for replies.
func (e *Engine) OverBudget(c *Chat) bool {
	return e.Options.Attention.Budget.Level(time.Now(), c.ID.String()) >= heartflow.LevelNoJudge
}

// checkInBudget returns a check for [prompt.Turn] that accepts any answer if the rest of the budget is reserved for replies:
// then a call that repairs an answer is not worth its tokens.
func checkInBudget(e *Engine, c *Chat, check func(answer string) error) func(string) error {
	return func(answer string) error {
		if err := check(answer); err != nil && !e.OverBudget(c) {
			return err
		}
		return nil
	}
}

// Ask makes a background call without tools.
func (e *Engine) Ask(ctx context.Context, c *Chat, s prompt.Scene, call prompt.Turn) (string, error) {
	if e.OverBudget(c) {
		return "", ErrOverBudget
	}
	now := time.Now()
	s.Chat, s.ChatName, s.Budget, s.Location, s.Prompts = c.Shown, c.Name(), -1, e.Options.Location, e.Options.Prompts
	s.Mode, s.OwnerPresent = c.Origin.Mode, c.Agent() || e.Router.OwnerPresent(now, c.ID)
	shorten(s.Recent)
	who := e.Options.Profile
	call.MaxCalls, call.Logger, call.Schema = -1, e.Log, prompt.AnswerSchema(s)
	if call.Check != nil {
		call.Check = checkInBudget(e, c, call.Check)
	}
	reply, err := call.Run(context.WithValue(ctx, backgroundKey{}, c), prompt.System(who, s), prompt.Context(who, now, s)+prompt.Instructions(s))
	return reply.Text, err
}

// shorten cuts messages to AskRunes in all.
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

// TryPrompt is documented in package social.
func (e *Engine) TryPrompt(ctx context.Context, p models.Purpose, system, text string) (answer string, used models.Usage, err error) {
	model := e.Models.For(p)
	if model == nil {
		return "", used, fmt.Errorf("social: there is no model for %q", p)
	}
	if e.OverBudget(e.OwnerChat) {
		return "", used, ErrOverBudget
	}
	call := prompt.Turn{Model: model, MaxCalls: -1, Timeout: e.Options.Turn.Timeout, Options: e.Options.Turn.CallOptions, Logger: e.Log}
	reply, err := call.Run(context.WithValue(ctx, backgroundKey{}, e.OwnerChat), system, text)
	if reply.Silent && err == nil {
		return prompt.Skip, reply.Usage, nil
	}
	return reply.Text, reply.Usage, err
}
