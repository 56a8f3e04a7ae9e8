package buffer

import (
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
)

// mergeSummary returns the new summary for an answer to a SummaryRequest.
func (w *Window[T]) mergeSummary(answer string) string {
	answer = strings.TrimSpace(answer)
	switch {
	case answer == "":
		return w.summary
	case w.o.ReplaceSummary || w.summary == "":
		return truncateSummary(answer, w.o.MaxSummaryRunes)
	default:
		return truncateSummary(w.summary+"\n"+answer, w.o.MaxSummaryRunes)
	}
}

// truncateSummary shortens s to at most limit runes of valid UTF-8; a negative limit keeps all. It removes whole lines, the
// oldest first. If the last line alone is too long, it keeps the beginning of that line.
func truncateSummary(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if limit < 0 {
		return s
	}
	start := len(s) // start of the last limit runes
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
	return strings.Clone(strings.TrimLeft(s[start:], "\n")) // releases the memory of the removed part
}
