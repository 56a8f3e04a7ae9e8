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
	MaxSlots = 64       // slots per space, and scratch notes per session
)

// A Note is a short text that the bot has written.
type Note struct {
	Name    string    `json:"name,omitzero"` // unique within its kind; "" for the inner state
	Text    string    `json:"text"`
	At      time.Time `json:"at,omitzero"`      // time of writing
	Sources []string  `json:"sources,omitzero"` // IDs of source messages; deleting one deletes the note
	Label   Label     `json:"label,omitzero"`   // provenance; set in results
}

// Notes are the bot's notes about one space. They are visible only there: notes from a private chat do not appear in a
// group. The bot's own notes in [Self] are visible in no chat. There are three kinds:
//
//   - The inner state is one text. It is replaced as a whole and never expires.
//   - Slots are named texts, at most [MaxSlots]. They never expire.
//   - Scratch notes are named texts of one session. They are deleted at the end of the session, and expire after 24 hours
//     without a write.
//
// The summary of the space is separate; see [Memory.Summary]. All methods may be called concurrently.
type Notes struct {
	m     *Memory
	s     Space
	label Label // of new notes; zero: the default label
}

// scratchLifetime is the lifetime of a session's scratch notes after its last write.
const scratchLifetime = 24 * time.Hour

// Notes returns the notes of a space. A secret space has its own notes; use them only in turns with the owner.
func (m *Memory) Notes(s Space) *Notes { return &Notes{m: m, s: s} }

// WithLabel returns the same notes. The result writes notes with the label l. The default label is untrusted, from the
// notes' own space. In [Owner] and [Self], the default for a note with sources is [OwnerOnly].
func (n *Notes) WithLabel(l Label) *Notes { return &Notes{n.m, n.s, l} }

// InnerState returns the inner state. Without one, its Text is "".
func (n *Notes) InnerState(ctx context.Context) (Note, error) { return n.get(ctx, "inner") }

// SetInnerState replaces the inner state. "" deletes it.
func (n *Notes) SetInnerState(ctx context.Context, now time.Time, text string, sources ...string) error {
	return n.set(ctx, Note{Text: text, At: now, Sources: sources}, "inner")
}

// CompareAndSwapInnerState is SetInnerState, but only if the inner state still equals old. Otherwise it changes nothing
// and returns false; derive the new text from the new state and try again.
func (n *Notes) CompareAndSwapInnerState(ctx context.Context, now time.Time, old Note, text string, sources ...string) (swapped bool, err error) {
	return n.swapInnerState(ctx, now, old, nil, text, sources)
}

// CompareAndSwapInnerStateFrom is CompareAndSwapInnerState for a text derived from records of this space. It also
// returns false if one of the records was deleted, hidden or changed since it was read. Deleted data thus cannot return
// through the inner state. The sources are all records in from that are not the bot's own, plus the sources of old
// unless [Note.TooManySources] is true.
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
	return n.swapInnerState(ctx, now, old, from, text, sources)
}

// TooManySources reports whether an inner state has reached [MaxSources]. Derive the next one without it, so that the
// list of its sources stays complete.
func (n Note) TooManySources() bool { return len(n.Sources) >= MaxSources }

func (n *Notes) swapInnerState(ctx context.Context, now time.Time, old Note, from []Record, text string, sources []string) (swapped bool, err error) {
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

// Slots lists the slots, sorted by name.
func (n *Notes) Slots(ctx context.Context) ([]Note, error) { return n.list(ctx, "slot") }

// SetSlot writes a slot. "" deletes it. If the space has [MaxSlots] slots, the error matches [ErrTooMany].
func (n *Notes) SetSlot(ctx context.Context, now time.Time, name, text string, sources ...string) error {
	return n.set(ctx, Note{Name: name, Text: text, At: now, Sources: sources}, "slot", name)
}

// Scratch lists the scratch notes of a session, sorted by name. It leaves out expired ones.
func (n *Notes) Scratch(ctx context.Context, now time.Time, session string) ([]Note, error) {
	notes, err := n.list(ctx, "scratch", session)
	if last := newest(notes); now.Sub(last) > scratchLifetime {
		return nil, err
	}
	return notes, err
}

// SetScratch writes a scratch note of a session. "" deletes it. If the session has [MaxSlots] notes, the error matches
// [ErrTooMany].
func (n *Notes) SetScratch(ctx context.Context, now time.Time, session, name, text string, sources ...string) error {
	old, err := n.list(ctx, "scratch", session)
	if err != nil {
		return err
	}
	if len(old) > 0 && now.Sub(newest(old)) > scratchLifetime {
		if err := n.EndSession(ctx, session); err != nil {
			return err
		}
	}
	return n.set(ctx, Note{Name: name, Text: text, At: now, Sources: sources}, "scratch", session, name)
}

// EndSession deletes the scratch notes of a session.
func (n *Notes) EndSession(ctx context.Context, session string) error {
	if err := n.s.Validate(); err != nil {
		return err
	}
	unlock, err := n.m.locks.lock(ctx, n.s)
	if err != nil {
		return err
	}
	defer unlock()
	return n.m.state.deletePrefix(ctx, row(n.s, "note", "scratch", session)+"/")
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
	_, err = n.m.state.decodeRow(ctx, row(n.s, append([]string{"note"}, path...)...), &note)
	if note.Text != "" {
		note.Label = labelOrDefault(note.Label, n.s, note.Sources)
	}
	return note, err
}

func (n *Notes) list(ctx context.Context, path ...string) ([]Note, error) {
	notes, err := decodeAll[Note](ctx, n.m, n.s, append([]string{"note"}, path...)...)
	slices.SortFunc(notes, func(a, b Note) int { return cmp.Compare(a.Name, b.Name) })
	for i := range notes {
		notes[i].Label = labelOrDefault(notes[i].Label, n.s, notes[i].Sources)
	}
	return notes, err
}

func (n *Notes) set(ctx context.Context, note Note, path ...string) error {
	return n.put(ctx, note, func(Note) (bool, error) { return true, nil }, path...)
}

// put writes a note if may, called with the old note, returns true.
func (n *Notes) put(ctx context.Context, note Note, may func(is Note) (bool, error), path ...string) error {
	note.Text, note.At = strings.TrimSpace(sanitize(note.Text)), note.At.Round(0)
	if n.label != labelOrDefault(Label{}, n.s, note.Sources) {
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
	_, err := updateRow(ctx, n.m, n.s, key, func(v *Note) (bool, error) {
		if isNew := v.Text == ""; isNew && note.Text != "" && len(path) > 1 {
			others, err := n.list(ctx, path[:len(path)-1]...)
			if err != nil {
				return false, err
			}
			if len(others) >= MaxSlots {
				return false, fmt.Errorf("memory: note %q: %d notes exist: %w", note.Name, len(others), ErrTooMany)
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

// Config returns the configuration of the bot as a whole. It belongs to no space and never expires.
func (m *Memory) Config(ctx context.Context) (map[string]string, error) {
	rows, err := m.state.loadRows(ctx, row("", "config")+"/")
	if err != nil {
		return nil, err
	}
	config := make(map[string]string, len(rows))
	for key, b := range rows {
		_, rest := splitKey(key)
		config[rest[1]] = string(b)
	}
	return config, nil
}

// SetConfig sets a configuration value. "" deletes it.
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
