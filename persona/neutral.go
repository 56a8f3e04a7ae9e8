package persona

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// What people write is made harmless on its way into a prompt, at one place, [markup.data]:
//
//   - bytes that are no UTF-8, control characters and non-characters become U+FFFD; line breaks of any kind become \n;
//   - what cannot be seen goes: bidirectional controls, zero-width and other default-ignorable code points, among them
//     variation selectors, tags and the joiner of composed emoji;
//   - the brackets that open a chat template's marker or a tool call are widened, so that no tokenizer and no parser
//     takes them for one: [INST] becomes ［INST］, [[[NIT_CALL]]] becomes ［[[NIT_CALL]]], 【系统通知 becomes 〔系统通知.
//     Those that begin with < need nothing more than its escape.

const replacement = "\uFFFD"

// ignorable reports whether a rune shows nothing: Unicode's Default_Ignorable_Code_Point, the bidirectional controls
// (which are among them) and the annotation controls.
func ignorable(r rune) bool {
	switch {
	case r < 0x300:
		return r == 0xAD
	case r < 0x2000:
		return r == 0x34F || r == 0x61C || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r >= 0x180B && r <= 0x180F
	case r < 0x2070:
		return r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060
	case r < 0xFE00:
		return r == 0x3164
	case r < 0x10000:
		return r <= 0xFE0F || r == 0xFEFF || r == 0xFFA0 || r >= 0xFFF0 && r <= 0xFFFB
	}
	return r >= 0x1BCA0 && r <= 0x1BCA3 || r >= 0x1D173 && r <= 0x1D17A || r >= 0xE0000 && r <= 0xE0FFF
}

// unfit reports whether a rune has no place in a text: controls, apart from tab and line breaks, and non-characters.
func unfit(r rune) bool {
	return r < 0x20 || r >= 0x7F && r < 0xA0 || r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
}

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
		if got >= 0x80 && ignorable(got) {
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

// foldWidth maps full-width forms of ASCII, and the ideographic space, to ASCII, letters to lower case, and drops what
// cannot be seen.
func foldWidth(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0
		case r == 0x3000:
			r = ' '
		case r >= 0x80 && ignorable(r):
			return -1
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
