package patch

import (
	"slices"
	"strings"
)

// An area is where a hunk may begin (from, to) and how far it may reach (end).
type area struct{ from, to, end int }

// areas returns where a header says that a hunk belongs: the sections of that heading, or what follows that line. Without a header, or where
// the document has no such line, it is the whole document, and found is false. What may not be changed belongs to no area.
func (s *sheet) areas(header string) (out []area, found bool) {
	free := s.free()
	if header == "" {
		return free, false
	}
	heads := headings(s.lines)
	for _, same := range [...]func(h heading) bool{
		func(h heading) bool { return strings.TrimSpace(s.lines[h.at]) == header },
		func(h heading) bool { return h.text == header },
	} {
		for i, h := range heads {
			if same(h) && within(free, h.at) {
				out = append(out, area{from: h.at, to: s.until(heads[i+1:], h.level)})
			}
		}
		if len(out) > 0 {
			break
		}
	}
	if len(out) == 0 {
		for i, l := range s.lines {
			if strings.TrimSpace(l) == header && within(free, i) {
				next := slices.IndexFunc(heads, func(h heading) bool { return h.at > i })
				if next < 0 {
					next = len(heads)
				}
				out = append(out, area{from: i, to: s.until(heads[next:], bold)})
			}
		}
	}
	for i := range out {
		for _, f := range free {
			if f.from <= out[i].from && out[i].from < f.end {
				out[i].end = f.end
				out[i].to = min(out[i].to, f.end)
			}
		}
	}
	if len(out) == 0 {
		return free, false
	}
	return out, true
}

// free lists what may be changed, in one piece each.
func (s *sheet) free() (out []area) {
	if s.may == nil {
		return []area{{0, len(s.lines), len(s.lines)}}
	}
	for _, sec := range sections(s.lines) {
		switch n := len(out); {
		case !s.may(sec.path):
		case n > 0 && out[n-1].end == sec.from:
			out[n-1].to, out[n-1].end = sec.to, sec.to
		default:
			out = append(out, area{sec.from, sec.to, sec.to})
		}
	}
	return out
}

// until is the line where a section ends: at the next heading. A bold line ends only what began with one.
func (s *sheet) until(next []heading, level int) int {
	for _, h := range next {
		if h.level < bold || level == bold {
			return h.at
		}
	}
	return len(s.lines)
}

func within(free []area, at int) bool {
	return slices.ContainsFunc(free, func(f area) bool { return f.from <= at && at < f.end })
}

// nearest is the longest beginning of what was looked for, and where it is; length 0: nowhere.
type nearest struct{ at, length int }

// maxPlaces bounds how many fitting places are looked at. More are told as a conflict all the same.
const maxPlaces = 64

// find returns where these lines stand one after another, beginning inside one of the areas.
func (s *sheet) find(want []string, areas []area) (places []int, near nearest) {
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
				if k > near.length {
					near = nearest{start, k}
				}
				if k == len(want) && len(places) <= maxPlaces {
					places = append(places, start)
				}
			}
		}
	}
	slices.Sort(places) // areas of one line that is there several times overlap
	return slices.Compact(places), near
}

// failures is the table of Knuth, Morris and Pratt: how much of a beginning is still good after a mismatch.
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

// same reports whether it makes no difference at which of the places n lines are replaced.
func (s *sheet) same(places []int, n int, with []string) bool {
	if len(places) > maxPlaces {
		return false
	}
	for i := 1; i < len(places); i++ {
		a, b := places[i-1], places[i]
		here := append(slices.Clone(with), s.lines[a+n:b+n]...)
		there := append(slices.Clone(s.lines[a:b]), with...)
		if !slices.Equal(here, there) {
			return false
		}
	}
	return true
}

func conflictAt(places []int) *ConflictError {
	c := &ConflictError{}
	for _, p := range places {
		c.Matches = append(c.Matches, p+1)
	}
	return c
}

// missing tells which line is not there, and what is there instead.
func (s *sheet) missing(want []string, near nearest, areas []area) *ConflictError {
	c := &ConflictError{Want: want[near.length]}
	if at := near.at + near.length; near.length > 0 && reachable(areas, at) {
		c.Got, c.Line = s.lines[at], at+1
		return c
	}
	rest := slices.Concat(areas, s.free())
	for _, alike := range [...]func(l string) bool{
		func(l string) bool { return l == c.Want },
		func(l string) bool { return narrow(l) == narrow(c.Want) || l == "-"+c.Want },
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

func reachable(areas []area, at int) bool {
	return slices.ContainsFunc(areas, func(a area) bool { return a.from <= at && at < a.end })
}

// narrow brings lines together that a reader takes for the same: full-width ASCII becomes half-width, other punctuation of Chinese
// its plain counterpart, case and spaces go.
func narrow(s string) string {
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
