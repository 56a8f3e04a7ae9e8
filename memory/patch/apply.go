package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Options says what a patch may do. The zero value permits everything.
type Options struct {
	// Allow is asked for each section of [ChangedSections], with its headings written in one way ("## Likes", "**Food**"); nil allows all.
	// What it refuses is never quoted in an error either, nor told apart from what is not there.
	// Say what is allowed rather than what is not: a model may write a heading that only looks like another.
	Allow func(section []string) bool
}

// Apply changes a document by a patch, all of it or nothing. Line ends become "\n"; whether the last line has one stays as it is.
// The error matches [ErrSyntax], [ErrConflict], [ErrForbidden] or [ErrTooLong], and then there is no document.
func Apply(doc, patch string, o Options) (string, error) {
	if len(doc) > MaxDocument {
		return "", tooLong("document", len(doc), MaxDocument)
	}
	hunks, err := parse(patch)
	if err != nil {
		return "", err
	}
	old, ended := split(doc)
	lines := old // which stays: every hunk gives new lines, or more after these
	size := len(doc)
	for i := range hunks {
		h := &hunks[i]
		s := sheet{lines: lines, may: o.Allow}
		next, err := s.apply(h)
		if err != nil {
			if c, ok := err.(*ConflictError); ok {
				c.Hunk, c.Header = i+1, h.header
			}
			return "", err
		}
		lines = next
		if size += h.grows(); size > MaxDocument { // an upper bound is enough to stay small
			if size = length(lines); size > MaxDocument {
				return "", tooLong("document", size, MaxDocument)
			}
		}
	}
	if o.Allow != nil {
		for _, path := range touched(old, lines) {
			if !o.Allow(path) {
				return "", fmt.Errorf("patch: section %q: %w", strings.Join(path, " / "), ErrForbidden)
			}
		}
	}
	return join(lines, ended), nil
}

// grows is by how many bytes a document can become longer.
func (h *hunk) grows() int {
	n := len(h.header) + 2
	for _, l := range h.lines {
		if l.op == add {
			n += len(l.text) + 1
		}
	}
	return n
}

func length(lines []string) (n int) {
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

// A sheet is the working copy as one hunk finds it.
type sheet struct {
	lines []string
	may   func(path []string) bool // nil: all
}

// apply returns the lines with the hunk applied, in the order that doc.go states.
func (s *sheet) apply(h *hunk) ([]string, error) {
	areas, found := s.areas(h.header)
	want := h.want()
	if len(want) == 0 {
		return s.extend(h, areas, found)
	}
	places, near := s.find(want, areas)
	switch {
	case len(places) > 0:
		if !s.same(places, len(want), h.give()) {
			return nil, conflictAt(places)
		}
		return replace(s.lines, places[0], len(want), h.give()), nil
	case h.removes():
		return nil, s.missing(want, near, areas)
	}
	return s.around(h, want, near, areas)
}

// extend adds lines at the end of a section, or at the end of the document.
func (s *sheet) extend(h *hunk, areas []area, found bool) ([]string, error) {
	give := h.give()
	if found {
		if len(areas) > 1 {
			var places []int
			for _, a := range areas {
				places = append(places, a.from)
			}
			return nil, conflictAt(places)
		}
		return replace(s.lines, lastOf(s.lines, areas[0].from, areas[0].to), 0, give), nil
	}
	if h.header != "" {
		if strings.TrimSpace(give[0]) != h.header {
			give = append([]string{h.header}, give...)
		}
		if n := len(s.lines); n > 0 && strings.TrimSpace(s.lines[n-1]) != "" {
			give = append([]string{""}, give...)
		}
	}
	return append(s.lines, give...), nil
}

// maxRuns bounds how often one hunk looks through the document.
const maxRuns = 64

// around places additions by the context that stands next to them, where other lines lie in between: every run of context lines
// must be there, once, in order. A hunk that removes never comes here.
func (s *sheet) around(h *hunk, want []string, near nearest, areas []area) ([]string, error) {
	type run struct {
		op   op
		text []string
		at   int
	}
	var runs []run
	for _, l := range h.lines {
		if n := len(runs); n == 0 || runs[n-1].op != l.op {
			runs = append(runs, run{op: l.op})
		}
		last := &runs[len(runs)-1]
		last.text = append(last.text, l.text)
	}
	if len(runs) > maxRuns {
		return nil, s.missing(want, near, areas)
	}
	after := -1
	for i := range runs {
		r := &runs[i]
		if r.op == add {
			continue
		}
		places, n := s.find(r.text, areas)
		switch {
		case len(places) == 0:
			return nil, s.missing(r.text, n, areas)
		case len(places) > 1:
			return nil, conflictAt(places)
		case places[0] < after:
			return nil, s.missing(want, near, areas)
		}
		r.at, after = places[0], places[0]+len(r.text)
	}
	lines := s.lines
	for i, r := range slices.Backward(runs) { // from the end, so that places stay right
		switch {
		case r.op == context:
		case i > 0:
			lines = replace(lines, runs[i-1].at+len(runs[i-1].text), 0, r.text)
		default:
			lines = replace(lines, runs[1].at, 0, r.text)
		}
	}
	return lines, nil
}

// replace returns new lines; the given ones stay as they are.
func replace(lines []string, at, n int, with []string) []string {
	return slices.Concat(lines[:at], with, lines[at+n:])
}

// split takes a document apart. Ended tells whether its last line ends with a line end, as lines of text do; an empty document counts as such.
func split(doc string) (all []string, ended bool) {
	if doc == "" {
		return nil, true
	}
	doc, ended = strings.CutSuffix(doc, "\n")
	return lines(doc), ended
}

func join(lines []string, ended bool) string {
	if len(lines) == 0 {
		return ""
	}
	doc := strings.Join(lines, "\n")
	if ended || lines[len(lines)-1] == "" { // an empty last line is one only if it ends
		doc += "\n"
	}
	return doc
}
