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
	return extract(m, names, nil)
}

// extract is Extract. heldBy returns the facts about the author that hold.
func extract(m Message, names *Names, heldBy func() []Fact) (claims []Claim, takenBack bool) {
	text := clip.Bytes(m.Text, maxRead)
	_, name := names.prefix(text)
	han := hasHan(text[len(name):]) // a Chinese name may begin an English text
	irony, back, plain := irony, takingBack, text
	if !han {
		text = plainEnglish(text)
		irony, back, plain = englishIrony, englishTakingBack, lower(text)
	}
	if len(text) < 100 && back.in(plain) {
		return nil, true
	}
	if irony.in(plain) {
		return nil, false
	}
	r := reader{speaker: m.Person, subject: m.Person, names: names, heldBy: heldBy}
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
