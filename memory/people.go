package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Person is what a being knows of somebody in one space, beyond what they said.
type Person struct {
	ID            string     `json:"id"`                // the platform's; never a nickname
	Relation      float64    `json:"relation,omitzero"` // −1000 to 1000; see [Person.RelationLevel]
	Streak        int        `json:"row,omitzero"`      // how many of the last moments in a row moved it the same way: up where positive, down where negative
	Impression    string     `json:"impression,omitzero"`
	Sources       []string   `json:"sources,omitzero"` // IDs of the messages that the impression was made from
	SourceAuthors []string   `json:"from,omitzero"`    // and of whose words they were, as far as known, for when these have long been evicted
	Label         Label      `json:"label,omitzero"`   // where the impression came from, and by whose hand; set in each that is read
	Names         []Nickname `json:"names,omitzero"`   // what they are called here, the strongest first
	At            time.Time  `json:"at,omitzero"`      // of the last change
}

// A Nickname is what people of a space call somebody.
type Nickname struct {
	Name     string   `json:"name"`
	Strength float64  `json:"strength"`         // how reliable it is; from 10 on it is told ([People.PickNicknames]) and no longer fades
	UsedBy   []string `json:"by,omitzero"`      // IDs of who calls them so, as far as known, at most 16
	Sources  []string `json:"sources,omitzero"` // IDs of the latest messages that it was learned from, at most 16, as far as known; it goes with the last of them
}

// Limits of a person.
const (
	MaxImpression = 4000 // bytes
	MaxNicknames  = 32   // of one person in a space: the weakest go
	maxName       = 64   // bytes
	maxBy         = 16   // and sources of a name
)

// People are those of one space: a relation, an impression and the names of each, learned there and told nowhere else.
// Who is met in two spaces is known in each. All methods may be called concurrently.
type People struct {
	m     *Memory
	s     Space
	label Label // of impressions that are set; zero: that of one without a label
}

// People opens those of a space.
func (m *Memory) People(s Space) *People { return &People{m: m, s: s} }

// WithLabel returns the same people, of whom impressions that are set ([People.SetImpression]) bear a label, as [Notes.WithLabel] has it.
func (p *People) WithLabel(l Label) *People { return &People{p.m, p.s, l} }

// Get is what is known of somebody; only the ID is set where nothing is.
func (p *People) Get(ctx context.Context, id string) (Person, error) {
	who := Person{ID: id}
	key, err := p.key(id)
	if err != nil {
		return who, err
	}
	_, err = p.m.state.read(ctx, key, &who)
	who.read(p.s)
	return who, err
}

// read sets the label of an impression that was read.
func (who *Person) read(s Space) {
	if who.Impression != "" {
		who.Label = labeled(who.Label, s, who.Sources)
	}
}

// write leaves out a label that goes without saying.
func (who *Person) write(s Space) {
	if who.Label == labeled(Label{}, s, who.Sources) {
		who.Label = Label{}
	}
}

func (who *Person) forgetImpression() {
	who.Impression, who.Sources, who.SourceAuthors, who.Label = "", nil, nil, Label{}
}

// All lists everybody known here, by ID.
func (p *People) All(ctx context.Context) ([]Person, error) {
	people, err := values[Person](ctx, p.m, p.s, "person")
	for i := range people {
		people[i].read(p.s)
	}
	slices.SortFunc(people, func(a, b Person) int { return cmp.Compare(a.ID, b.ID) })
	return people, err
}

// RecordInteraction moves the relation to somebody by a moment and returns what they are now. A step is at most a few points of 1000.
func (p *People) RecordInteraction(ctx context.Context, now time.Time, id string, m Interaction) (Person, error) {
	if err := m.validate(); err != nil {
		return Person{ID: id}, err
	}
	return p.change(ctx, now, id, func(who *Person) error {
		liked := 0
		if who.Relation > 500 { // it does not count for others
			all, err := p.All(ctx)
			if err != nil {
				return err
			}
			for _, one := range all {
				if one.Relation > 700 {
					liked++
				}
			}
		}
		who.feel(m, liked)
		return nil
	})
}

// feel moves the relation by a moment, where so many people are liked very much.
func (who *Person) feel(m Interaction, liked int) {
	row := 0
	if v := feelings[m.Feeling]; v*float64(who.Streak) > 0 {
		row = max(who.Streak, -who.Streak)
	}
	step := relate(who.Relation, m, row, liked)
	if step == 0 {
		return
	}
	who.Relation = min(max(who.Relation+step, -maxRelation), maxRelation)
	who.Streak = (min(row, 7) + 1) * cmp.Compare(step, 0)
}

func (m *Interaction) validate() error {
	if !(m.Mood >= -1 && m.Mood <= 1) || m.Stance < Against || m.Stance > For {
		return fmt.Errorf("memory: mood %v or stance %d: %w", m.Mood, m.Stance, ErrInvalid)
	}
	return nil
}

// SetImpression replaces what the being thinks of somebody. "" removes it.
func (p *People) SetImpression(ctx context.Context, now time.Time, id, text string, sources ...string) error {
	text = strings.TrimSpace(mend(text))
	if len(text) > MaxImpression {
		return fmt.Errorf("memory: impression of %d bytes: %w", len(text), ErrTooLong)
	}
	for _, s := range sources {
		if err := validAddress("source", s); err != nil {
			return err
		}
	}
	_, err := p.change(ctx, now, id, func(who *Person) error {
		who.forgetImpression()
		if text != "" {
			who.Impression, who.Sources, who.Label = text, slices.Clone(sources), p.label
		}
		return nil
	})
	return err
}

// Delete removes what is known of somebody in this space, and that they called others something. What they said stays ([Memory.ErasePerson]).
func (p *People) Delete(ctx context.Context, id string) error {
	if _, err := p.key(id); err != nil {
		return err
	}
	leave, err := p.m.rooms.enter(ctx, p.s)
	if err != nil {
		return err
	}
	defer leave()
	return p.m.purge(ctx, p.s, &gone{person: id})
}

func (p *People) key(id string) (string, error) {
	if err := p.s.Validate(); err != nil {
		return "", err
	}
	if id == "" {
		return "", fmt.Errorf("memory: person without an ID: %w", ErrInvalid)
	}
	key := row(p.s, "person", id)
	return key, ValidateKey(key)
}

// change lets f change somebody; who is nothing but an ID then needs no row.
func (p *People) change(ctx context.Context, now time.Time, id string, f func(*Person) error) (Person, error) {
	key, err := p.key(id)
	if err != nil {
		return Person{ID: id}, err
	}
	who, err := change(ctx, p.m, p.s, key, func(who *Person) (bool, error) {
		who.ID = id
		before := encode(who)
		if err := f(who); err != nil {
			return false, err
		}
		who.write(p.s)
		if string(encode(who)) != string(before) {
			who.At = now.Round(0)
		}
		return who.known(), nil
	})
	who.read(p.s)
	return who, err
}

func (who *Person) known() bool {
	return who.Relation != 0 || who.Impression != "" || len(who.Names) > 0
}
