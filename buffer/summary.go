package buffer

import (
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

// summed is the summary after the answer to a fold.
func (w *Window[T]) summed(answer string) string {
	answer = strings.TrimSpace(answer)
	switch {
	case answer == "":
		return w.summary
	case w.o.ReplaceSummary || w.summary == "":
		return capped(answer, w.o.MaxSummaryRunes)
	default:
		return capped(w.summary+"\n"+answer, w.o.MaxSummaryRunes)
	}
}

// capped is s in at most limit runes (negative: all of it), as valid UTF-8. The oldest paragraphs,
// which are lines, go first; of a last one that is too long by itself, the beginning stays.
func capped(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if limit < 0 {
		return s
	}
	start := len(s) // of the last limit runes
	for n := 0; n < limit && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
	}
	if start == 0 {
		return s
	}
	if s[start-1] != '\n' {
		i := strings.IndexByte(s[start:], '\n')
		if i < 0 {
			return strings.Clone(clip.Runes(s[strings.LastIndexByte(s, '\n')+1:], limit))
		}
		start += i + 1
	}
	return strings.Clone(strings.TrimLeft(s[start:], "\n")) // not to pin what was cut off
}
