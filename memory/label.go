package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unique"
)

// MaxLabelSpaces is the maximum number of spaces in a [Label]. A label with more becomes [OwnerOnly] in its spaces.
const MaxLabelSpaces = 8

// A Label states the provenance of data. It names the source spaces, and says whether only the owner contributed to the
// data. In terms of information flow control, the spaces are its confidentiality: a reader needs access to all of them,
// and the owner has access to all. The other half is its integrity: T for trusted (only the owner contributed) or U for
// untrusted.
//
// Labels are joined and never narrowed: derived data has the [Label.Join] of all its sources. Only the owner can set a
// less strict label: Declassify makes data readable elsewhere, and Endorse makes it trusted.
//
// The zero Label means that none is set. A record without a label is untrusted and comes from its own space; see
// [Record.LabelOrDefault]. Labels are comparable. Equal labels share one string in memory.
type Label struct{ text string } // T or U, and each space after a blank, sorted

// ownerOnly replaces the spaces of a label that only the owner may read. It is not a valid space.
const ownerOnly Space = secretMark

// Trusted returns the label of data from these spaces to which only the owner contributed. Without spaces, everybody
// may read it.
func Trusted(spaces ...Space) Label { return newLabel("T", spaces) }

// Untrusted returns the label of data from these spaces to which others may have contributed. Without spaces, everybody
// may read it.
func Untrusted(spaces ...Space) Label { return newLabel("U", spaces) }

// OwnerOnly returns the untrusted label of data that only the owner may read.
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

// IsZero reports whether no label is set.
func (l Label) IsZero() bool { return l.text == "" }

// IsTrusted reports whether only the owner contributed.
func (l Label) IsTrusted() bool { return strings.HasPrefix(l.text, "T") }

// IsOwnerOnly reports whether only the owner may read the data, regardless of a reader's spaces. It is true for the zero
// Label.
func (l Label) IsOwnerOnly() bool { return l.text == "" || l.text[1:] == " "+string(ownerOnly) }

// Spaces lists the source spaces, sorted. It is empty for public data and if [Label.IsOwnerOnly] is true.
func (l Label) Spaces() (spaces []Space) {
	if l.IsOwnerOnly() {
		return nil
	}
	for s := range strings.SplitSeq(l.text, " ") {
		spaces = append(spaces, Space(unescapeSpace.Replace(s)))
	}
	return spaces[1:]
}

// Join returns the label of data derived from both. It has the spaces of both, and is trusted if both are. If one is
// not set, the result is [OwnerOnly].
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

// ReadableFrom reports whether a reader of these spaces, other than the owner, may read the data.
func (l Label) ReadableFrom(spaces ...Space) bool {
	if l.IsOwnerOnly() {
		return false
	}
	return !slices.ContainsFunc(l.Spaces(), func(s Space) bool { return !slices.Contains(spaces, s) })
}

// labelOrDefault returns l, or the default label for data in a space with these sources if l is zero.
func labelOrDefault(l Label, s Space, sources []string) Label {
	switch {
	case !l.IsZero():
		return l
	case len(sources) > 0 && (s.Base() == Owner || s.Base() == Self):
		return OwnerOnly()
	}
	return Untrusted(s)
}

// Kinds of derived data, for [Options].Relabel.
const (
	DerivedSummary    = "summary"    // a rolling summary
	DerivedDream      = "dream"      // a record written by a dream
	DerivedImpression = "impression" // an impression of a person; see [People.Learn]
	DerivedFact       = "fact"       // a claim about a person; see memory/facts
	DerivedExpression = "expression" // how a group talks; see memory/expressions
)

// derivedLabel returns the label for derived data: l, or the result of Options.Relabel.
func (m *Memory) derivedLabel(kind string, l Label) Label {
	if m.o.Relabel == nil {
		return l
	}
	return cmp.Or(m.o.Relabel(kind, l), l)
}

// covers reports whether joining m to l leaves l unchanged.
func (l Label) covers(m Label) bool { return l.Join(m) == l }

// String returns the text of [Label.MarshalText].
func (l Label) String() string { return l.text }

// MarshalText implements [encoding.TextMarshaler]. The text is T or U, followed by the spaces, each after a blank.
// Blanks and % in a space are percent-encoded.
func (l Label) MarshalText() ([]byte, error) { return []byte(l.text), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. For an invalid text, the error matches [ErrInvalid].
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
	if parsed := newLabel(fields[0], spaces); (fields[0] == "T" || fields[0] == "U") && parsed.text == string(text) {
		*l = parsed
		return nil
	}
	return fmt.Errorf("memory: label %q: %w", text, ErrInvalid)
}
