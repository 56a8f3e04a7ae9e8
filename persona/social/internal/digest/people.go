package digest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	regarded    = 30 // messages that one look at people takes in
	peopleShown = 8  // in a prompt
	namesShown  = 5
)

// regard makes out what to think of the people of a chat, of what was said there since it did so last.
func (d *Digest) regard(ctx context.Context, c *engine.Chat) error {
	past, err := d.engine.Memory.Recent(ctx, c.Space, regarded)
	if err != nil {
		return err
	}
	d.mu.Lock()
	of := d.of(c)
	d.mu.Unlock()
	past = slices.DeleteFunc(past, func(rec memory.Record) bool { return rec.Seq <= of.judged })
	if !slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own }) {
		return nil
	}
	people := d.engine.Memory.People(c.Space)
	s := prompt.Scene{Kind: prompt.UpdatePeople}
	for _, rec := range past {
		s.Recent = append(s.Recent, engine.Message(c, rec))
	}
	all, err := people.All(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].TooManySources() {
			all[i].Impression = "" // the next one is made without it
		}
	}
	s.People = shown(all, nil, s.Recent)
	answer, err := d.engine.Ask(ctx, c, s, d.call)
	if err != nil {
		return err
	}
	of.judged = past[len(past)-1].Seq // also where the answer is none: it would be no other
	found, err := prompt.ParsePeopleUpdate(d.engine.Options.Profile, answer, s.Recent)
	if err != nil {
		return err
	}
	d.Mood(time.Now(), c)
	lesson := d.lesson(c, past, found)
	lesson.KnownPeople = all
	learnt, err := people.Learn(ctx, time.Now(), lesson)
	if err != nil {
		return err
	}
	if learnt {
		if err := d.felt(ctx, time.Now(), c, found.People); err != nil {
			d.failed(ctx, "a mood was not kept", c, err)
		}
	}
	relations, err := d.loadRelations(ctx, c)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	of.relations = relations
	return nil
}

// lesson is what was made out as memory takes it.
func (d *Digest) lesson(c *engine.Chat, past []memory.Record, found prompt.PeopleUpdate) memory.Observations {
	l := memory.Observations{Messages: past}
	for _, who := range found.People {
		felt := memory.Interaction{Feeling: memory.Feeling(who.Feeling), Stance: memory.Stance(who.Stance), Mood: d.engine.Attention.Mood(c.ID)}
		l.People = append(l.People, memory.PersonObservation{ID: who.ID, Interaction: felt, Impression: who.Impression})
	}
	for _, n := range found.Names {
		if n.ID != d.engine.SelfID() {
			l.NicknameUses = append(l.NicknameUses, memory.NicknameUse{Person: n.ID, Name: n.Name, UsedBy: n.By, Reliable: n.Sure})
		}
	}
	return l
}

// acquaint adds to a scene what the bot has made of this chat: its summary, what it thinks of who speaks, and how much
// their words matter to it.
func (d *Digest) acquaint(ctx context.Context, _ time.Time, t *engine.Turn, s *engine.Scene) error {
	summary, err := d.engine.Memory.Summary(ctx, t.Chat.Space)
	if err != nil {
		return err
	}
	if summary.Text != "" && t.MayRead(engine.DatumSummary, summary.Label) {
		t.Read(summary.Label)
		s.Summary = summary.Text
	}
	if !t.Chat.People {
		return nil
	}
	people := d.engine.Memory.People(t.Chat.Space)
	all, err := people.All(ctx)
	if err != nil {
		return err
	}
	said := slices.Concat(s.History, s.Recent)
	called, err := people.PickNicknames(ctx, t.Dice(), namesShown, speakers(said)...)
	if err != nil {
		return err
	}
	s.People = shown(all, called, said)
	for i := range s.People {
		who := &s.People[i]
		if who.Impression == "" {
			continue
		}
		at, _ := slices.BinarySearchFunc(all, who.ID, byID)
		if l := all[at].Label; t.MayRead(engine.DatumImpression, l) {
			t.Read(l)
		} else {
			who.Impression = ""
		}
	}
	if mood := d.Mood(time.Now(), t.Chat); !mood.IsNeutral() {
		s.Mood = cmp.Or(s.Mood, &prompt.MoodSummary{Energy: -1})
		s.Mood.Text = cmp.Or(s.Mood.Text, mood.Text())
	}
	s.Affinity, err = people.Affinity(ctx)
	return err
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

func byID(who memory.Person, id string) int { return cmp.Compare(who.ID, id) }

// shown are those of the people who speak in some messages, the latest first.
func shown(all []memory.Person, called []memory.NicknamePick, ms []persona.Message) (some []prompt.Person) {
	for _, id := range speakers(ms) {
		i, ok := slices.BinarySearchFunc(all, id, byID)
		if !ok || len(some) == peopleShown {
			continue
		}
		who := prompt.Person{ID: id, Relation: all[i].RelationLevel(), Impression: all[i].Impression}
		for _, c := range called {
			if c.Person == id {
				who.Nicknames = append(who.Nicknames, prompt.Nickname{Name: c.Name, By: c.UsedBy})
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
