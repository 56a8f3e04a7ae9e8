package patch

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A History is a document with its former versions. It keeps what changed between them, not whole texts. It is JSON where it is stored
// ([History.MarshalJSON]): storing it is the caller's. The zero History is an empty document. It is not safe for concurrent use.
type History struct {
	MaxVersions int // versions to go back to; 0 means 50; negative: none

	text         string
	number       int // of the version that is current
	at           time.Time
	note         string
	older, newer []step // nearest last
}

const defaultKeep = 50

// A Version is a document as it was.
type Version struct {
	Number int       // counts up from 0, the empty document, also over what was undone
	At     time.Time // when it was made; zero for version 0
	Note   string    // what the caller said of it
	Text   string
}

// A step leads from the version next to it to an older or newer one: Old takes the place of the Len bytes at Off.
type step struct {
	Off    int       `json:"off"`
	Len    int       `json:"len"`
	Old    string    `json:"old"`
	Number int       `json:"number"`
	At     time.Time `json:"at,omitzero"`
	Note   string    `json:"note,omitzero"`
}

// Text is the current document.
func (h *History) Text() string { return h.text }

// Current is the current one.
func (h *History) Current() Version { return Version{h.number, h.at, h.note, h.text} }

// Apply patches the document, as [Apply] does. The note says who or what did it. With an error nothing has changed, and
// a patch that changes nothing makes no version.
func (h *History) Apply(now time.Time, patch, note string, o Options) error {
	text, err := Apply(h.text, patch, o)
	if err != nil {
		return err
	}
	return h.Set(now, text, note)
}

// Set replaces the whole document, for an owner who edits it by hand. It must be UTF-8 without NUL ([ErrInvalidText]). What was undone before can no longer be redone.
func (h *History) Set(now time.Time, text, note string) error {
	if err := valid(text); err != nil {
		return err
	}
	if text == h.text {
		return nil
	}
	next := h.number + 1
	if n := len(h.newer); n > 0 { // numbers are never used twice
		next = h.newer[0].Number + 1
	}
	h.newer = nil
	h.older = append(h.older, h.back(text))
	h.text, h.number, h.at, h.note = text, next, now.Round(0), note
	if extra := len(h.older) - h.keep(); extra > 0 {
		h.older = slices.Delete(h.older, 0, extra)
	}
	return nil
}

func (h *History) keep() int {
	if h.MaxVersions == 0 {
		return defaultKeep
	}
	return max(h.MaxVersions, 0)
}

// Undo goes back to the version before. [ErrNoVersion] when there is none.
func (h *History) Undo() error { return h.move(&h.older, &h.newer) }

// Redo takes back an Undo. [ErrNoVersion] when there is none.
func (h *History) Redo() error { return h.move(&h.newer, &h.older) }

func (h *History) move(from, to *[]step) error {
	n := len(*from)
	if n == 0 {
		return fmt.Errorf("patch: at version %d: %w", h.number, ErrNoVersion)
	}
	s := (*from)[n-1]
	text := s.apply(h.text)
	*from, *to = (*from)[:n-1], append(*to, h.back(text))
	h.text, h.number, h.at, h.note = text, s.Number, s.At, s.Note
	return nil
}

// Versions yields the current version and those before it, newest first, as far as they are kept.
func (h *History) Versions() iter.Seq[Version] {
	return func(yield func(Version) bool) {
		v := h.Current()
		if !yield(v) {
			return
		}
		for _, s := range slices.Backward(h.older) {
			v = Version{s.Number, s.At, s.Note, s.apply(v.Text)}
			if !yield(v) {
				return
			}
		}
	}
}

// DropOldVersions drops all versions but the current one: what was taken out of the document is then nowhere.
func (h *History) DropOldVersions() { h.older, h.newer = nil, nil }

// back is the step from the text that comes next to the current version. It cuts between characters.
func (h *History) back(next string) step {
	head := 0
	for head < len(h.text) && head < len(next) && h.text[head] == next[head] {
		head++
	}
	for head > 0 && !(starts(h.text, head) && starts(next, head)) {
		head--
	}
	tail := 0
	for tail < len(h.text)-head && tail < len(next)-head && h.text[len(h.text)-1-tail] == next[len(next)-1-tail] {
		tail++
	}
	for tail > 0 && !starts(next, len(next)-tail) {
		tail--
	}
	old := strings.Clone(h.text[head : len(h.text)-tail]) // not the whole former text
	return step{Off: head, Len: len(next) - head - tail, Old: old, Number: h.number, At: h.at, Note: h.note}
}

func starts(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func (s step) apply(text string) string { return text[:s.Off] + s.Old + text[s.Off+s.Len:] }

func (s step) fits(text string) bool {
	return s.Off >= 0 && s.Len >= 0 && s.Off <= len(text) && s.Len <= len(text)-s.Off
}

// stored is a History as JSON.
type stored struct {
	Text   string    `json:"text"`
	Number int       `json:"number"`
	At     time.Time `json:"at,omitzero"`
	Note   string    `json:"note,omitzero"`
	Older  []step    `json:"older,omitempty"`
	Newer  []step    `json:"newer,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. Keep is not stored.
func (h *History) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{h.text, h.number, h.at, h.note, h.older, h.newer})
}

// UnmarshalJSON implements [json.Unmarshaler]. What does not fit together is refused, and h stays as it was.
func (h *History) UnmarshalJSON(data []byte) error {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("patch: history: %w", err)
	}
	if err := valid(s.Text); err != nil {
		return err
	}
	for _, steps := range [...][]step{s.Older, s.Newer} {
		text := s.Text
		for _, st := range slices.Backward(steps) {
			if !st.fits(text) {
				return fmt.Errorf("patch: history: version %d does not fit the one after it: %w", st.Number, ErrNoVersion)
			}
			text = st.apply(text)
			if err := valid(text); err != nil {
				return err
			}
		}
	}
	h.text, h.number, h.at, h.note, h.older, h.newer = s.Text, s.Number, s.At, s.Note, s.Older, s.Newer
	return nil
}

// valid refuses what no store would keep as it is.
func valid(text string) error {
	if len(text) > MaxDocument {
		return tooLong("document", len(text), MaxDocument)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return fmt.Errorf("patch: document: %w", ErrInvalidText)
	}
	return nil
}
