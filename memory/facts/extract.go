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
	if irony.in(text) || !han && englishIrony.in(lower(text)) {
		return nil, isTakenBack(text)
	}
	r := reader{speaker: m.Person, subject: m.Person, names: names}
	if han {
		r.chinese(text)
	} else {
		r.english(text)
	}
	for i := range r.claims {
		c := &r.claims[i]
		c.Speaker, c.At, c.Source = m.Person, m.At, m.ID
	}
	return r.claims, false
}

// A reader reads one message.
type reader struct {
	names   *Names
	speaker string
	claims  []Claim

	subject  string // of the last clause
	named    string // person named last; "": none
	name     string // the name used for that person
	aboutJob bool   // the message tells of a change of jobs
	decided  bool   // the message tells of a decision
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

// containsAny reports whether a text contains one of these words.
func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
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

// isTakenBack reports whether a text takes back what its author said before.
func isTakenBack(text string) bool {
	return len(text) < 60 && (containsAny(text, takingBack) || containsAny(lower(text), englishTakingBack))
}
