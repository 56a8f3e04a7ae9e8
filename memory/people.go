package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Person holds the bot's data about one person in one space, except for messages.
type Person struct {
	ID            string     `json:"id"`                // platform ID; never a nickname
	Relation      float64    `json:"relation,omitzero"` // −1000 to 1000; see [Person.RelationLevel]
	Streak        int        `json:"row,omitzero"`      // consecutive changes in the same direction; negative for downward
	Impression    string     `json:"impression,omitzero"`
	Sources       []string   `json:"sources,omitzero"` // IDs of the messages that the impression was derived from
	SourceAuthors []string   `json:"from,omitzero"`    // authors of these messages, as far as known; kept after the messages are evicted
	Label         Label      `json:"label,omitzero"`   // provenance of the impression; set in results
	Names         []Nickname `json:"names,omitzero"`   // nicknames in this space, strongest first
	At            time.Time  `json:"at,omitzero"`      // time of the last change
}

// A Nickname is a name for a person in one space.
type Nickname struct {
	Name     string   `json:"name"`
	Strength float64  `json:"strength"`         // how certain it is; from 10 on it can be picked ([People.PickNicknames]) and no longer fades
	UsedBy   []string `json:"by,omitzero"`      // IDs of speakers that use it, at most 16
	Sources  []string `json:"sources,omitzero"` // IDs of the latest messages with it, at most 16; deleting the last of them deletes the nickname
}

// Limits of a person.
const (
	MaxImpression      = 4000 // bytes
	MaxNicknames       = 32   // nicknames of one person in a space; the weakest are dropped
	maxNicknameBytes   = 64   // bytes
	maxNicknameSources = 16   // speakers and sources of a nickname
)

// People holds the relations, impressions and nicknames in one space. They are not visible in other spaces: a person in
// two spaces has separate data in each. All methods may be called concurrently.
type People struct {
	m     *Memory
	s     Space
	label Label // of new impressions; zero: the default label
}

// People returns the people of a space.
func (m *Memory) People(s Space) *People { return &People{m: m, s: s} }

// WithLabel returns the same people. [People.SetImpression] of the result sets the label l; see [Notes.WithLabel].
func (p *People) WithLabel(l Label) *People { return &People{p.m, p.s, l} }

// Get returns the data about a person. For an unknown person, only the ID is set.
func (p *People) Get(ctx context.Context, id string) (Person, error) {
	person := Person{ID: id}
	key, err := p.key(id)
	if err != nil {
		return person, err
	}
	_, err = p.m.state.decodeRow(ctx, key, &person)
	person.fillLabel(p.s)
	return person, err
}

// fillLabel sets the label of an impression after reading.
func (person *Person) fillLabel(s Space) {
	if person.Impression != "" {
		person.Label = labelOrDefault(person.Label, s, person.Sources)
	}
}

// dropDefaultLabel removes the default label before writing.
func (person *Person) dropDefaultLabel(s Space) {
	if person.Label == labelOrDefault(Label{}, s, person.Sources) {
		person.Label = Label{}
	}
}

func (person *Person) clearImpression() {
	person.Impression, person.Sources, person.SourceAuthors, person.Label = "", nil, nil, Label{}
}

// All lists all known people of the space, sorted by ID.
func (p *People) All(ctx context.Context) ([]Person, error) {
	people, err := decodeAll[Person](ctx, p.m, p.s, "person")
	for i := range people {
		people[i].fillLabel(p.s)
	}
	slices.SortFunc(people, func(a, b Person) int { return cmp.Compare(a.ID, b.ID) })
	return people, err
}

// RecordInteraction changes the relation to a person by an interaction and returns the result. One change is a few
// points of 1000 at most.
func (p *People) RecordInteraction(ctx context.Context, now time.Time, id string, m Interaction) (Person, error) {
	if err := m.validate(); err != nil {
		return Person{ID: id}, err
	}
	return p.update(ctx, now, id, func(person *Person) error {
		liked := 0
		if person.Relation > 500 { // otherwise the number is not used
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
		person.applyInteraction(m, liked)
		return nil
	})
}

// applyInteraction changes the relation. liked is the number of people with a relation above 700.
func (person *Person) applyInteraction(m Interaction, liked int) {
	row := 0
	if v := feelingSteps[m.Feeling]; v*float64(person.Streak) > 0 {
		row = max(person.Streak, -person.Streak)
	}
	step := relationStep(person.Relation, m, row, liked)
	if step == 0 {
		return
	}
	person.Relation = min(max(person.Relation+step, -maxRelation), maxRelation)
	person.Streak = (min(row, 7) + 1) * cmp.Compare(step, 0)
}

func (m *Interaction) validate() error {
	if !(m.Mood >= -1 && m.Mood <= 1) || m.Stance < Against || m.Stance > For {
		return fmt.Errorf("memory: mood %v or stance %d: %w", m.Mood, m.Stance, ErrInvalid)
	}
	return nil
}

// SetImpression replaces the impression of a person. "" deletes it.
func (p *People) SetImpression(ctx context.Context, now time.Time, id, text string, sources ...string) error {
	text = strings.TrimSpace(sanitize(text))
	if len(text) > MaxImpression {
		return fmt.Errorf("memory: impression of %d bytes: %w", len(text), ErrTooLong)
	}
	for _, s := range sources {
		if err := validAddress("source", s); err != nil {
			return err
		}
	}
	_, err := p.update(ctx, now, id, func(person *Person) error {
		person.clearImpression()
		if text != "" {
			person.Impression, person.Sources, person.Label = text, slices.Clone(sources), p.label
		}
		return nil
	})
	return err
}

// Delete deletes all data about a person in this space, and removes the person from [Nickname].UsedBy of others. It also
// deletes impressions derived from the person's messages, and impressions, notes and summaries that contain the person's
// ID. The messages stay; see [Memory.ErasePerson].
func (p *People) Delete(ctx context.Context, id string) error {
	if _, err := p.key(id); err != nil {
		return err
	}
	unlock, err := p.m.locks.lock(ctx, p.s)
	if err != nil {
		return err
	}
	defer unlock()
	return p.m.purge(ctx, p.s, &removal{person: id})
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

// update calls f to change a person. A person without data has no row.
func (p *People) update(ctx context.Context, now time.Time, id string, f func(*Person) error) (Person, error) {
	key, err := p.key(id)
	if err != nil {
		return Person{ID: id}, err
	}
	person, err := updateRow(ctx, p.m, p.s, key, func(person *Person) (bool, error) {
		person.ID = id
		before := encode(person)
		if err := f(person); err != nil {
			return false, err
		}
		person.dropDefaultLabel(p.s)
		if string(encode(person)) != string(before) {
			person.At = now.Round(0)
		}
		return person.hasData(), nil
	})
	person.fillLabel(p.s)
	return person, err
}

func (person *Person) hasData() bool {
	return person.Relation != 0 || person.Impression != "" || len(person.Names) > 0
}
