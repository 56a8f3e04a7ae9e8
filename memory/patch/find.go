package patch

import (
	"slices"
	"strings"
)

// An area is a range of lines. A match must begin in [from, to) and end at or before end.
type area struct{ from, to, end int }

// searchAreas returns the areas of a hunk with this header: the sections of that heading, or the lines after that line.
// Without a header, or if no line matches, it returns the whole document and found is false.
func (s *document) searchAreas(header string) (out []area, found bool) {
	if header == "" {
		return s.all(), false
	}
	heads := headings(s.lines)
	for _, same := range [...]func(h heading) bool{
		func(h heading) bool { return strings.TrimSpace(s.lines[h.at]) == header },
		func(h heading) bool { return h.text == header },
	} {
		for i, h := range heads {
			if same(h) {
				out = append(out, area{h.at, s.sectionEnd(heads[i+1:], h.level), len(s.lines)})
			}
		}
		if len(out) > 0 {
			break
		}
	}
	if len(out) == 0 {
		for i, l := range s.lines {
			if strings.TrimSpace(l) == header {
				next := slices.IndexFunc(heads, func(h heading) bool { return h.at > i })
				if next < 0 {
					next = len(heads)
				}
				out = append(out, area{i, s.sectionEnd(heads[next:], bold), len(s.lines)})
			}
		}
	}
	if len(out) == 0 {
		return s.all(), false
	}
	return out, true
}

// all returns the whole document as one area.
func (s *document) all() []area { return []area{{0, len(s.lines), len(s.lines)}} }

// sectionEnd returns the line at which a section ends: the next heading. A bold line ends only the section of a bold
// line.
func (s *document) sectionEnd(next []heading, level int) int {
	for _, h := range next {
		if h.level < bold || level == bold {
			return h.at
		}
	}
	return len(s.lines)
}

// A partialMatch is the longest matched prefix of the searched lines and its position. length 0 means none.
type partialMatch struct{ at, length int }

// maxMatches limits the examined matches. More matches are a conflict anyway.
const maxMatches = 64

// findLines returns the positions of these consecutive lines that begin in one of the areas.
func (s *document) findLines(want []string, areas []area) (matches []int, partial partialMatch) {
	back := failures(want)
	for _, a := range areas {
		k := 0
		for i := a.from; i < a.end && i-k < a.to; i++ {
			for k > 0 && (k == len(want) || s.lines[i] != want[k]) {
				k = back[k-1]
			}
			if s.lines[i] == want[k] {
				k++
			}
			if start := i - k + 1; start < a.to {
				if k > partial.length {
					partial = partialMatch{start, k}
				}
				if k == len(want) && len(matches) <= maxMatches {
					matches = append(matches, start)
				}
			}
		}
	}
	slices.Sort(matches) // areas overlap if a header line occurs several times
	return slices.Compact(matches), partial
}

// failures returns the failure table of the Knuth-Morris-Pratt algorithm.
func failures(want []string) []int {
	back := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = back[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		back[i] = k
	}
	return back
}

// sameResult reports whether replacing n lines at any of these positions gives the same document.
func (s *document) sameResult(matches []int, n int, with []string) bool {
	if len(matches) > maxMatches {
		return false
	}
	for i := 1; i < len(matches); i++ {
		a, b := matches[i-1], matches[i]
		here := append(slices.Clone(with), s.lines[a+n:b+n]...)
		there := append(slices.Clone(s.lines[a:b]), with...)
		if !slices.Equal(here, there) {
			return false
		}
	}
	return true
}

func conflictAt(matches []int) *ConflictError {
	c := &ConflictError{}
	for _, p := range matches {
		c.Matches = append(c.Matches, p+1)
	}
	return c
}

// missingLine returns a conflict with the missing line and the line in its place.
func (s *document) missingLine(want []string, partial partialMatch, areas []area) *ConflictError {
	c := &ConflictError{Want: want[partial.length]}
	if at := partial.at + partial.length; partial.length > 0 && at < len(s.lines) {
		c.Got, c.Line = s.lines[at], at+1
		return c
	}
	rest := slices.Concat(areas, s.all())
	for _, alike := range [...]func(l string) bool{
		func(l string) bool { return l == c.Want },
		func(l string) bool { return foldWidth(l) == foldWidth(c.Want) || l == "-"+c.Want },
	} {
		for _, a := range rest {
			for i := a.from; i < a.to; i++ {
				if alike(s.lines[i]) {
					c.Got, c.Line = s.lines[i], i+1
					return c
				}
			}
		}
	}
	return c
}

// foldWidth removes differences that are hard to see. Full-width ASCII becomes half-width, Chinese punctuation becomes
// ASCII, and case and spaces are dropped.
func foldWidth(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '\t' || r == '\u3000':
			return -1
		case '！' <= r && r <= '～':
			return r - 0xFEE0
		case r == '。':
			return '.'
		case r == '、':
			return ','
		case r == '“' || r == '”':
			return '"'
		case r == '‘' || r == '’':
			return '\''
		}
		return r
	}, s))
}
