package facts

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

// A Message is the input of [Extract].
type Message struct {
	ID     string
	Person string // account of the author
	Text   string
	At     time.Time
}

// maxRead is the number of bytes of a message that are read.
const maxRead = 500

// Extract returns what a message says about people. names may be nil; then claims are about the author only. takenBack
// reports that the author takes back the last message.
func Extract(m Message, names *Names) (claims []Claim, takenBack bool) {
	text := clip.Bytes(m.Text, maxRead)
	_, name := names.prefix(text)
	han := hasHan(text[len(name):]) // a Chinese name may begin an English text
	irony, back, plain := irony, takingBack, text
	if !han {
		irony, back, plain = englishIrony, englishTakingBack, lower(plainEnglish(text))
	}
	if len(text) < 100 && back.in(plain) {
		return nil, true
	}
	if irony.in(plain) {
		return nil, false
	}
	r := reader{speaker: m.Person, subject: m.Person, names: names}
	if han {
		r.chinese(text)
		claims = r.claims
	} else {
		english := englishReader{reader: r}
		english.english(text)
		claims = english.claims
	}
	for i := range claims {
		c := &claims[i]
		c.Speaker, c.At, c.Source = m.Person, m.At, m.ID
	}
	return claims, false
}

// A reader reads one message.
type reader struct {
	mentionsOf string // the clause of mentioned
	mentioned  []mention
	names      *Names
	speaker    string
	claims     []Claim

	subject string // of the last clause
	named   string // person named last; "": none
	name    string // the name used for that person

	aboutJob           bool    // the message tells of a change of jobs
	decided            bool    // the message tells of a decision
	renamed            bool    // the message tells of a name
	moving             bool    // a clause tells of moving
	city               string  // the place named in a clause before
	object             string  // what a clause before is about
	found              bool    // the clause has an object
	animal             string  // the animal in a clause before
	planned            string  // what somebody intended to do
	recent, recentWith mention // people named in a clause before
	bare               string  // the name that was a clause before
	newPet             bool    // a clause tells of an animal without naming it
	waits              string  // person of whom a clause says that it has found a lover
	announced          bool    // the message announces a couple
}

// add adds a claim, unless its value is unusable.
func (r *reader) add(subject string, relation Relation, value string, ends bool) bool {
	if subject == "" || value == "" && !ends {
		return false
	}
	c := Claim{Subject: subject, Relation: relation, Value: value, Ends: ends}
	if value != "" && (relation == Partner || relation == Roommate) {
		if c.Person = r.names.Meant(value); c.Person == "" {
			if id, name := r.names.prefix(value); name == value {
				c.Person = id
			}
		}
	}
	r.claims = append(r.claims, c)
	return true
}

func hasHan(text string) bool {
	for _, c := range text {
		if c >= 0x2E80 && unicode.Is(unicode.Han, c) {
			return true
		}
	}
	return false
}

// cutAny removes the first of these words that begins the text.
func cutAny(text string, words []string) (rest string, ok bool) {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(text, w); ok {
			return rest, true
		}
	}
	return text, false
}

// cutEndAny removes the first of these words that ends the text.
func cutEndAny(text string, words []string) (rest string, ok bool) {
	for _, w := range words {
		if rest, ok := strings.CutSuffix(text, w); ok {
			return rest, true
		}
	}
	return text, false
}

func runes(s string) int { return utf8.RuneCountInString(s) }
