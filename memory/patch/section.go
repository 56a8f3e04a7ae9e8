package patch

import (
	"slices"
	"strings"
)

// bold is the level of a line that is bold as a whole, which people use as a heading below all others.
const bold = 7

// A heading is one as Markdown has it: one to six # and a space; "#tag" and what is inside a code fence are none.
type heading struct {
	at    int
	level int
	text  string
}

// line is the heading written in one way, so that one more space does not make it another.
func (h heading) line() string {
	if h.level == bold {
		return "**" + h.text + "**"
	}
	return strings.TrimSpace(strings.Repeat("#", h.level) + " " + h.text)
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

// fenceOf returns the marks with which a line opens or closes a block of code.
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

// A section is the lines of one heading, up to the next. Lines before the first heading are a section without a path.
type section struct {
	from, to int
	path     []string
}

func sections(lines []string) []section {
	var out []section
	open := section{}
	var above []heading
	for _, h := range headings(lines) {
		open.to = h.at
		out = append(out, open)
		for len(above) > 0 && above[len(above)-1].level >= h.level {
			above = above[:len(above)-1]
		}
		above = append(above, h)
		path := make([]string, len(above))
		for i, a := range above {
			path[i] = a.line()
		}
		open = section{from: h.at, path: path}
	}
	open.to = len(lines)
	return append(out, open)
}

// ChangedSections lists the sections in which two documents differ, each by its headings from the outermost to its own; the lines before the
// first heading are the section nil. What is there in only one of the two counts; blank lines at the end of a section do not.
func ChangedSections(before, after string) [][]string {
	a, _ := split(before)
	b, _ := split(after)
	return touched(a, b)
}

func touched(a, b []string) [][]string {
	old, was := bodies(a)
	now, is := bodies(b)
	var out [][]string
	for _, list := range [...][]section{old, now} {
		for _, s := range list {
			k := strings.Join(s.path, "\n")
			if !slices.Equal(was[k], is[k]) {
				out = append(out, s.path)
				is[k] = was[k] // once is enough
			}
		}
	}
	return out
}

// bodies gathers what lies under each path; one that is there twice has its lines in order.
func bodies(lines []string) ([]section, map[string][]string) {
	all := sections(lines)
	m := make(map[string][]string, len(all))
	for _, s := range all {
		if len(s.path) == 0 && blankLines(lines[s.from:s.to]) {
			continue
		}
		k := strings.Join(s.path, "\n")
		m[k] = append(m[k], lines[s.from:lastOf(lines, s.from, s.to)]...)
	}
	return all, m
}

// lastOf is the end of a section without its blank lines.
func lastOf(lines []string, from, to int) int {
	for to > from && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return to
}

func blankLines(lines []string) bool { return lastOf(lines, 0, len(lines)) == 0 }
