package patch

import (
	"slices"
	"strings"
)

// bold is the level of a line that is bold as a whole. It is used as a heading below all others.
const bold = 7

// A heading is a Markdown heading: one to six # and a space. "#tag" and lines in a code block are not headings.
type heading struct {
	at    int
	level int
	text  string
}

// line returns the heading in normalized form, without additional spaces.
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

// A section is the lines from one heading to the next. The lines before the first heading are a section without a path.
type section struct {
	from, to int
	path     []string
}

func sections(lines []string) []section {
	var out []section
	open := section{}
	var ancestors []heading
	for _, h := range headings(lines) {
		open.to = h.at
		out = append(out, open)
		for len(ancestors) > 0 && ancestors[len(ancestors)-1].level >= h.level {
			ancestors = ancestors[:len(ancestors)-1]
		}
		ancestors = append(ancestors, h)
		path := make([]string, len(ancestors))
		for i, a := range ancestors {
			path[i] = a.line()
		}
		open = section{from: h.at, path: path}
	}
	open.to = len(lines)
	return append(out, open)
}

// ChangedSections lists the sections that differ between two documents. A section is identified by its headings,
// outermost first. The lines before the first heading are the section nil. A section in only one of the documents
// counts. Blank lines at its end do not.
func ChangedSections(before, after string) [][]string {
	a, _ := split(before)
	b, _ := split(after)
	return changedSections(a, b)
}

func changedSections(a, b []string) [][]string {
	old, was := sectionLines(a)
	now, is := sectionLines(b)
	var out [][]string
	for _, list := range [...][]section{old, now} {
		for _, s := range list {
			k := strings.Join(s.path, "\n")
			if !slices.Equal(was[k], is[k]) {
				out = append(out, s.path)
				is[k] = was[k] // list it only once
			}
		}
	}
	return out
}

// sectionLines returns the lines of each path. A path that occurs twice has the lines of both, in order.
func sectionLines(lines []string) ([]section, map[string][]string) {
	all := sections(lines)
	m := make(map[string][]string, len(all))
	for _, s := range all {
		if len(s.path) == 0 && blankLines(lines[s.from:s.to]) {
			continue
		}
		k := strings.Join(s.path, "\n")
		m[k] = append(m[k], lines[s.from:trimBlankLines(lines, s.from, s.to)]...)
	}
	return all, m
}

// trimBlankLines returns the end of a section without its trailing blank lines.
func trimBlankLines(lines []string, from, to int) int {
	for to > from && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return to
}

func blankLines(lines []string) bool { return trimBlankLines(lines, 0, len(lines)) == 0 }
