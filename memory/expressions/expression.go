package expressions

import (
	"math"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A Kind is the kind of an [Expression].
type Kind string

// The kinds.
const (
	Word   Kind = "word"   // a word or phrase with a meaning in this group
	Saying Kind = "saying" // a reply or an ending of sentences, said in a situation
)

// A Class is what a model takes an [Expression] for.
type Class string

// The classes. An expression without a class was not looked at by a model.
const (
	Jargon     Class = "jargon"
	FixedWords Class = "saying"
	Topic      Class = "topic" // an ordinary word of a lasting topic
	Name       Class = "name"  // of a person or a thing
	Other      Class = "other"
)

// A Message is the input of [Learn].
type Message struct {
	ID     string
	Person string // account of the author; "": the text is only what others answer to
	Name   string // name of the author
	Text   string // what the author typed
	At     time.Time
}

// An Example is a use of an expression.
type Example struct {
	ID     string // of the message
	Person string
	Text   string
}

// An Expression is a form that a group uses.
type Expression struct {
	ID         string // of its record; "" if it is not stored
	Kind       Kind
	Form       string
	Situation  Situation     // of a Saying; "" if it has none in particular
	Meaning    string        // by a model or the owner; "" is unknown
	Count      int           // messages with it
	People     int           // authors of these
	Confidence float64       // 0 to 1
	Last       time.Time     // last use
	Gap        time.Duration // mean time between two uses
	Examples   []Example     // latest first, of several people
	Class      Class         // by a model; "" is unknown
	MeaningOf  []string      // IDs of the messages that the model read for Meaning and Class; nil means Examples
	Label      memory.Label
	Forbidden  bool // the owner does not want it to be offered
	Allowed    bool // the owner wants it to be offered, whatever its Class
	Edited     bool // Meaning is the owner's
}

// Offered reports whether [Fit] may return it: the owner did not forbid it, and no model takes it for a topic or a name, unless the
// owner allows it.
func (e *Expression) Offered() bool {
	return !e.Forbidden && (e.Allowed || e.Class != Topic && e.Class != Name)
}

const (
	halfLife = 14 * 24 * time.Hour // of the weight of an unused expression
	patience = 2                   // gaps without a use after which the weight decays faster
)

// Weight is the confidence at a time. It halves every two weeks after the last use, and sooner if the expression was used often before.
func (e *Expression) Weight(now time.Time) float64 {
	age := float64(max(0, now.Sub(e.Last)))
	halves := age / float64(halfLife)
	if late := age/float64(max(e.Gap, time.Hour)) - patience; late > 0 {
		halves += late / patience
	}
	return e.Confidence * math.Exp2(-halves)
}
