package memory

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Kinds of records known to this package. You may use others.
const (
	KindMessage = "message" // a chat message, verbatim
	KindFact    = "fact"    // a fact learned from messages
	KindSummary = "summary" // a summary of several messages
	KindClaim   = "claim"   // what a message says about a person, from memory/facts; never embedded, and not found by Recall
	// KindExpression is how a group talks, from memory/expressions; never embedded, and not found by Recall.
	KindExpression = "expression"
)

// TagSecret hides a record from everybody except the owner, in any space.
const TagSecret = "secret"

// TagAbout before an ID tags a record that is about this person, too. [Memory.ErasePerson] deletes the record.
const TagAbout = "about:"

// Limits of a record, in bytes.
const (
	MaxText    = 4 << 20 // of Text; cut longer texts before Put
	MaxAddress = 1024    // of ID, Space, Person, Kind, ReplyTo, Embedder, each tag and each source
)

// A Record is one entry of memory. Space and ID are its address. The caller chooses the ID. Two records of one space
// and its secret counterpart never share an ID. Records are values: stores and indexes copy the slices that they keep.
type Record struct {
	ID         string    // required
	Space      Space     // required
	Kind       string    // Memory.Put turns "" into KindMessage
	Text       string    // may be empty, for a message without text
	Person     string    // platform ID of the author, or of the person that the record is about; never a nickname
	Name       string    // name of that person at that time; searched like the text
	ReplyTo    string    // ID of the message that this one replies to
	Own        bool      // sent by the bot itself
	Tags       []string  // filter for queries; [TagSecret] hides the record from everybody except the owner
	Importance float64   // 0 to 1
	At         time.Time // time of the message or fact; zero: unknown
	Sources    []string  // IDs of the messages that the record was derived from
	Label      Label     // provenance; zero: see [Record.LabelOrDefault]

	Vector   []float32 // embedding; nil: none
	Embedder string    // model of Vector; vectors of different models are never compared

	Seq uint64 // order of arrival, set by the store and ignored by Put
}

// Validate checks whether a store may accept the record. Text and Name must be UTF-8 without NUL; [Memory.Put]
// sanitizes them first. The same holds for addresses, but those are rejected. Importance must be within 0 to 1, and At
// within the years 1678 to 2261. Vector must be finite and not all zero. The error matches [ErrInvalid], [ErrTooLong]
// or [ErrVector]. Every [Store] calls Validate before it writes.
func (r *Record) Validate() error {
	if err := r.Space.Validate(); err != nil {
		return err
	}
	if r.ID == "" {
		return fmt.Errorf("memory: record in %q has no ID: %w", string(r.Space), ErrInvalid)
	}
	for _, a := range [...]struct{ what, s string }{
		{"ID", r.ID}, {"kind", r.Kind}, {"person", r.Person}, {"reply", r.ReplyTo}, {"embedder", r.Embedder},
	} {
		if err := validAddress(a.what, a.s); err != nil {
			return err
		}
	}
	for _, list := range [...][]string{r.Tags, r.Sources} {
		for _, s := range list {
			if err := validAddress("tag or source", s); err != nil {
				return err
			}
		}
	}
	switch y := r.At.Year(); {
	case len(r.Text) > MaxText || len(r.Name) > MaxAddress:
		return fmt.Errorf("memory: record %q of %d bytes: %w", r.ID, len(r.Text)+len(r.Name), ErrTooLong)
	case !isText(r.Text), !isText(r.Name):
		return fmt.Errorf("memory: text of record %q is not UTF-8 or contains NUL: %w", r.ID, ErrInvalid)
	case !(r.Importance >= 0 && r.Importance <= 1):
		return fmt.Errorf("memory: importance %v of record %q: %w", r.Importance, r.ID, ErrInvalid)
	case !r.At.IsZero() && (y < 1678 || y > 2261):
		return fmt.Errorf("memory: year %d of record %q: %w", y, r.ID, ErrInvalid)
	case r.Vector != nil && !ValidVector(r.Vector):
		return fmt.Errorf("memory: vector of record %q: %w", r.ID, ErrVector)
	}
	return nil
}

// LabelOrDefault returns the record's label. The default is untrusted, from the record's own space. In [Owner] and
// [Self], the default for a record with sources is [OwnerOnly], because its sources may lie in any space.
func (r *Record) LabelOrDefault() Label { return labelOrDefault(r.Label, r.Space, r.Sources) }

// setLabel sets a label, unless it is the default.
func (r *Record) setLabel(l Label) {
	if r.Label = (Label{}); r.LabelOrDefault() != l {
		r.Label = l
	}
}

// searched reports whether indexes have the record. Claims and expressions are read by their kind only.
func (r *Record) searched() bool { return r.Kind != KindClaim && r.Kind != KindExpression }

// Clone returns a copy that shares no slice with r.
func (r Record) Clone() Record {
	r.Tags, r.Sources, r.Vector = slices.Clone(r.Tags), slices.Clone(r.Sources), slices.Clone(r.Vector)
	return r
}

// ValidVector reports whether v has a direction: it is not empty, finite and not all zero.
func ValidVector(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x) // float64, so that a squared float32 does not overflow; NaN and Inf stay
	}
	return sum > 0 && !math.IsInf(sum, 0) && !math.IsNaN(sum)
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// sanitize makes a text valid for every database. Users do send invalid bytes, and their messages must still be stored.
func sanitize(s string) string {
	if isText(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
