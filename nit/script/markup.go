package script

import (
	"slices"
	"strings"
	"unicode"
)

// Markup that a model could mistake for a call, a result or a chat turn, without the leading "<" or "</".
var markup = []string{"nit>", "nit-", "nit ", "tool_call", "tool_response", "tools>", "function=", "function>", "parameter=", "parameter>", "think>", "|im_"}

// escapeMarkup replaces "<" with "&lt;" where it starts such markup. Other text stays unchanged. Use it for text from
// people and tools.
func escapeMarkup(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		if text = text[i+1:]; isMarkup(text) {
			b.WriteString("&lt;")
		} else {
			b.WriteByte('<')
		}
	}
}

// isMarkup reports whether rest, the text after a "<", starts with markup. It ignores case and leading invisible
// characters.
func isMarkup(rest string) bool {
	name := skipInvisible(rest)
	if after, closing := strings.CutPrefix(name, "/"); closing {
		name = skipInvisible(after)
	}
	return slices.ContainsFunc(markup, func(m string) bool { return len(name) >= len(m) && strings.EqualFold(name[:len(m)], m) })
}

func skipInvisible(s string) string {
	for i, r := range s {
		if i > 32 || !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.IsControl(r) {
			return s[i:]
		}
	}
	return ""
}
