package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unique"
)

// MaxLabelSpaces is how many spaces a [Label] names. One that would name more is readable by the owner alone.
const MaxLabelSpaces = 8

// A Label says where a datum came from: from which spaces, and whether only the owner had a hand in it. In the terms of
// information flow control the spaces are its confidentiality (a reader needs all of them; the owner has all) and the hand
// is its integrity (T for trusted: only the owner, U for untrusted: perhaps somebody else). Labels are joined and never
// narrowed: what is made of several data bears the [Label.Join] of theirs. To make a datum readable elsewhere is to
// declassify it, to make it trusted is to endorse it; both are acts of the owner, and set a new label.
//
// The zero Label is not set: a record without one came from its own space and is untrusted ([Record.LabelOrDefault]). Labels are
// comparable, and of one label there is one text in memory.
type Label struct{ text string } // T or U, and each space behind a blank, sorted

// ownerOnly stands for the spaces of a label that only the owner may read. It is no valid space.
const ownerOnly Space = secretMark

// Trusted returns the label of what only the owner had a hand in, from these spaces. Without spaces everybody may read it.
func Trusted(spaces ...Space) Label { return newLabel("T", spaces) }

// Untrusted returns the label of what somebody else may have had a hand in, from these spaces. Without spaces everybody may
// read it.
func Untrusted(spaces ...Space) Label { return newLabel("U", spaces) }

// OwnerOnly returns the untrusted label of what only the owner may read.
func OwnerOnly() Label { return newLabel("U", []Space{ownerOnly}) }

var escapeSpace, unescapeSpace = strings.NewReplacer("%", "%25", " ", "%20"), strings.NewReplacer("%25", "%", "%20", " ")

func newLabel(integrity string, spaces []Space) Label {
	spaces = slices.Clone(spaces)
	slices.Sort(spaces)
	if spaces = slices.Compact(spaces); len(spaces) > MaxLabelSpaces || slices.Contains(spaces, ownerOnly) {
		spaces = []Space{ownerOnly}
	}
	var b strings.Builder
	b.WriteString(integrity)
	for _, s := range spaces {
		b.WriteByte(' ')
		b.WriteString(escapeSpace.Replace(string(s)))
	}
	return Label{unique.Make(b.String()).Value()}
}

// IsZero reports that the label is not set.
func (l Label) IsZero() bool { return l.text == "" }

// IsTrusted reports that only the owner had a hand in it.
func (l Label) IsTrusted() bool { return strings.HasPrefix(l.text, "T") }

// IsOwnerOnly reports that only the owner may read it, whatever else a reader has. So it is where the label is not set.
func (l Label) IsOwnerOnly() bool { return l.text == "" || l.text[1:] == " "+string(ownerOnly) }

// Spaces lists where it came from, sorted: none where everybody may read it, or, see [Label.IsOwnerOnly], only the owner.
func (l Label) Spaces() (spaces []Space) {
	if l.IsOwnerOnly() {
		return nil
	}
	for s := range strings.SplitSeq(l.text, " ") {
		spaces = append(spaces, Space(unescapeSpace.Replace(s)))
	}
	return spaces[1:]
}

// Join returns the label of what is made of both: it came from the spaces of both, and is trusted where both are. With a
// label that is not set it is [OwnerOnly].
func (l Label) Join(m Label) Label {
	switch {
	case l == m && !l.IsZero():
		return l
	case l.IsZero() || m.IsZero():
		return OwnerOnly()
	}
	integrity := "U"
	if l.IsTrusted() && m.IsTrusted() {
		integrity = "T"
	}
	spaces := []Space{ownerOnly}
	if !l.IsOwnerOnly() && !m.IsOwnerOnly() {
		spaces = append(l.Spaces(), m.Spaces()...)
	}
	return newLabel(integrity, spaces)
}

// ReadableFrom reports that somebody who may read these spaces, and is not the owner, may read it.
func (l Label) ReadableFrom(spaces ...Space) bool {
	if l.IsOwnerOnly() {
		return false
	}
	return !slices.ContainsFunc(l.Spaces(), func(s Space) bool { return !slices.Contains(spaces, s) })
}

// labeled is the label of what lies in a space and was made from sources: l, where it is set.
func labeled(l Label, s Space, sources []string) Label {
	switch {
	case !l.IsZero():
		return l
	case len(sources) > 0 && (s.Base() == Owner || s.Base() == Self):
		return OwnerOnly()
	}
	return Untrusted(s)
}

// Kinds of data that [Options].Label is asked about.
const (
	DerivedSummary    = "summary"    // a hot summary
	DerivedDream      = "dream"      // what a dream made of messages
	DerivedImpression = "impression" // what was learned of somebody: see [People.Learn]
)

// bearing is the label that a datum of a kind bears: l, or what the host says.
func (m *Memory) bearing(kind string, l Label) Label {
	if m.o.Relabel == nil {
		return l
	}
	return cmp.Or(m.o.Relabel(kind, l), l)
}

// fits reports that joining m to l leaves l as it is.
func (l Label) fits(m Label) bool { return l.Join(m) == l }

// String returns the text of [Label.MarshalText].
func (l Label) String() string { return l.text }

// MarshalText implements [encoding.TextMarshaler]: T or U, and the spaces, each behind a blank; blanks and % in them are
// escaped as in URLs.
func (l Label) MarshalText() ([]byte, error) { return []byte(l.text), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. The error of anything else matches [ErrInvalid].
func (l *Label) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*l = Label{}
		return nil
	}
	fields := strings.Split(string(text), " ")
	var spaces []Space
	for _, f := range fields[1:] {
		s := Space(unescapeSpace.Replace(f))
		if err := s.Validate(); err != nil && s != ownerOnly {
			return fmt.Errorf("memory: label %q: %w", text, err)
		}
		spaces = append(spaces, s)
	}
	if made := newLabel(fields[0], spaces); (fields[0] == "T" || fields[0] == "U") && made.text == string(text) {
		*l = made
		return nil
	}
	return fmt.Errorf("memory: label %q: %w", text, ErrInvalid)
}
