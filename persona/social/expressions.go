package social

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona"
	learning "github.com/hearth-bot/hearth/persona/social/internal/expressions"
)

// Expressions learns how the people of each group talk: words that mean something there, and what they say in which situation. It counts their messages in the
// background once a day and calls no model. See package memory/expressions. Prompts show those that fit the current talk. The zero value is ready to use.
//
// Expressions belong to the group where they were learned, and no other chat is shown them. Deleting a message deletes what rests on it, and [Bot.ErasePerson] deletes
// the expressions that no two other people use.
type Expressions struct {
	PerTurn int           // expressions in one prompt; 0 means 4
	Every   time.Duration // between two rounds of learning; 0 means 20 h
	Weeks   int           // messages that are read; 0 means those of 5 weeks
}

// ErrNoExpressions is returned by the methods of [Bot] about expressions without Options.Background.Expressions.
var ErrNoExpressions = errors.New("social: set Options.Background.Expressions to learn the expressions of groups")

// ErrUnknownExpression is matched if a group has no such expression.
var ErrUnknownExpression = learning.ErrUnknown

// Expressions returns the expressions of a group with their examples, best first, for the owner only.
func (b *Bot) Expressions(ctx context.Context, chat persona.Chat) ([]expressions.Expression, error) {
	if b.expressions == nil {
		return nil, ErrNoExpressions
	}
	return b.expressions.Of(ctx, chat)
}

// EditExpression sets the meaning of an expression of a group, in the owner's words. "" removes it. Prompts of that group show it.
func (b *Bot) EditExpression(ctx context.Context, chat persona.Chat, form, meaning string) error {
	if b.expressions == nil {
		return ErrNoExpressions
	}
	return b.expressions.SetMeaning(ctx, chat, form, meaning)
}

// ForbidExpression forbids an expression of a group, so that no prompt shows it, or allows it again. It stays forbidden if it is learned again.
func (b *Bot) ForbidExpression(ctx context.Context, chat persona.Chat, form string, forbidden bool) error {
	if b.expressions == nil {
		return ErrNoExpressions
	}
	return b.expressions.Forbid(ctx, chat, form, forbidden)
}

// LearnExpressions learns from all groups now. The bot does so in the background as well.
func (b *Bot) LearnExpressions(ctx context.Context) error {
	if b.expressions == nil {
		return ErrNoExpressions
	}
	return b.expressions.Learn(ctx)
}
