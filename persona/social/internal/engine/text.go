package engine

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/speech"
)

// Limits of one message and of one name in a prompt. QQ ends a message at about 4500 characters, but a forwarded log
// or a hostile client may send more. The journal keeps up to memory.MaxText bytes.
const (
	promptRunes = 4000
	NameBytes   = 256
)

// ClipPrompt cuts a text to the length for prompts.
func ClipPrompt(s string) string {
	if len(s) <= promptRunes {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > promptRunes {
			return s[:i] + "……（后面还有 " + strconv.Itoa(utf8.RuneCountInString(s[i:])) + " 字）"
		}
	}
	return s
}

// ClipRecord cuts a text to the length for records.
func ClipRecord(s string) string { return clip.Bytes(s, memory.MaxText) }

// QuoteLine returns a text on one line, without invisible characters and without 「」, so that a notice can quote it in 「」.
func QuoteLine(text string) string {
	return strings.NewReplacer("「", "『", "」", "』").Replace(strings.Join(strings.Fields(StripInvisible(text)), " "))
}

// StripInvisible removes invisible characters and those that reverse the direction of text, because notices quote strangers.
func StripInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\u200d': // the joiner of emoji
			return r
		case r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
}

// PlainText returns a text of the model as a chat shows it: without Markdown and without the bot's name before it.
func (e *Engine) PlainText(text string) string {
	return speech.Plain(speech.CutNames(text, append([]string{e.Options.Profile.Name}, e.Options.Profile.Aliases...)...))
}

// JoinTexts returns the texts of messages, one a line.
func JoinTexts(items []persona.Message) string {
	var s strings.Builder
	for _, m := range items {
		s.WriteString(m.Text)
		s.WriteByte('\n')
	}
	return s.String()
}
