package prompt

import (
	"slices"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// What people write is made harmless on its way into a prompt, at one place, [markup.data]:
//
//   - bytes that are no UTF-8, control characters and non-characters become U+FFFD; line breaks of any kind become \n;
//   - what cannot be seen goes: bidirectional controls, zero-width and other default-plain.Invisible code points, among them
//     variation selectors, tags and the joiner of composed emoji;
//   - the brackets that open a chat template's marker or a tool call are widened, so that no tokenizer and no parser
//     takes them for one: [INST] becomes ［INST］, [[[NIT_CALL]]] becomes ［[[NIT_CALL]]], 【系统通知 becomes 〔系统通知.
//     Those that begin with < need nothing more than its escape.

// lineBreak reports whether a rune other than \n and \r breaks a line.
func lineBreak(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }

// What follows a bracket that opens something a model or a parser might take for more than text, in lower case.
var (
	squareMarkers = []string{
		"[[", "inst]", "/inst]", "tool_calls]", "available_tools]", "/available_tools]", "tool_results]", "/tool_results]",
		"system_prompt]", "/system_prompt]", "gmask]", "smask]", "e~[", "系统", "system]",
	}
	lenticularMarkers = []string{"系统", "system"}
)

// widened gives what to write in place of the bracket r, when what follows it makes a marker.
func widened(r rune, rest string) (string, bool) {
	switch r {
	case '[':
		return "［", follows(rest, squareMarkers)
	case '【':
		return "〔", follows(rest, lenticularMarkers)
	case ']':
		return "］", follows(rest, []string{"~"})
	}
	return "", false
}

func follows(rest string, markers []string) bool {
	return slices.ContainsFunc(markers, func(m string) bool { return hasPrefixFolded(rest, m) })
}

// hasPrefixFolded reports whether s begins with prefix, which is in lower case, when letters are folded and what
// cannot be seen is skipped.
func hasPrefixFolded(s, prefix string) bool {
	for len(prefix) > 0 {
		want, n := utf8.DecodeRuneInString(prefix)
		got, size := utf8.DecodeRuneInString(s)
		if size == 0 {
			return false
		}
		s = s[size:]
		if got >= 0x80 && plain.Invisible(got) {
			continue
		}
		if 'A' <= got && got <= 'Z' {
			got += 'a' - 'A'
		}
		if got != want {
			return false
		}
		prefix = prefix[n:]
	}
	return true
}
