package memory

import (
	"cmp"
	"context"
	"slices"
)

// Kinds of notes.
const (
	NoteInner   = "inner"   // the inner state
	NoteSlot    = "slot"    // a slot
	NoteScratch = "scratch" // a scratch note
)

// A NoteEntry is a note with its place.
type NoteEntry struct {
	Note
	Space   Space
	Kind    string // NoteInner, NoteSlot or NoteScratch
	Session string // session of a scratch note
}

// NoteEntries lists all notes of a space, including expired scratch notes. They are sorted by kind, session and name.
func NoteEntries(ctx context.Context, m *Memory, s Space) ([]NoteEntry, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	rows, err := m.state.loadRowsIfState(ctx, row(s, "note")+"/")
	if err != nil {
		return nil, err
	}
	all := make([]NoteEntry, 0, len(rows))
	for key, b := range rows {
		_, path := splitKey(key)
		n, err := noteEntry(s, path, key, b)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b NoteEntry) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// noteEntry decodes the row of a note. path is the part of its key after the space: note, kind, and then session and name.
func noteEntry(s Space, path []string, key string, b []byte) (n NoteEntry, err error) {
	n.Space = s
	if len(path) > 1 {
		n.Kind = path[1]
	}
	if len(path) > 3 {
		n.Session = path[2]
	}
	if err = decode(key, b, &n.Note); n.Text != "" {
		n.Label = labelOrDefault(n.Label, s, n.Sources)
	}
	return n, err
}

// PeopleSpaces lists the spaces with data about people, including secret ones, sorted. See [Memory.People].
func PeopleSpaces(ctx context.Context, m *Memory) ([]Space, error) {
	return spacesWithRow(ctx, m, "person")
}

// SummarySpaces lists the spaces with a rolling summary, including secret ones, sorted. See [Memory.Summary].
func SummarySpaces(ctx context.Context, m *Memory) ([]Space, error) {
	return spacesWithRow(ctx, m, "summary")
}

// NoteSpaces lists the spaces with notes, including secret ones, sorted. See [NoteEntries].
func NoteSpaces(ctx context.Context, m *Memory) ([]Space, error) {
	return spacesWithRow(ctx, m, "note")
}

// spacesWithRow lists the spaces with rows of a kind.
func spacesWithRow(ctx context.Context, m *Memory, kind string) (spaces []Space, err error) {
	rows, err := m.state.loadRowsIfState(ctx, keyPrefix)
	for key := range rows {
		if s, path := splitKey(key); s != "" && len(path) > 0 && path[0] == kind {
			spaces = append(spaces, s)
		}
	}
	slices.Sort(spaces)
	return slices.Compact(spaces), err
}
