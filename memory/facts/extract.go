package facts

import (
	"strings"
	"time"
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

// Extract returns what a message says about people. names may be nil; then claims are about the author only. takesBack
// reports that the author takes back the last message.
func Extract(m Message, names *Names) (claims []Claim, takesBack bool) {
	_, claims, takesBack = read(m, names)
	return claims, takesBack
}

// read reads a message part by part.
func read(m Message, names *Names) (parts []*reading, claims []Claim, takesBack bool) {
	for rest := clip.Bytes(m.Text, maxRead); rest != ""; {
		m.Text, rest = cutPart(rest)
		r := newReading(m, names)
		more, back := r.claims(theModel())
		if back {
			return nil, nil, true
		}
		parts, claims = append(parts, r), append(claims, more...)
	}
	return parts, claims, false
}

// Limits of what is read, in bytes.
const (
	maxRead       = 500 // of a message
	maxPart       = 150 // that are read at once, if the text has sentences: 50 Chinese characters
	maxValueBytes = 120
)

// cutPart cuts some sentences from the start of a text. The model is made for short messages, and takes a long one for too many things.
func cutPart(text string) (part, rest string) {
	if len(text) <= maxPart {
		return text, ""
	}
	end := strings.LastIndexAny(text[:maxPart], sentenceEnds)
	if end <= 0 {
		if end = strings.IndexAny(text, sentenceEnds); end <= 0 {
			return text, ""
		}
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	return text[:end+size], text[end+size:]
}

const sentenceEnds = "。！？；.!?;\n"
