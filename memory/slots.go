package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of notes.
const (
	MaxNote  = 16 << 10 // bytes of a note's text
	MaxSlots = 64       // slots of a space, and scratch notes of a session
)

// A Note is a short text that a being wrote down itself.
type Note struct {
	Name    string    `json:"name,omitzero"` // within its kind; "" for the inner state
	Text    string    `json:"text"`
	At      time.Time `json:"at,omitzero"`      // when it was written
	Sources []string  `json:"sources,omitzero"` // IDs of the messages that it was made from, so that forgetting one finds it
	Label   Label     `json:"label,omitzero"`   // where it came from, and by whose hand; set in each note that is read
}

// Notes are what a being wrote down about one space, and in it: who holds them reads no other. What was learned in private stays there,
// as a turn in a group is given the notes of that group. The being's own, which no chat may see into, are those of [Self].
// Each kind has its life time:
//
//   - the inner state is one text, replaced as a whole, and stays for good;
//   - slots are named texts that stay until they are emptied, at most [MaxSlots];
//   - scratch is named texts of one session, gone when the session ends or has not written for a day.
//
// The summary of the space is not among them ([Memory.Summary]). All methods may be called concurrently.
type Notes struct {
	m     *Memory
	s     Space
	label Label // of what is written; zero: that of a note without one
}

// scratchLife is how long a session's scratch outlives its last word.
const scratchLife = 24 * time.Hour

// Notes opens the notes of a space. Those of a secret space are its own: only the owner's turns may be given them.
func (m *Memory) Notes(s Space) *Notes { return &Notes{m: m, s: s} }

// WithLabel returns the same notes, of which what is written bears a label. Without one a note is untrusted and came from
// its own space; of [Owner] and [Self], one that has sources is for the owner alone.
func (n *Notes) WithLabel(l Label) *Notes { return &Notes{n.m, n.s, l} }

// InnerState is the inner state; its Text is "" before there is one.
func (n *Notes) InnerState(ctx context.Context) (Note, error) { return n.get(ctx, "inner") }

// SetInnerState replaces the inner state. "" removes it.
func (n *Notes) SetInnerState(ctx context.Context, now time.Time, text string, sources ...string) error {
	return n.set(ctx, Note{Text: text, At: now, Sources: sources}, "inner")
}

// CompareAndSwapInnerState is SetInner where the inner state is still the one that was read, old: whoever made the new one of it makes it
// anew where it is not, and SwapInner gives false.
func (n *Notes) CompareAndSwapInnerState(ctx context.Context, now time.Time, old Note, text string, sources ...string) (swapped bool, err error) {
	return n.swapInner(ctx, now, old, nil, text, sources)
}

// CompareAndSwapInnerStateFrom is SwapInner for what was made of records of this space, too, as they were read. It also gives false where
// one of them is gone, was hidden or has changed meanwhile: what was forgotten must not come back by what was felt of it.
// The sources are all of from that are not the being's own, and those of old, where it is not [Note.TooManySources].
func (n *Notes) CompareAndSwapInnerStateFrom(ctx context.Context, now time.Time, old Note, from []Record, text string) (swapped bool, err error) {
	var sources []string
	for i := range from {
		if !from[i].Own {
			sources = append(sources, from[i].ID)
		}
	}
	if !old.TooManySources() {
		sources = append(sources, old.Sources...)
	}
	return n.swapInner(ctx, now, old, from, text, sources)
}

// TooManySources reports that an inner state has so many sources that the next one must be made without it, so that it is still
// known what it was made from.
func (n Note) TooManySources() bool { return len(n.Sources) >= MaxSources }

func (n *Notes) swapInner(ctx context.Context, now time.Time, old Note, from []Record, text string, sources []string) (swapped bool, err error) {
	same := func(is Note) (bool, error) {
		if swapped = is.Text == old.Text && is.At.Equal(old.At); !swapped || len(from) == 0 {
			return swapped, nil
		}
		swapped, err = n.m.unchanged(ctx, n.s, from)
		return swapped, err
	}
	err = n.put(ctx, Note{Text: text, At: now, Sources: sources}, same, "inner")
	return swapped && err == nil, err
}

// Slots lists the slots by name.
func (n *Notes) Slots(ctx context.Context) ([]Note, error) { return n.list(ctx, "slot") }

// SetSlot writes a slot. "" empties it. One slot too many gives [ErrTooMany].
func (n *Notes) SetSlot(ctx context.Context, now time.Time, name, text string, sources ...string) error {
	return n.set(ctx, Note{Name: name, Text: text, At: now, Sources: sources}, "slot", name)
}

// Scratch lists the scratch of a session by name; what has outlived its day is left out.
func (n *Notes) Scratch(ctx context.Context, now time.Time, session string) ([]Note, error) {
	notes, err := n.list(ctx, "scratch", session)
	if last := newest(notes); now.Sub(last) > scratchLife {
		return nil, err
	}
	return notes, err
}

// SetScratch writes a note of a session. "" removes it. One too many gives [ErrTooMany].
func (n *Notes) SetScratch(ctx context.Context, now time.Time, session, name, text string, sources ...string) error {
	old, err := n.list(ctx, "scratch", session)
	if err != nil {
		return err
	}
	if len(old) > 0 && now.Sub(newest(old)) > scratchLife {
		if err := n.EndSession(ctx, session); err != nil {
			return err
		}
	}
	return n.set(ctx, Note{Name: name, Text: text, At: now, Sources: sources}, "scratch", session, name)
}

// EndSession removes the scratch of a session.
func (n *Notes) EndSession(ctx context.Context, session string) error {
	if err := n.s.Validate(); err != nil {
		return err
	}
	leave, err := n.m.rooms.enter(ctx, n.s)
	if err != nil {
		return err
	}
	defer leave()
	return n.m.state.clear(ctx, row(n.s, "note", "scratch", session)+"/")
}

func newest(notes []Note) (at time.Time) {
	for _, n := range notes {
		if n.At.After(at) {
			at = n.At
		}
	}
	return at
}

func (n *Notes) get(ctx context.Context, path ...string) (note Note, err error) {
	if err := n.s.Validate(); err != nil {
		return note, err
	}
	_, err = n.m.state.read(ctx, row(n.s, append([]string{"note"}, path...)...), &note)
	if note.Text != "" {
		note.Label = labeled(note.Label, n.s, note.Sources)
	}
	return note, err
}

func (n *Notes) list(ctx context.Context, path ...string) ([]Note, error) {
	notes, err := values[Note](ctx, n.m, n.s, append([]string{"note"}, path...)...)
	slices.SortFunc(notes, func(a, b Note) int { return cmp.Compare(a.Name, b.Name) })
	for i := range notes {
		notes[i].Label = labeled(notes[i].Label, n.s, notes[i].Sources)
	}
	return notes, err
}

func (n *Notes) set(ctx context.Context, note Note, path ...string) error {
	return n.put(ctx, note, func(Note) (bool, error) { return true, nil }, path...)
}

// put writes a note where may, told what stands there, lets it.
func (n *Notes) put(ctx context.Context, note Note, may func(is Note) (bool, error), path ...string) error {
	note.Text, note.At = strings.TrimSpace(mend(note.Text)), note.At.Round(0)
	if n.label != labeled(Label{}, n.s, note.Sources) {
		note.Label = n.label
	}
	if len(note.Text) > MaxNote {
		return fmt.Errorf("memory: note %q of %d bytes: %w", note.Name, len(note.Text), ErrTooLong)
	}
	for _, a := range append(slices.Clone(path), note.Sources...) {
		if err := validAddress("name or source of a note", a); err != nil || a == "" {
			return cmp.Or(err, fmt.Errorf("memory: note without a name: %w", ErrInvalid))
		}
	}
	key := row(n.s, append([]string{"note"}, path...)...)
	if err := ValidateKey(key); err != nil {
		return err
	}
	_, err := change(ctx, n.m, n.s, key, func(v *Note) (bool, error) {
		if isNew := v.Text == ""; isNew && note.Text != "" && len(path) > 1 {
			others, err := n.list(ctx, path[:len(path)-1]...)
			if err != nil {
				return false, err
			}
			if len(others) >= MaxSlots {
				return false, fmt.Errorf("memory: note %q beside %d others: %w", note.Name, len(others), ErrTooMany)
			}
		}
		ok, err := may(*v)
		if ok {
			*v = note
		}
		return v.Text != "", err
	})
	return err
}

// Config is what the owner set for the being as a whole: it belongs to no space and stays until it is emptied.
func (m *Memory) Config(ctx context.Context) (map[string]string, error) {
	rows, err := m.state.rows(ctx, row("", "config")+"/")
	if err != nil {
		return nil, err
	}
	config := make(map[string]string, len(rows))
	for key, b := range rows {
		_, rest := parts(key)
		config[rest[1]] = string(b)
	}
	return config, nil
}

// SetConfig sets a value. "" empties it.
func (m *Memory) SetConfig(ctx context.Context, name, value string) error {
	key := row("", "config", name)
	if err := ValidateKey(key); err != nil || name == "" {
		return cmp.Or(err, fmt.Errorf("memory: config without a name: %w", ErrInvalid))
	}
	if len(value) > MaxNote || !utf8.ValidString(value) {
		return fmt.Errorf("memory: config %q of %d bytes: %w", name, len(value), ErrTooLong)
	}
	var b []byte
	if value != "" {
		b = []byte(value)
	}
	return m.state.apply(ctx, map[string][]byte{key: b})
}
