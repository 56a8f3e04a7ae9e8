package prompt

import (
	"slices"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona/internal/plain"
)

// Untrusted text is neutralized in one place, [markup.untrusted], on its way into a prompt:
//
//   - Invalid UTF-8, control characters and non-characters become U+FFFD. All line breaks become \n.
//   - Invisible characters are removed. These are bidirectional controls, zero-width and other default-ignorable code points. Variation
//     selectors, tags and the joiners of composed emoji are among them.
//   - Brackets that start a chat template marker or a tool call are replaced by wide brackets, so that no tokenizer or parser
//     recognizes the marker. [INST] becomes ［INST］, [[[NIT_CALL]]] becomes ［[[NIT_CALL]]], 【系统通知 becomes 〔系统通知. Markers that start
//     with < are already escaped.

// lineBreak reports whether r is a line break other than \n and \r.
func lineBreak(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }

// Texts after a bracket that form a marker, in lower case.
var (
	squareMarkers = []string{
		"[[", "inst]", "/inst]", "tool_calls]", "available_tools]", "/available_tools]", "tool_results]", "/tool_results]",
		"system_prompt]", "/system_prompt]", "gmask]", "smask]", "e~[", "系统", "system]",
	}
	lenticularMarkers = []string{"系统", "system"}
)

// widen returns the replacement of bracket r if rest makes it a marker.
func widen(r rune, rest string) (string, bool) {
	switch r {
	case '[':
		return "［", hasMarker(rest, squareMarkers)
	case '【':
		return "〔", hasMarker(rest, lenticularMarkers)
	case ']':
		return "］", hasMarker(rest, []string{"~"})
	}
	return "", false
}

func hasMarker(rest string, markers []string) bool {
	return slices.ContainsFunc(markers, func(m string) bool { return hasPrefixFolded(rest, m) })
}

// hasPrefixFolded reports whether s begins with prefix. It ignores the case of ASCII letters and skips invisible
// characters. prefix is in lower case.
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
