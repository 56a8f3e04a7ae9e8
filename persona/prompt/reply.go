package prompt

import (
	"strings"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// Skip is the reply of a model that chooses silence. It must be the whole reply. Case and character width do not
// matter.
const Skip = "[skip]"

// IsSilence reports whether a reply means silence: only white space, or only [Skip].
func IsSilence(reply string) bool {
	reply = strings.TrimSpace(plain.Fold(reply))
	return reply == "" || reply == Skip
}

// replyText returns the text to send for a model's reply. It removes thinking and control characters. It returns "" for
// silence.
func replyText(reply string) string {
	reply = strings.TrimSpace(withoutThinking(reply))
	if IsSilence(reply) {
		return ""
	}
	return CleanText(reply)
}

// CleanText removes control characters and replaces invalid UTF-8, as in the Text of a [Reply]. It works on single
// characters. Therefore a text may be cleaned in pieces, if no piece ends within a character.
func CleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && plain.Control(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, plain.Replacement))
}

// withoutThinking removes a <think> block at the start. Models behind compatible endpoints leave it in the content,
// some without its opening tag. A block without an end is removed completely. JSON at the start is no thought, even if a
// text in it has the closing tag.
func withoutThinking(reply string) string {
	head := strings.TrimSpace(reply)
	rest, opened := strings.CutPrefix(head, "<think>")
	if before, after, closed := strings.Cut(rest, "</think>"); closed && (opened || !strings.Contains(before, "<think>") && !strings.HasPrefix(head, "{") && !strings.HasPrefix(head, "```")) {
		return after
	}
	if opened {
		return ""
	}
	return reply
}
