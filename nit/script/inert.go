package script

import (
	"slices"
	"strings"
	"unicode"
)

// Markup that a model could take for a call, a result or a turn of the conversation, as it stands behind "<" and "/".
var markup = []string{"nit>", "nit-", "nit ", "tool_call", "tool_response", "tools>", "function=", "function>", "parameter=", "parameter>", "think>", "|im_"}

// inert makes a text that people or tools wrote hold no markup that calls something: its "<" becomes "&lt;". Other text stays as it is.
func inert(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		if text = text[i+1:]; active(text) {
			b.WriteString("&lt;")
		} else {
			b.WriteByte('<')
		}
	}
}

// active tells whether rest, behind a "<", begins as some markup, in any case, with anything unseen before it.
func active(rest string) bool {
	name := skip(rest)
	if after, closing := strings.CutPrefix(name, "/"); closing {
		name = skip(after)
	}
	return slices.ContainsFunc(markup, func(m string) bool { return len(name) >= len(m) && strings.EqualFold(name[:len(m)], m) })
}

func skip(s string) string {
	for i, r := range s {
		if i > 32 || !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.IsControl(r) {
			return s[i:]
		}
	}
	return ""
}
