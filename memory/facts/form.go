package facts

import "strings"

// A form is a kind of statement. The zero form takes back what its author has said.
type form struct {
	relation Relation
	ends     bool // the value no longer holds
	other    bool // about a person who is named, and not about the author
}

// String returns the kind as the model has it: "job", "job ends other".
func (f form) String() string {
	s := string(f.relation)
	if s == "" {
		s = "taken back"
	}
	if f.ends {
		s += " ends"
	}
	if f.other {
		s += " other"
	}
	return s
}

func formOf(kind string) (f form) {
	if kind == f.String() {
		return f
	}
	kind, f.other = strings.CutSuffix(kind, " other")
	kind, f.ends = strings.CutSuffix(kind, " ends")
	f.relation = Relation(kind)
	return f
}

// hasValue reports whether the model finds a value of such a statement. A job ends without one, and a day of the year needs no model.
func (f form) hasValue() bool {
	return f.relation != "" && f.relation != Birthday && (!f.ends || f.relation.Multiple())
}

// sort returns the sort of the value. It is the same for every person.
func (f form) sort() string { f.other = false; return f.String() }

// subjectSort is the sort of a value that is the person whom a statement is about.
const subjectSort = "subject"

// Scores of the model. They were chosen with authors whom the model does not know, and with chats and articles that say nothing about their
// authors.
const (
	likely   = -1. // of a statement that is believed
	enough   = .5  // of a statement and its value together
	certain  = 1.5 // of a statement that ends something without naming it
	beside   = 2.5 // the distance of a second statement in a message from the first, at most
	possible = -4. // of a statement that ends what holds and what the message names
)

// least returns the score above which a statement is believed.
func (f form) least() float32 {
	if f.ends && !f.hasValue() {
		return certain
	}
	return likely
}
