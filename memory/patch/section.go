package patch

import "strings"

// bold is the level of a line that is bold as a whole. It is used as a heading below all others.
const bold = 7

// A heading is a Markdown heading: one to six # and a space. "#tag" and lines in a code block are not headings.
type heading struct {
	at    int
	level int
	text  string
}

func headings(lines []string) []heading {
	var hs []heading
	fence := ""
	for i, l := range lines {
		s := strings.TrimSpace(l)
		if s == "" || !strings.Contains("#*`~", s[:1]) {
			continue
		}
		if mark := fenceOf(s); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && s == mark:
				fence = ""
			}
			continue
		}
		if fence == "" {
			if level, text := headingOf(s); level > 0 {
				hs = append(hs, heading{i, level, text})
			}
		}
	}
	return hs
}

// fenceOf returns the marks of a line that opens or closes a code block.
func fenceOf(s string) string {
	for _, mark := range [...]string{"`", "~"} {
		if n := len(s) - len(strings.TrimLeft(s, mark)); n >= 3 {
			return s[:n]
		}
	}
	return ""
}

func headingOf(s string) (level int, text string) {
	if rest := strings.TrimLeft(s, "#"); rest != s {
		if n := len(s) - len(rest); n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return n, strings.Join(strings.Fields(rest), " ")
		}
		return 0, ""
	}
	if len(s) > 4 && strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") && !strings.Contains(s[2:len(s)-2], "**") {
		return bold, strings.Join(strings.Fields(s[2:len(s)-2]), " ")
	}
	return 0, ""
}

// trimBlankLines returns the end of a section without its trailing blank lines.
func trimBlankLines(lines []string, from, to int) int {
	for to > from && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return to
}
