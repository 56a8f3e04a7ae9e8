package memory

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// purge takes what leaves a space out of its rows, before the records themselves go. Who calls has the turn.
func (m *Memory) purge(ctx context.Context, s Space, g *gone) error {
	if len(g.ids) == 0 && g.person == "" {
		return nil
	}
	rows, err := m.state.held(ctx, row(s)+"/")
	if err != nil {
		return err
	}
	changed := map[string][]byte{}
	for key, old := range rows {
		_, path := parts(key)
		keep, err := true, error(nil)
		switch path[0] {
		case "summary":
			keep, err = purged(key, old, changed, g.summary)
		case "dream":
			keep, err = purged(key, old, changed, g.dream)
		case "person":
			keep, err = purged(key, old, changed, g.known)
		case "note":
			keep, err = purged(key, old, changed, g.note)
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

// purged lets f change the value of a row; what it does not keep is to be deleted.
func purged[T any](key string, old []byte, changed map[string][]byte, f func(*T) (keep bool)) (bool, error) {
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

// summary takes back a summary of what goes. Its other messages are due again.
func (g *gone) summary(d *RollingSummary) bool {
	if d.Text != "" && (g.mentions(d.Text) || d.LastSeq == 0 && len(g.ids) > 0 || slices.ContainsFunc(g.seqs, func(seq uint64) bool { return d.FirstSeq <= seq && seq <= d.LastSeq })) {
		*d = RollingSummary{LastSeq: max(d.FirstSeq, 1) - 1}
	}
	return true
}

// dream drops what is being written down: it is dreamed again without what goes.
func (g *gone) dream(d *dreamt) bool {
	d.Plan = nil
	return true
}

func (g *gone) known(who *Person) bool {
	if g.person != "" && who.ID == g.person {
		return false
	}
	if g.any(who.Sources) || g.person != "" && slices.Contains(who.SourceAuthors, g.person) || g.mentions(who.Impression) {
		who.forgetImpression()
	}
	who.Names = slices.DeleteFunc(who.Names, func(n Nickname) bool { // no message is left to bear it out
		return len(n.Sources) > 0 && !slices.ContainsFunc(n.Sources, func(id string) bool { return !g.ids[id] })
	})
	for i := range who.Names {
		n := &who.Names[i]
		n.UsedBy = slices.DeleteFunc(n.UsedBy, func(id string) bool { return id == g.person })
		n.Sources = slices.DeleteFunc(n.Sources, func(id string) bool { return g.ids[id] })
	}
	return who.known()
}

func (g *gone) note(n *Note) bool {
	return !g.any(n.Sources) && !g.mentions(n.Text) && !g.mentions(n.Name)
}

func (g *gone) any(sources []string) bool {
	return slices.ContainsFunc(sources, func(id string) bool { return g.ids[id] })
}

// mentions reports whether a text names who is forgotten, by the ID or by a name of two runes and more.
func (g *gone) mentions(text string) bool {
	if g.person == "" || text == "" {
		return false
	}
	return strings.Contains(text, g.person) ||
		slices.ContainsFunc(g.names, func(name string) bool { return utf8.RuneCountInString(name) > 1 && strings.Contains(text, name) })
}
