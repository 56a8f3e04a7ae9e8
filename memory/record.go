package memory

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Kinds of records that this package knows. Others are yours to choose.
const (
	KindMessage = "message" // what somebody said, word for word
	KindFact    = "fact"    // what was learned
	KindSummary = "summary" // what a stretch of messages came to
)

// TagSecret keeps a record from everybody but the owner, in whatever space it lies.
const TagSecret = "secret"

// Limits of a record, in bytes.
const (
	MaxText    = 4 << 20 // Text: clip longer ones before they are kept
	MaxAddress = 1024    // ID, Space, Person, Kind, ReplyTo, Embedder, each tag and each source
)

// A Record is one thing remembered. Space and ID are its address; the ID is the caller's, and two records of one space
// (and of its secret twin) never share one. Records are values: stores and indexes copy the slices they keep.
type Record struct {
	ID         string    // required
	Space      Space     // required
	Kind       string    // "" counts as Message where a Memory keeps it
	Text       string    // may be empty: a message without words is still a message
	Person     string    // platform id of who said it, or whom it is about; never a nickname
	Name       string    // how that person was called then; found by recall like the text
	ReplyTo    string    // ID of the message that it answers
	Own        bool      // said by the being itself
	Tags       []string  // anything to narrow a Query by; with [TagSecret] it is for the owner alone
	Importance float64   // 0 to 1
	At         time.Time // when it was said or learned; zero: not known
	Sources    []string  // IDs of the messages that it was made from
	Label      Label     // where it came from, and by whose hand; zero: see [Record.LabelOrDefault]

	Vector   []float32 // its embedding; nil: none
	Embedder string    // what made Vector; vectors of different embedders are never compared

	Seq uint64 // its place in the order of arrival; given by the store, ignored when put
}

// Validate tells whether a store may take the record. Text and Name must be UTF-8 without NUL (a [Memory] mends them first),
// addresses likewise, Importance within 0 to 1, At within the years 1678 to 2261, Vector finite and not all zero.
// The error matches [ErrInvalid], [ErrTooLong] or [ErrVector]. Every [Store] calls it before it writes anything.
func (r *Record) Validate() error {
	if err := r.Space.Validate(); err != nil {
		return err
	}
	if r.ID == "" {
		return fmt.Errorf("memory: record in %q without an ID: %w", string(r.Space), ErrInvalid)
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
		return fmt.Errorf("memory: text of record %q is no UTF-8 or holds NUL: %w", r.ID, ErrInvalid)
	case !(r.Importance >= 0 && r.Importance <= 1):
		return fmt.Errorf("memory: importance %v of record %q: %w", r.Importance, r.ID, ErrInvalid)
	case !r.At.IsZero() && (y < 1678 || y > 2261):
		return fmt.Errorf("memory: year %d of record %q: %w", y, r.ID, ErrInvalid)
	case r.Vector != nil && !ValidVector(r.Vector):
		return fmt.Errorf("memory: vector of record %q: %w", r.ID, ErrVector)
	}
	return nil
}

// LabelOrDefault returns the record's label. One that has none is untrusted and came from its own space; of [Owner] and [Self], one
// that was made from messages may have come from anywhere, and so is for the owner alone.
func (r *Record) LabelOrDefault() Label { return labeled(r.Label, r.Space, r.Sources) }

// bear sets a label where the record would not have it anyway.
func (r *Record) bear(l Label) {
	if r.Label = (Label{}); r.LabelOrDefault() != l {
		r.Label = l
	}
}

// Clone returns a copy that shares no slice with r.
func (r Record) Clone() Record {
	r.Tags, r.Sources, r.Vector = slices.Clone(r.Tags), slices.Clone(r.Sources), slices.Clone(r.Vector)
	return r
}

// ValidVector reports whether v can be compared by its angle: not empty, finite, not all zero.
func ValidVector(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x) // float32 squared cannot overflow here: NaN and Inf stay
	}
	return sum > 0 && !math.IsInf(sum, 0) && !math.IsNaN(sum)
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// mend makes words fit for any database: people send broken bytes, and what they said must still be kept.
func mend(s string) string {
	if isText(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
