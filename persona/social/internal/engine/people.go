package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

const (
	regarded    = 30 // messages that one look at people takes in
	peopleShown = 8  // in a prompt
	namesShown  = 5
)

// regard makes out what to think of the people of a chat, of what was said there since it did so last.
func (b *Engine) regard(ctx context.Context, r *Chat) error {
	past, err := b.Memory.Recent(ctx, r.Space, regarded)
	if err != nil {
		return err
	}
	past = slices.DeleteFunc(past, func(rec memory.Record) bool { return rec.Seq <= r.looked })
	if !slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own }) {
		return nil
	}
	last := past[len(past)-1].Seq
	people := b.Memory.People(r.Space)
	s := persona.Scene{Part: persona.Regard}
	for _, rec := range past {
		s.Recent = append(s.Recent, Message(r, rec))
	}
	all, err := people.All(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Worn() {
			all[i].Impression = "" // the next one is made without it
		}
	}
	s.People = shown(all, nil, s.Recent)
	answer, err := b.aside(ctx, r, s)
	if err != nil {
		return err
	}
	r.looked = last // also where the answer is none: it would be no other
	found, err := b.Options.Profile.ParseRegard(answer, s.Recent)
	if err != nil {
		return err
	}
	b.mood(time.Now(), r)
	lesson := b.lesson(r, past, found)
	lesson.Known = all
	learnt, err := people.Learn(ctx, time.Now(), lesson)
	if err != nil {
		return err
	}
	if learnt {
		if err := b.felt(ctx, time.Now(), r, found.People); err != nil {
			b.failed(ctx, "a mood was not kept", r, err)
		}
	}
	return b.relate(ctx, r)
}

// lesson is what was made out as memory takes it.
func (b *Engine) lesson(r *Chat, past []memory.Record, found persona.Regarding) memory.Lesson {
	l := memory.Lesson{From: past}
	for _, who := range found.People {
		felt := memory.Moment{Feeling: memory.Feeling(who.Feeling), Stance: memory.Stance(who.Stance), Mood: b.Attention.Mood(r.ID)}
		l.People = append(l.People, memory.Seen{ID: who.ID, Felt: felt, Impression: who.Impression})
	}
	for _, n := range found.Names {
		if n.ID != b.SelfID() {
			l.Namings = append(l.Namings, memory.Naming{Person: n.ID, Name: n.Name, By: n.By, Reliable: n.Sure})
		}
	}
	return l
}

// acquaint adds to a scene what the being has made of this chat: its summary, and what it thinks of who speaks. It gives
// how much their words matter to it.
func (b *Engine) acquaint(ctx context.Context, t *Turn, s *persona.Scene) (affinity map[string]float64, err error) {
	if b.layers == nil {
		return nil, nil
	}
	digest, err := b.Memory.Summary(ctx, t.Chat.Space)
	if err != nil {
		return nil, err
	}
	s.Summary = digest.Text
	if !t.Chat.People {
		return nil, nil
	}
	people := b.Memory.People(t.Chat.Space)
	all, err := people.All(ctx)
	if err != nil {
		return nil, err
	}
	said := slices.Concat(s.History, s.Recent)
	called, err := people.Nicknames(ctx, t.Dice(), namesShown, speakers(said)...)
	if err != nil {
		return nil, err
	}
	s.People = shown(all, called, said)
	if mood := b.mood(time.Now(), t.Chat); !mood.Slight() {
		s.Mood = cmp.Or(s.Mood, &persona.Mood{Energy: -1})
		s.Mood.Text = cmp.Or(s.Mood.Text, mood.Text())
	}
	return people.Affinity(ctx)
}

// speakers are the ids of who speaks in some messages, the latest first.
func speakers(ms []persona.Message) (ids []string) {
	for i := len(ms) - 1; i >= 0; i-- {
		if !ms[i].Own && !slices.Contains(ids, ms[i].From) {
			ids = append(ids, ms[i].From)
		}
	}
	return ids
}

// shown are those of the people who speak in some messages, the latest first.
func shown(all []memory.Person, called []memory.Called, ms []persona.Message) (some []persona.Person) {
	for _, id := range speakers(ms) {
		i, ok := slices.BinarySearchFunc(all, id, func(who memory.Person, id string) int { return cmp.Compare(who.ID, id) })
		if !ok || len(some) == peopleShown {
			continue
		}
		who := persona.Person{ID: id, Relation: memory.RelationLevel(all[i].Relation), Impression: all[i].Impression}
		for _, c := range called {
			if c.Person == id {
				who.Nicknames = append(who.Nicknames, persona.Nickname{Name: c.Name, By: c.By})
			}
		}
		for _, m := range ms {
			if m.From == id && !m.Own {
				who.Name = m.Name
			}
		}
		if who.Relation != 0 || who.Impression != "" || len(who.Nicknames) > 0 {
			some = append(some, who)
		}
	}
	return some
}
