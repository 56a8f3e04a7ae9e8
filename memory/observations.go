package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Observations hold updates about people, derived from messages of one space, for [People.Learn].
type Observations struct {
	Messages     []Record // the source messages, as they were read
	KnownPeople  []Person // people whose impressions were input, too; their sources become sources of the new impressions
	People       []PersonObservation
	NicknameUses []NicknameUse
}

// A PersonObservation is the update of one person.
type PersonObservation struct {
	ID          string
	Interaction Interaction // changes the relation; the zero Interaction does not
	Impression  string      // the bot's new impression; "" keeps the old one
}

// MaxSources is the number of sources from which [Person.TooManySources] and [Note.TooManySources] return true.
const MaxSources = 512

// TooManySources reports whether the impression has reached [MaxSources]. Make the next one without it, so that the
// list of its sources stays complete.
func (person *Person) TooManySources() bool { return len(person.Sources) >= MaxSources }

// Learn applies observations, all or none. It updates relations like [People.RecordInteraction], impressions, and
// nicknames like [People.LearnNicknames] with the authors of Messages as present. Learn returns false and changes
// nothing if one of Messages was deleted, hidden or changed, or if an impression in KnownPeople changed. Deleted data
// thus cannot return through an impression.
//
// The sources of a new impression are all Messages and the sources of the impressions in KnownPeople. Its label is the
// join of their labels. Leave people with [Person.TooManySources] out of KnownPeople. The sources of a nickname are the
// messages that contain it. In the owner's space, Learn stores impressions and nicknames only if all sources are
// trusted.
func (p *People) Learn(ctx context.Context, now time.Time, l Observations) (bool, error) {
	if err := p.s.Validate(); err != nil {
		return false, err
	}
	for i := range l.People {
		seen := &l.People[i]
		if err := seen.Interaction.validate(); err != nil {
			return false, err
		}
		if len(seen.Impression) > MaxImpression {
			return false, fmt.Errorf("memory: impression of %d bytes: %w", len(seen.Impression), ErrTooLong)
		}
	}
	label, err := p.impressionLabel(ctx, &l)
	if err != nil {
		return false, err
	}
	unlock, err := p.m.locks.lock(ctx, p.s)
	if err != nil {
		return false, err
	}
	defer unlock()
	if ok, err := p.m.unchanged(ctx, p.s, l.Messages); err != nil || !ok {
		return false, err
	}
	all, err := p.byID(ctx)
	if err != nil {
		return false, err
	}
	for i := range l.KnownPeople {
		if old := &l.KnownPeople[i]; old.Impression != "" && (all[old.ID] == nil || all[old.ID].Impression != old.Impression) {
			return false, nil // it was deleted
		}
	}
	changed, err := p.applyObservations(all, now, &l, label)
	if err != nil {
		return false, err
	}
	rows := make(map[string][]byte, len(changed))
	for _, id := range changed {
		if person := all[id]; person.hasData() {
			person.dropDefaultLabel(p.s)
			rows[row(p.s, "person", id)] = encode(person)
		} else {
			rows[row(p.s, "person", id)] = nil
		}
	}
	return true, p.m.state.apply(ctx, rows)
}

// impressionLabel returns the label of new impressions. In the owner's space it also removes impressions and nicknames
// from l unless all sources are trusted.
func (p *People) impressionLabel(ctx context.Context, l *Observations) (Label, error) {
	overrides, err := p.m.loadOverrides(ctx)
	if err != nil {
		return Label{}, err
	}
	label := labelOrDefault(p.label, p.s, nil)
	if len(l.Messages) > 0 {
		label = overrides.joinLabels(p.s, l.Messages)
	}
	for i := range l.KnownPeople {
		if person := &l.KnownPeople[i]; person.Impression != "" {
			label = label.Join(overrides.sourceLabel(p.s, labelOrDefault(person.Label, p.s, person.Sources)))
		}
	}
	if p.s.Base() == Owner && !label.IsTrusted() {
		l.People, l.NicknameUses = slices.Clone(l.People), nil
		for i := range l.People {
			l.People[i].Impression = ""
		}
	}
	return p.m.derivedLabel(DerivedImpression, label), nil
}

// byID returns all people of the space by ID.
func (p *People) byID(ctx context.Context) (map[string]*Person, error) {
	list, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*Person, len(list))
	for i := range list {
		all[list[i].ID] = &list[i]
	}
	return all, nil
}

// applyObservations updates the people in all and returns the sorted IDs of the changed ones.
func (p *People) applyObservations(all map[string]*Person, now time.Time, l *Observations, label Label) ([]string, error) {
	before := map[string]string{}
	of := func(id string) (*Person, error) {
		if _, err := p.key(id); err != nil {
			return nil, err
		}
		if all[id] == nil {
			all[id] = &Person{ID: id}
		}
		if _, ok := before[id]; !ok {
			before[id] = string(encode(all[id]))
		}
		return all[id], nil
	}
	var present []string
	for i := range l.Messages {
		if r := &l.Messages[i]; r.Person != "" && !r.Own && !slices.Contains(present, r.Person) {
			present = append(present, r.Person)
		}
	}
	sources, from := recordIDs(l.Messages), slices.Clone(present)
	for i := range l.KnownPeople {
		if l.KnownPeople[i].Impression != "" {
			sources, from = union(sources, l.KnownPeople[i].Sources), union(from, l.KnownPeople[i].SourceAuthors)
		}
	}
	for i := range l.People {
		seen := &l.People[i]
		person, err := of(seen.ID)
		if err != nil {
			return nil, err
		}
		liked := 0
		for _, one := range all { // a count, so the order does not matter
			if one.Relation > 700 {
				liked++
			}
		}
		person.applyInteraction(seen.Interaction, liked)
		if text := strings.TrimSpace(sanitize(seen.Impression)); text != "" && text != person.Impression {
			person.Impression, person.Sources, person.SourceAuthors, person.Label = text, slices.Clone(sources), slices.Clone(from), label
		}
	}
	namings := slices.Clone(l.NicknameUses)
	for i := range namings {
		for j := range l.Messages {
			if name := strings.TrimSpace(namings[i].Name); name != "" && strings.Contains(l.Messages[j].Text, name) {
				namings[i].sources = append(namings[i].sources, l.Messages[j].ID)
			}
		}
	}
	order, by, err := groupByPerson(present, namings)
	if err != nil {
		return nil, err
	}
	for _, id := range order {
		person, err := of(id)
		if err != nil {
			return nil, err
		}
		person.learnNicknames(by[id], slices.Contains(present, id))
	}
	var changed []string
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if person := all[id]; string(encode(person)) != before[id] {
			person.At = now.Round(0)
			changed = append(changed, id)
		}
	}
	return changed, nil
}

// Affinity returns an importance from 0 to 1 for each person with a positive relation. Use it as [Query].Affinity.
func (p *People) Affinity(ctx context.Context) (map[string]float64, error) {
	all, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	affinity := make(map[string]float64, len(all))
	for _, person := range all {
		if person.Relation > 0 {
			affinity[person.ID] = person.Relation / maxRelation
		}
	}
	return affinity, nil
}
