package memory

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// purge removes deleted records from the rows of a space, before the records are deleted. Callers must hold the lock.
func (m *Memory) purge(ctx context.Context, s Space, g *removal) error {
	if len(g.ids) == 0 && g.person == "" {
		return nil
	}
	rows, err := m.state.loadRowsIfState(ctx, row(s)+"/")
	if err != nil {
		return err
	}
	changed := map[string][]byte{}
	for key, old := range rows {
		_, path := splitKey(key)
		keep, err := true, error(nil)
		switch path[0] {
		case "summary":
			keep, err = purgeRow(key, old, changed, g.purgeSummary)
		case "dream":
			keep, err = purgeRow(key, old, changed, g.purgeDream)
		case "person":
			keep, err = purgeRow(key, old, changed, g.purgePerson)
		case "note":
			keep, err = purgeRow(key, old, changed, g.purgeNote)
		}
		if err != nil {
			return err
		}
		if !keep {
			changed[key] = nil
		}
	}
	return m.state.apply(ctx, changed)
}

// purgeRow calls f to change the value of a row. It returns false if the row must be deleted.
func purgeRow[T any](key string, old []byte, changed map[string][]byte, f func(*T) (keep bool)) (bool, error) {
	var v T
	if err := decode(key, old, &v); err != nil {
		return false, err
	}
	keep := f(&v)
	if b := encode(v); keep && string(b) != string(old) {
		changed[key] = b
	}
	return keep, nil
}

// purgeSummary discards a summary that covers a deleted record. The other messages become due again.
func (g *removal) purgeSummary(d *RollingSummary) bool {
	if d.Text != "" && (g.mentions(d.Text) || d.LastSeq == 0 && len(g.ids) > 0 || slices.ContainsFunc(g.seqs, func(seq uint64) bool { return d.FirstSeq <= seq && seq <= d.LastSeq })) {
		*d = RollingSummary{LastSeq: max(d.FirstSeq, 1) - 1}
	}
	return true
}

// purgeDream drops the plan, so that the dream runs again without the deleted records.
func (g *removal) purgeDream(d *dreamState) bool {
	d.Plan = nil
	return true
}

func (g *removal) purgePerson(person *Person) bool {
	if g.person != "" && person.ID == g.person {
		return false
	}
	if g.removesAny(person.Sources) || g.person != "" && slices.Contains(person.SourceAuthors, g.person) || g.mentions(person.Impression) {
		person.clearImpression()
	}
	person.Names = slices.DeleteFunc(person.Names, func(n Nickname) bool { // all its messages are deleted
		return len(n.Sources) > 0 && !slices.ContainsFunc(n.Sources, func(id string) bool { return !g.ids[id] })
	})
	for i := range person.Names {
		n := &person.Names[i]
		n.UsedBy = slices.DeleteFunc(n.UsedBy, func(id string) bool { return id == g.person })
		n.Sources = slices.DeleteFunc(n.Sources, func(id string) bool { return g.ids[id] })
	}
	return person.hasData()
}

func (g *removal) purgeNote(n *Note) bool {
	return !g.removesAny(n.Sources) && !g.mentions(n.Text) && !g.mentions(n.Name)
}

func (g *removal) removesAny(sources []string) bool {
	return slices.ContainsFunc(sources, func(id string) bool { return g.ids[id] })
}

// mentions reports whether a text contains the ID of the erased person, or a name with at least two runes.
func (g *removal) mentions(text string) bool {
	if g.person == "" || text == "" {
		return false
	}
	return strings.Contains(text, g.person) ||
		slices.ContainsFunc(g.names, func(name string) bool { return utf8.RuneCountInString(name) > 1 && strings.Contains(text, name) })
}
