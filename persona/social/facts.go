package social

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/persona"
)

// Facts keeps what people say about themselves and each other: birthdays, jobs, places, likes, pets, plans, partners and roommates.
// It reads their messages at once, without a language model, and with [Digest] the nightly dream adds what was missed, in the same call. It keeps
// versions, so a prompt has what holds now. See package memory/facts. Prompts show the facts about the people who speak and about
// those who are named. The first start reads the stored messages of all chats. The zero value is ready to use.
//
// Facts belong to the chat where they were said. Deleting a message deletes what it says, and [Bot.ErasePerson] deletes what a
// person said and what others said about the person.
type Facts struct {
	PerPerson int // facts of one person in a prompt; 0 means 8
	People    int // people with facts in a prompt; 0 means 8
}

// ErrNoFacts is returned by [Bot.Facts] and [Bot.FactHistory] without Options.Background.Facts.
var ErrNoFacts = errors.New("social: set Options.Background.Facts to keep facts about people")

// Facts returns what is known about people in a chat at a time, person by person. The zero time means now.
func (b *Bot) Facts(ctx context.Context, chat persona.Chat, at time.Time, people ...string) ([]facts.Fact, error) {
	if b.facts == nil {
		return nil, ErrNoFacts
	}
	return b.facts.At(ctx, chat, cmp.Or(at, time.Now()), people...)
}

// FactHistory returns all versions of one relation of a person in a chat, oldest first, with those that have ended.
func (b *Bot) FactHistory(ctx context.Context, chat persona.Chat, person string, r facts.Relation) ([]facts.Fact, error) {
	if b.facts == nil {
		return nil, ErrNoFacts
	}
	return b.facts.History(ctx, chat, time.Now(), person, r)
}
