package peoplefacts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// maxOfRelation is the number of values of one relation that a prompt shows.
const maxOfRelation = 3

// scene adds what is known about the people who speak and about those that the messages to answer name.
func (f *Facts) scene(ctx context.Context, now time.Time, t *engine.Turn, s *engine.Scene) error {
	f.mu.Lock()
	st := f.chats[t.Chat]
	f.mu.Unlock()
	if st == nil || !t.Chat.People {
		return nil
	}
	if err := st.Load(ctx); err != nil {
		return err
	}
	people := peopleIn(s.Recent, nil)
	for _, m := range s.Recent {
		if !m.Own {
			people = union(people, st.Named(m.Text))
		}
	}
	people = peopleIn(s.History, people)
	people = people[:min(len(people), f.o.People)]
	all, err := st.At(ctx, now, people...)
	if err != nil {
		return err
	}
	for _, id := range people {
		begin, end := about(all, id)
		f.show(now, t, s, st, all[begin:end])
	}
	return nil
}

// peopleIn appends the authors of messages, latest first.
func peopleIn(ms []persona.Message, people []string) []string {
	for _, m := range slices.Backward(ms) {
		if !m.Own && m.From != "" {
			people = union(people, []string{m.From})
		}
	}
	return people
}

func union(people, more []string) []string {
	for _, id := range more {
		if !slices.Contains(people, id) {
			people = append(people, id)
		}
	}
	return people
}

// about returns the part of all that is about a person.
func about(all []facts.Fact, id string) (begin, end int) {
	begin = slices.IndexFunc(all, func(f facts.Fact) bool { return f.Subject == id })
	if begin < 0 {
		return 0, 0
	}
	for end = begin; end < len(all) && all[end].Subject == id; end++ {
	}
	return begin, end
}

// show adds the facts about one person to a scene, those that the turn may read.
func (f *Facts) show(now time.Time, t *engine.Turn, s *engine.Scene, st *state, known []facts.Fact) {
	var lines []string
	same := 0
	for i := range known {
		one := &known[i]
		if same++; i == 0 || one.Relation != known[i-1].Relation {
			same = 1
		}
		if len(lines) == f.o.PerPerson {
			break
		}
		if same > maxOfRelation || !t.MayRead(engine.DatumFact, one.Label) {
			continue
		}
		t.MarkRead(one.Label)
		t.Derived = append(t.Derived, one.Claims...)
		lines = append(lines, one.Text(now, cmp.Or(f.engine.Options.Location, time.Local), st.NameOf))
	}
	if len(lines) == 0 {
		return
	}
	id := known[0].Subject
	at := slices.IndexFunc(s.People, func(p prompt.Person) bool { return p.ID == id })
	if at < 0 {
		at = len(s.People)
		s.People = append(s.People, prompt.Person{ID: id, Name: strings.TrimSpace(st.NameOf(id))})
	}
	s.People[at].Facts = lines
}

// of returns the facts of a chat.
func (f *Facts) of(ctx context.Context, chat persona.Chat) (*state, error) {
	c, err := f.engine.Chat(ctx, chat)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.chats[c], nil
}

// At returns what is known about people in a chat at a time.
func (f *Facts) At(ctx context.Context, chat persona.Chat, at time.Time, people ...string) ([]facts.Fact, error) {
	s, err := f.of(ctx, chat)
	if err != nil || s == nil {
		return nil, err
	}
	return s.At(ctx, at, people...)
}

// History returns all versions of one relation of a person in a chat until a time.
func (f *Facts) History(ctx context.Context, chat persona.Chat, until time.Time, person string, r facts.Relation) ([]facts.Fact, error) {
	s, err := f.of(ctx, chat)
	if err != nil || s == nil {
		return nil, err
	}
	return s.History(ctx, until, person, r)
}
