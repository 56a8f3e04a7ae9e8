package prompt

import (
	"strings"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// Skip is what a model answers when it keeps silent: as its whole reply, in any case and width. A reply that merely
// contains it is a reply.
const Skip = "[skip]"

// IsSilence reports whether a model's reply means silence: nothing but white space, or [Skip] and nothing else.
func IsSilence(reply string) bool {
	reply = strings.TrimSpace(plain.Fold(reply))
	return reply == "" || reply == Skip
}

// spoken gives what is to be said of a model's reply: without the thinking that some models write before it, and
// nothing that is no text. It is "" for silence.
func spoken(reply string) string {
	reply = strings.TrimSpace(withoutThinking(reply))
	if IsSilence(reply) {
		return ""
	}
	return CleanText(reply)
}

// CleanText is a text as a [Reply] has it: without what is no text. It looks at each character by itself, so that it may be
// given a text in pieces, as long as none of them ends within a character.
func CleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && plain.Control(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, plain.Replacement))
}

// withoutThinking cuts off a <think> block at the head. Models behind compatible endpoints leave it in the content,
// some without its opening tag; one that was never closed is all thought.
func withoutThinking(reply string) string {
	head := strings.TrimSpace(reply)
	rest, opened := strings.CutPrefix(head, "<think>")
	if before, after, closed := strings.Cut(rest, "</think>"); closed && (opened || !strings.Contains(before, "<think>")) {
		return after
	}
	if opened {
		return ""
	}
	return reply
}
