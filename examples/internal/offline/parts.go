package offline

import (
	"regexp"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// isPoke reports whether a line is a poke of the bot.
func (l line) isPoke() bool { return l.id == "" && strings.HasPrefix(l.text, "[戳了戳 ") }

// transcript matches a voice message that was transcribed.
var transcript = regexp.MustCompile(`^\[语音：(.+)\]$`)

// words returns a text, and for a voice message what was spoken.
func (l line) words() string {
	if spoken := transcript.FindStringSubmatch(l.text); spoken != nil {
		return spoken[1]
	}
	return l.text
}

// forwarded matches the first message of a quoted forward. A quote has one line.
var forwarded = regexp.MustCompile(`\[聊天记录：\s*(\S+): (.+?)(?:\s\S+: |\]|$)`)

// firstForwarded says what the first message of a quoted forward is.
func firstForwarded(quote string) string {
	first := forwarded.FindStringSubmatch(quote)
	if first == nil {
		return "这个聊天记录我打不开。"
	}
	return "里面先是" + first[1] + "说「" + clip.Ellipsis(first[2], 24) + "」。"
}
