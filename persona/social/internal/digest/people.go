package digest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	maxPeopleMessages = 30 // messages in one update of people
	maxPeople         = 8  // people in one prompt
	maxNicknames      = 5
	certainNickname   = 10 // strength of a nickname that prompts show
)

// updatePeople asks the model what to think of the people of a chat, from the messages since the last update.
func (d *Digest) updatePeople(ctx context.Context, c *engine.Chat) error {
	past, err := d.engine.Memory.Recent(ctx, c.Space, maxPeopleMessages)
	if err != nil {
		return err
	}
	d.mu.Lock()
	state := d.stateOf(c)
	d.mu.Unlock()
	past = slices.DeleteFunc(past, func(rec memory.Record) bool { return rec.Seq <= state.lastSeq })
	if !slices.ContainsFunc(past, func(rec memory.Record) bool { return !rec.Own }) {
		return nil
	}
	people := d.engine.Memory.People(c.Space)
	s := prompt.Scene{Kind: prompt.UpdatePeople}
	for _, rec := range past {
		s.Recent = append(s.Recent, engine.MessageFromRecord(c, rec))
	}
	all, err := people.All(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].TooManySources() {
			all[i].Impression = "" // the next impression is made without it
		}
	}
	s.People = peopleOf(all, nil, s.Recent)
	call := d.call
	call.Check = func(answer string) error {
		_, err := prompt.ParsePeopleUpdate(d.engine.Options.Profile, answer, s.Recent)
		return err
	}
	answer, err := d.engine.Ask(ctx, c, s, call)
	if err != nil {
		return err
	}
	state.lastSeq = past[len(past)-1].Seq // also after an invalid answer: the model would repeat it
	found, err := prompt.ParsePeopleUpdate(d.engine.Options.Profile, answer, s.Recent)
	if err != nil {
		return err
	}
	d.Mood(time.Now(), c)
	obs := d.observations(c, past, found)
	obs.KnownPeople = all
	learned, err := people.Learn(ctx, time.Now(), obs)
	if err != nil {
		return err
	}
	if learned {
		if err := d.applyFeelings(ctx, time.Now(), c, found.People); err != nil {
			d.logFailure(ctx, "could not store a mood", c, err)
		}
	}
	relations, err := d.loadRelations(ctx, c)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	state.relations = relations
	return nil
}

// observations converts the model's answer for memory.
func (d *Digest) observations(c *engine.Chat, past []memory.Record, found prompt.PeopleUpdate) memory.Observations {
	obs := memory.Observations{Messages: past}
	for _, who := range found.People {
		interaction := memory.Interaction{Feeling: memory.Feeling(who.Feeling), Stance: memory.Stance(who.Stance), Mood: d.engine.Attention.Mood(c.ID)}
		obs.People = append(obs.People, memory.PersonObservation{ID: who.ID, Interaction: interaction, Impression: who.Impression})
	}
	for _, n := range found.Names {
		if n.ID != d.engine.SelfID() {
			obs.NicknameUses = append(obs.NicknameUses, memory.NicknameUse{Person: n.ID, Name: n.Name, UsedBy: n.By, Reliable: n.Sure})
		}
	}
	return obs
}

// scene adds the digest of a chat to a scene: its summary, the people who speak, and the affinity to them.
func (d *Digest) scene(ctx context.Context, _ time.Time, t *engine.Turn, s *engine.Scene) error {
	summary, err := d.engine.Memory.Summary(ctx, t.Chat.Space)
	if err != nil {
		return err
	}
	if summary.Text != "" && t.MayRead(engine.DatumSummary, summary.Label) {
		t.MarkRead(summary.Label)
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
	messages := slices.Concat(s.History, s.Recent)
	names, err := people.PickNicknames(ctx, t.Rand(), maxNicknames, speakers(messages)...)
	if err != nil {
		return err
	}
	s.People = peopleOf(all, names, messages)
	s.About = nicknamed(all, s.Recent)
	for i := range s.People {
		who := &s.People[i]
		if who.Impression == "" {
			continue
		}
		at, _ := slices.BinarySearchFunc(all, who.ID, byID)
		if l := all[at].Label; t.MayRead(engine.DatumImpression, l) {
			t.MarkRead(l)
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

// nicknamed returns whom messages call by a nickname that is certain and means one person.
func nicknamed(all []memory.Person, messages []persona.Message) (ids []string) {
	var names facts.Names
	for _, who := range all {
		for _, n := range who.Names {
			if n.Strength >= certainNickname {
				names.AddAlias(who.ID, n.Name)
			}
		}
	}
	for _, m := range messages {
		if !m.Own {
			ids = append(ids, names.Named(m.Text)...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// speakers returns the ids of the authors of messages, latest first.
func speakers(ms []persona.Message) (ids []string) {
	for i := len(ms) - 1; i >= 0; i-- {
		if !ms[i].Own && !slices.Contains(ids, ms[i].From) {
			ids = append(ids, ms[i].From)
		}
	}
	return ids
}

func byID(who memory.Person, id string) int { return cmp.Compare(who.ID, id) }

// peopleOf returns the known authors of messages, latest first.
func peopleOf(all []memory.Person, names []memory.NicknamePick, ms []persona.Message) (people []prompt.Person) {
	for _, id := range speakers(ms) {
		i, ok := slices.BinarySearchFunc(all, id, byID)
		if !ok || len(people) == maxPeople {
			continue
		}
		who := prompt.Person{ID: id, Relation: all[i].RelationLevel(), Impression: all[i].Impression}
		for _, c := range names {
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
			people = append(people, who)
		}
	}
	return people
}
