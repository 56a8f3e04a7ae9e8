package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Options restricts a patch. The zero value permits everything.
type Options struct {
	// Allow is called for each section in [ChangedSections], with its headings in normalized form ("## Likes",
	// "**Food**"). Nil allows all. Errors never quote a forbidden section, and do not reveal whether it exists. Allow
	// sections by name and do not forbid by name, because a model may write a heading that only looks like another.
	Allow func(section []string) bool
}

// Apply applies a patch to a document, completely or not at all. Line ends become "\n". A missing newline at the end
// stays missing. The error matches [ErrSyntax], [ErrConflict], [ErrForbidden] or [ErrTooLong], and the result is then
// empty.
func Apply(doc, patch string, o Options) (string, error) {
	if len(doc) > MaxDocument {
		return "", tooLong("document", len(doc), MaxDocument)
	}
	hunks, err := parse(patch)
	if err != nil {
		return "", err
	}
	old, ended := split(doc)
	lines := old // old is not modified; each hunk makes a new slice or appends
	size := len(doc)
	for i := range hunks {
		h := &hunks[i]
		s := document{lines: lines, allow: o.Allow}
		next, err := s.applyHunk(h)
		if err != nil {
			if c, ok := err.(*ConflictError); ok {
				c.Hunk, c.Header = i+1, h.header
			}
			return "", err
		}
		lines = next
		if size += h.maxGrowth(); size > MaxDocument { // the upper bound avoids most calls of totalLength
			if size = totalLength(lines); size > MaxDocument {
				return "", tooLong("document", size, MaxDocument)
			}
		}
	}
	if o.Allow != nil {
		for _, path := range changedSections(old, lines) {
			if !o.Allow(path) {
				return "", fmt.Errorf("patch: section %q: %w", strings.Join(path, " / "), ErrForbidden)
			}
		}
	}
	return join(lines, ended), nil
}

// maxGrowth returns the maximum number of bytes that the hunk adds.
func (h *hunk) maxGrowth() int {
	n := len(h.header) + 2
	for _, l := range h.lines {
		if l.op == add {
			n += len(l.text) + 1
		}
	}
	return n
}

func totalLength(lines []string) (n int) {
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

// A document is the state before one hunk.
type document struct {
	lines []string
	allow func(path []string) bool // nil: all
}

// applyHunk returns the lines after the hunk. The package comment defines the rules.
func (s *document) applyHunk(h *hunk) ([]string, error) {
	areas, found := s.searchAreas(h.header)
	want := h.oldLines()
	if len(want) == 0 {
		return s.appendLines(h, areas, found)
	}
	matches, partial := s.findLines(want, areas)
	switch {
	case len(matches) > 0:
		if !s.sameResult(matches, len(want), h.newLines()) {
			return nil, conflictAt(matches)
		}
		return replace(s.lines, matches[0], len(want), h.newLines()), nil
	case h.removes():
		return nil, s.missingLine(want, partial, areas)
	}
	return s.insertByContext(h, want, partial, areas)
}

// appendLines adds lines at the end of a section or of the document.
func (s *document) appendLines(h *hunk, areas []area, found bool) ([]string, error) {
	added := h.newLines()
	if found {
		if len(areas) > 1 {
			var matches []int
			for _, a := range areas {
				matches = append(matches, a.from)
			}
			return nil, conflictAt(matches)
		}
		return replace(s.lines, trimBlankLines(s.lines, areas[0].from, areas[0].to), 0, added), nil
	}
	if h.header != "" {
		if strings.TrimSpace(added[0]) != h.header {
			added = append([]string{h.header}, added...)
		}
		if n := len(s.lines); n > 0 && strings.TrimSpace(s.lines[n-1]) != "" {
			added = append([]string{""}, added...)
		}
	}
	return append(s.lines, added...), nil
}

// maxRuns limits the number of searches for one hunk.
const maxRuns = 64

// insertByContext inserts added lines next to their context, with other lines in between. Each run of context lines
// must occur exactly once, in order. The hunk must not remove lines.
func (s *document) insertByContext(h *hunk, want []string, partial partialMatch, areas []area) ([]string, error) {
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
		return nil, s.missingLine(want, partial, areas)
	}
	after := -1
	for i := range runs {
		r := &runs[i]
		if r.op == add {
			continue
		}
		matches, n := s.findLines(r.text, areas)
		switch {
		case len(matches) == 0:
			return nil, s.missingLine(r.text, n, areas)
		case len(matches) > 1:
			return nil, conflictAt(matches)
		case matches[0] < after:
			return nil, s.missingLine(want, partial, areas)
		}
		r.at, after = matches[0], matches[0]+len(r.text)
	}
	lines := s.lines
	for i, r := range slices.Backward(runs) { // backwards, so that positions stay valid
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

// replace returns new lines. It does not modify its arguments.
func replace(lines []string, at, n int, with []string) []string {
	return slices.Concat(lines[:at], with, lines[at+n:])
}

// split splits a document into lines. ended reports whether the last line ends with a newline. It is true for an empty
// document.
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
	if ended || lines[len(lines)-1] == "" { // a last empty line exists only with its newline
		doc += "\n"
	}
	return doc
}
