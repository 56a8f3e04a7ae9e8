package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Observations is what one look at some messages of a space taught about the people there.
type Observations struct {
	Messages     []Record // the messages that were looked at, as they were read
	KnownPeople  []Person // what was known and looked at too: what was made of it has its sources
	People       []PersonObservation
	NicknameUses []NicknameUse
}

// A PersonObservation is somebody as a Lesson saw them.
type PersonObservation struct {
	ID          string
	Interaction Interaction // how it moves the relation; the zero Moment does not
	Impression  string      // what the being thinks of them now; "" leaves what it thought
}

// MaxSources is from how many sources on an impression is [Person.TooManySources].
const MaxSources = 512

// TooManySources reports that an impression has so many sources that the next one must be made without it, so that it is still known what it was made from.
func (who *Person) TooManySources() bool { return len(who.Sources) >= MaxSources }

// Learn takes in a lesson, all of it or nothing: relations as [People.RecordInteraction] moves them, impressions, and names as [People.LearnNicknames] learns them, with
// everybody in From as present. It reports false, and learns nothing, where a message of From is gone, was hidden or has changed meanwhile, or an
// impression of Known: what was forgotten must not come back by what was thought of it.
//
// The sources of an impression are all of From, and those of the impressions in Known: leave out of these what is [Person.TooManySources]. So is its label.
// The sources of a name are those of From that hold it. In the owner's space impressions and names are learned only from what only the owner had a hand in.
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
	label, err := p.labelOf(ctx, &l)
	if err != nil {
		return false, err
	}
	leave, err := p.m.rooms.enter(ctx, p.s)
	if err != nil {
		return false, err
	}
	defer leave()
	if ok, err := p.m.unchanged(ctx, p.s, l.Messages); err != nil || !ok {
		return false, err
	}
	all, err := p.known(ctx)
	if err != nil {
		return false, err
	}
	for i := range l.KnownPeople {
		if old := &l.KnownPeople[i]; old.Impression != "" && (all[old.ID] == nil || all[old.ID].Impression != old.Impression) {
			return false, nil // it was taken back
		}
	}
	changed, err := p.taught(all, now, &l, label)
	if err != nil {
		return false, err
	}
	rows := make(map[string][]byte, len(changed))
	for _, id := range changed {
		if who := all[id]; who.known() {
			who.write(p.s)
			rows[row(p.s, "person", id)] = encode(who)
		} else {
			rows[row(p.s, "person", id)] = nil
		}
	}
	return true, p.m.state.apply(ctx, rows)
}

// labelOf is the label of the impressions of a lesson. What it must not teach is taken out of the lesson.
func (p *People) labelOf(ctx context.Context, l *Observations) (Label, error) {
	rel, err := p.m.released(ctx)
	if err != nil {
		return Label{}, err
	}
	label := labeled(p.label, p.s, nil)
	if len(l.Messages) > 0 {
		label = rel.joined(p.s, l.Messages)
	}
	for i := range l.KnownPeople {
		if who := &l.KnownPeople[i]; who.Impression != "" {
			label = label.Join(rel.counted(p.s, labeled(who.Label, p.s, who.Sources)))
		}
	}
	if p.s.Base() == Owner && !label.IsTrusted() {
		l.People, l.NicknameUses = slices.Clone(l.People), nil
		for i := range l.People {
			l.People[i].Impression = ""
		}
	}
	return p.m.bearing(DerivedImpression, label), nil
}

// known are all people of the space by their IDs.
func (p *People) known(ctx context.Context) (map[string]*Person, error) {
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

// taught changes all by the lesson, and tells who was changed, in order.
func (p *People) taught(all map[string]*Person, now time.Time, l *Observations, label Label) ([]string, error) {
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
	sources, from := idsOf(l.Messages), slices.Clone(present)
	for i := range l.KnownPeople {
		if l.KnownPeople[i].Impression != "" {
			sources, from = union(sources, l.KnownPeople[i].Sources), union(from, l.KnownPeople[i].SourceAuthors)
		}
	}
	for i := range l.People {
		seen := &l.People[i]
		who, err := of(seen.ID)
		if err != nil {
			return nil, err
		}
		liked := 0
		for _, one := range all { // a sum: their order does not show
			if one.Relation > 700 {
				liked++
			}
		}
		who.feel(seen.Interaction, liked)
		if text := strings.TrimSpace(mend(seen.Impression)); text != "" && text != who.Impression {
			who.Impression, who.Sources, who.SourceAuthors, who.Label = text, slices.Clone(sources), slices.Clone(from), label
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
	order, by, err := called(present, namings)
	if err != nil {
		return nil, err
	}
	for _, id := range order {
		who, err := of(id)
		if err != nil {
			return nil, err
		}
		who.name(by[id], slices.Contains(present, id))
	}
	var changed []string
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if who := all[id]; string(encode(who)) != before[id] {
			who.At = now.Round(0)
			changed = append(changed, id)
		}
	}
	return changed, nil
}

// Affinity says how much what people here said matters, by how the being stands to them, as [Query].Affinity takes it: from 0, also for who is not
// liked, to 1.
func (p *People) Affinity(ctx context.Context) (map[string]float64, error) {
	all, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	affinity := make(map[string]float64, len(all))
	for _, who := range all {
		if who.Relation > 0 {
			affinity[who.ID] = who.Relation / maxRelation
		}
	}
	return affinity, nil
}
