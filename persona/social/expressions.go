package social

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona"
	learning "github.com/hearth-bot/hearth/persona/social/internal/expressions"
)

// Expressions learns how the people of each group talk: words that mean something there, and what they say in which situation. It
// counts their messages in the background once a day. See package memory/expressions. Then the model for background calls is asked
// once for each group what the new ones mean, eight at most. Prompts show those that fit the current talk, without what the model
// takes for the words of a topic or for names. The zero value is ready to use.
//
// Expressions belong to the group where they were learned, and no other chat is shown them. Deleting a message deletes what rests
// on it, and [Bot.ErasePerson] deletes the expressions that no two other people use.
type Expressions struct {
	PerTurn    int           // expressions in one prompt; 0 means 4
	Every      time.Duration // between two rounds of learning; 0 means 20 h
	Weeks      int           // messages that are read; 0 means those of 5 weeks
	NoMeanings bool          // ask no model what they mean
	Off        bool          // learn and show nothing; for presets, which turn nil on
}

// ErrNoExpressions is returned by the methods of [LearnedExpressions] without Options.Background.Expressions, or with Off.
var ErrNoExpressions = errors.New("social: set Options.Background.Expressions to learn the expressions of groups")

// ErrUnknownExpression is matched if a group has no such expression.
var ErrUnknownExpression = learning.ErrUnknown

// LearnedExpressions are what the bot has learned, for the owner only. Without Options.Background.Expressions all methods return
// [ErrNoExpressions].
type LearnedExpressions struct{ of *learning.Expressions }

// Expressions returns what the bot has learned of how groups talk, for review by the owner.
func (b *Bot) Expressions() LearnedExpressions { return LearnedExpressions{b.expressions} }

// List returns the expressions of a group with their examples, best first.
func (l LearnedExpressions) List(ctx context.Context, group persona.Chat) ([]expressions.Expression, error) {
	if l.of == nil {
		return nil, ErrNoExpressions
	}
	return l.of.Of(ctx, group)
}

// SetMeaning sets the meaning of an expression of a group, in the owner's words. "" removes it. Prompts of that group show it.
func (l LearnedExpressions) SetMeaning(ctx context.Context, group persona.Chat, form, meaning string) error {
	if l.of == nil {
		return ErrNoExpressions
	}
	return l.of.SetMeaning(ctx, group, form, meaning)
}

// Forbid forbids an expression of a group, so that no prompt shows it, or allows it, also if the model takes it for a topic or a name. This
// lasts if it is learned again.
func (l LearnedExpressions) Forbid(ctx context.Context, group persona.Chat, form string, forbidden bool) error {
	if l.of == nil {
		return ErrNoExpressions
	}
	return l.of.Forbid(ctx, group, form, forbidden)
}

// Learn learns from all groups now. The bot does so in the background as well.
func (l LearnedExpressions) Learn(ctx context.Context) error {
	if l.of == nil {
		return ErrNoExpressions
	}
	return l.of.Learn(ctx)
}
