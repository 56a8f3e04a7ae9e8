package expressions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

const (
	maxRead  = 300 // bytes of a message
	maxUnits = 6   // of a form
)

// A unit is a Han character or a Latin word of a text.
type unit struct {
	from, to int // in the folded text
	han      bool
	last     bool // ends a sentence
	first    bool // begins a sentence
	hash     uint64
}

// foldText returns the text as it is compared: the beginning, in lower case, without faces and links.
func foldText(text string) string {
	text = strings.ToLower(clip.Bytes(text, maxRead))
	if !strings.ContainsAny(text, "[:") {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		if text[0] == '[' {
			if end := strings.IndexByte(text, ']'); end > 0 && end <= 24 {
				b.WriteByte('\n')
				text = text[end+1:]
				continue
			}
		}
		if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
			end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x2E80 })
			if end < 0 {
				break
			}
			b.WriteByte('\n')
			text = text[end:]
			continue
		}
		_, n := utf8.DecodeRuneInString(text)
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String()
}

// split appends the units of a folded text. Punctuation, and a blank beside a Han character, end a sentence.
func split(units []unit, text string) []unit {
	begin := true
	end := func() {
		if len(units) > 0 {
			units[len(units)-1].last = true
		}
		begin = true
	}
	add := func(from, to int, han bool) {
		units = append(units, unit{from: from, to: to, han: han, first: begin, hash: hashOf(text[from:to])})
		begin = false
	}
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case c >= 0x2E80 && unicode.IsLetter(c):
			add(i, i+n, true)
			i += n
		case isWordRune(c):
			j := i
			for j < len(text) {
				c, n := utf8.DecodeRuneInString(text[j:])
				if !isWordRune(c) && c != '\'' {
					break
				}
				j += n
			}
			add(i, j, false)
			i = j
		case c == ' ' && !begin && !units[len(units)-1].han && !hanFollows(text[i:]):
			i += n
		default:
			end()
			i += n
		}
	}
	end()
	return units
}

func isWordRune(c rune) bool {
	return c < 0x2E80 && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

func hanFollows(text string) bool {
	c, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return c >= 0x2E80
}

// join adds a unit to the hash of a form.
func join(form, next uint64) uint64 { return (form ^ next) * 0x9E3779B97F4A7C15 }

// hashOf is FNV-1a, so that the same messages give the same expressions in each run.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
