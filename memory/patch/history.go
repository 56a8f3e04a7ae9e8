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

// A History is a document with its old versions. It stores only the changes between versions. To persist it, store its
// JSON form ([History.MarshalJSON]). The zero History is an empty document. It is not safe for concurrent use.
type History struct {
	MaxVersions int // number of old versions; 0 means 50; negative: none

	text         string
	number       int // of the current version
	at           time.Time
	note         string
	older, newer []delta // the nearest version last
}

const defaultMaxVersions = 50

// A Version is one version of a document.
type Version struct {
	Number int       // from 0 for the empty document; undone versions count, too
	At     time.Time // creation time; zero for version 0
	Note   string    // note of the caller
	Text   string
}

// A delta changes a version to an older or newer one: Old replaces the Len bytes at Off.
type delta struct {
	Off    int       `json:"off"`
	Len    int       `json:"len"`
	Old    string    `json:"old"`
	Number int       `json:"number"`
	At     time.Time `json:"at,omitzero"`
	Note   string    `json:"note,omitzero"`
}

// Text returns the current document.
func (h *History) Text() string { return h.text }

// Current returns the current version.
func (h *History) Current() Version { return Version{h.number, h.at, h.note, h.text} }

// Apply patches the document like the function [Apply]. note describes the author or reason. After an error nothing has
// changed. A patch without an effect makes no version.
func (h *History) Apply(now time.Time, patch, note string) error {
	text, err := Apply(h.text, patch)
	if err != nil {
		return err
	}
	return h.Set(now, text, note)
}

// Set replaces the whole document, for an owner who edits it by hand. It must be UTF-8 without NUL ([ErrInvalidText]).
// Undone versions are discarded.
func (h *History) Set(now time.Time, text, note string) error {
	if err := validText(text); err != nil {
		return err
	}
	if text == h.text {
		return nil
	}
	next := h.number + 1
	if n := len(h.newer); n > 0 { // numbers are never reused
		next = h.newer[0].Number + 1
	}
	h.newer = nil
	h.older = append(h.older, h.deltaFrom(text))
	h.text, h.number, h.at, h.note = text, next, now.Round(0), note
	if extra := len(h.older) - h.maxVersions(); extra > 0 {
		h.older = slices.Delete(h.older, 0, extra)
	}
	return nil
}

func (h *History) maxVersions() int {
	if h.MaxVersions == 0 {
		return defaultMaxVersions
	}
	return max(h.MaxVersions, 0)
}

// Undo returns to the previous version. If there is none, the error matches [ErrNoVersion].
func (h *History) Undo() error { return h.step(&h.older, &h.newer) }

// Redo reverts an Undo. If there is none, the error matches [ErrNoVersion].
func (h *History) Redo() error { return h.step(&h.newer, &h.older) }

func (h *History) step(from, to *[]delta) error {
	n := len(*from)
	if n == 0 {
		return fmt.Errorf("patch: at version %d: %w", h.number, ErrNoVersion)
	}
	s := (*from)[n-1]
	text := s.apply(h.text)
	*from, *to = (*from)[:n-1], append(*to, h.deltaFrom(text))
	h.text, h.number, h.at, h.note = text, s.Number, s.At, s.Note
	return nil
}

// Versions yields the current version and the stored older ones, newest first.
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

// DropOldVersions discards all versions except the current one, so that text removed from the document no longer
// exists.
func (h *History) DropOldVersions() { h.older, h.newer = nil, nil }

// deltaFrom returns the delta from next to the current version. It does not split characters.
func (h *History) deltaFrom(next string) delta {
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
	old := strings.Clone(h.text[head : len(h.text)-tail]) // a copy, so that the whole text can be freed
	return delta{Off: head, Len: len(next) - head - tail, Old: old, Number: h.number, At: h.at, Note: h.note}
}

func starts(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func (s delta) apply(text string) string { return text[:s.Off] + s.Old + text[s.Off+s.Len:] }

func (s delta) valid(text string) bool {
	return s.Off >= 0 && s.Len >= 0 && s.Off <= len(text) && s.Len <= len(text)-s.Off
}

// historyJSON is the JSON form of a History.
type historyJSON struct {
	Text   string    `json:"text"`
	Number int       `json:"number"`
	At     time.Time `json:"at,omitzero"`
	Note   string    `json:"note,omitzero"`
	Older  []delta   `json:"older,omitempty"`
	Newer  []delta   `json:"newer,omitempty"`
}

// MarshalJSON implements [json.Marshaler]. It does not include MaxVersions.
func (h *History) MarshalJSON() ([]byte, error) {
	return json.Marshal(historyJSON{h.text, h.number, h.at, h.note, h.older, h.newer})
}

// UnmarshalJSON implements [json.Unmarshaler]. It rejects inconsistent data and then leaves h unchanged.
func (h *History) UnmarshalJSON(data []byte) error {
	var s historyJSON
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("patch: history: %w", err)
	}
	if err := validText(s.Text); err != nil {
		return err
	}
	for _, steps := range [...][]delta{s.Older, s.Newer} {
		text := s.Text
		for _, st := range slices.Backward(steps) {
			if !st.valid(text) {
				return fmt.Errorf("patch: history: version %d does not fit the one after it: %w", st.Number, ErrNoVersion)
			}
			text = st.apply(text)
			if err := validText(text); err != nil {
				return err
			}
		}
	}
	h.text, h.number, h.at, h.note, h.older, h.newer = s.Text, s.Number, s.At, s.Note, s.Older, s.Newer
	return nil
}

// validText rejects text that some stores cannot store unchanged.
func validText(text string) error {
	if len(text) > MaxDocument {
		return tooLong("document", len(text), MaxDocument)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return fmt.Errorf("patch: document: %w", ErrInvalidText)
	}
	return nil
}
