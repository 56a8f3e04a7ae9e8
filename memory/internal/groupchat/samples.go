package groupchat

import (
	"maps"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory"
)

// A Sample is one message with what it says.
type Sample struct {
	Record   memory.Record
	Kind     string // of its phrasing, such as "job.self"
	Phrasing string
	Subject  string // account of the person it is about; "": it says nothing about a person of the chat
	Relation string // as in the documentation of this package
	Values   []string
	Ends     bool
}

// Samples returns n messages of each phrasing, and the names of the people by account.
func Samples(o Options, n int) (all []Sample, names map[string]string) {
	w := newWorld(o)
	names = map[string]string{}
	for _, m := range w.members {
		names[m.id] = m.name
	}
	for _, kind := range slices.Sorted(maps.Keys(w.texts)) {
		if strings.HasPrefix(kind, "en.") != o.English {
			continue
		}
		for _, text := range w.texts[kind] {
			for range n {
				all = append(all, w.sample(kind, text))
			}
		}
	}
	return all, names
}

// sample makes a message of a phrasing.
func (w *world) sample(kind, text string) Sample {
	relation, suffix, _ := strings.Cut(strings.TrimPrefix(kind, "en."), ".")
	one := Sample{Kind: kind, Phrasing: text}
	m := pick(w.rng, w.members)
	if suffix == "" {
		s := statement{group: m.groups[0], speaker: m, text: fill(text, w.random(m))}
		one.Record = s.record("s")
		return one
	}
	w.said = w.said[:0]
	m.firm = w.value("firm")
	s := statement{group: m.groups[0], subject: m, speaker: m, relation: relation, ends: suffix == "end"}
	if suffix == "other" {
		s.speaker = w.other(m.groups[0], m)
	}
	w.state(s, text, w.valueOf(relation, m), w.value("city"))
	s = w.said[0]
	one.Record, one.Subject, one.Relation, one.Values, one.Ends = s.record("s"), m.id, relation, s.values, s.ends
	return one
}

// valueOf picks a value of a relation for a person.
func (w *world) valueOf(relation string, m *member) string {
	switch relation {
	case "birthday":
		said, _ := w.date()
		return said
	case "job":
		return ""
	case "place":
		return w.value("city")
	case "dislike":
		return w.value("like")
	case "partner", "roommate":
		return w.other(m.groups[0], m).name
	}
	return w.value(relation)
}
