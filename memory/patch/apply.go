package patch

import (
	"slices"
	"strings"
)

// Apply applies a patch to a document, completely or not at all. Line ends become "\n". A missing newline at the end
// stays missing. The error matches [ErrSyntax], [ErrConflict] or [ErrTooLong], and the result is then empty.
func Apply(doc, patch string) (string, error) {
	if len(doc) > MaxDocument {
		return "", tooLong("document", len(doc), MaxDocument)
	}
	hunks, err := parse(patch)
	if err != nil {
		return "", err
	}
	lines, ended := split(doc)
	size := len(doc)
	for i := range hunks {
		h := &hunks[i]
		s := document{lines: lines}
		next, conflict := s.applyHunk(h)
		if conflict != nil {
			conflict.Hunk, conflict.Header = i+1, h.header
			return "", conflict
		}
		lines = next
		if size += h.maxGrowth(); size > MaxDocument { // the upper bound avoids most calls of totalLength
			if size = totalLength(lines); size > MaxDocument {
				return "", tooLong("document", size, MaxDocument)
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

// A document is the state before one hunk. Its lines are not modified.
type document struct{ lines []string }

// applyHunk returns the lines after the hunk. The package comment defines the rules.
func (s *document) applyHunk(h *hunk) ([]string, *ConflictError) {
	areas, found := s.searchAreas(h.header)
	want := h.oldLines()
	if len(want) == 0 {
		return s.appendLines(h.header, h.newLines(), areas, found)
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
	lines, conflict := s.insertByContext(h, want, partial, areas)
	if conflict != nil && len(conflict.Matches) == 0 && s.appendable(h, found) {
		return s.appendNew(h, areas, found)
	}
	return lines, conflict
}

// appendLines adds lines at the end of a section or of the document.
func (s *document) appendLines(header string, added []string, areas []area, found bool) ([]string, *ConflictError) {
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
	if header != "" {
		if strings.TrimSpace(added[0]) != header {
			added = append([]string{header}, added...)
		}
		if n := len(s.lines); n > 0 && strings.TrimSpace(s.lines[n-1]) != "" {
			added = append([]string{""}, added...)
		}
	}
	return append(slices.Clip(s.lines), added...), nil
}

// appendable reports whether the added lines of a hunk may be appended although its context does not exist. The hunk must not
// remove lines. A context line without a sign may be an addition whose sign is missing. A heading that the document has
// already, or a header like one of its headings, would duplicate a section.
func (s *document) appendable(h *hunk, found bool) bool {
	heads := headings(s.lines)
	adds := false
	for _, l := range h.lines {
		switch {
		case strings.TrimSpace(l.text) == "":
		case l.op == context && l.unsigned:
			return false
		case l.op == add:
			adds = true
			if level, _ := headingOf(strings.TrimSpace(l.text)); level > 0 && s.hasHeading(heads, l.text) {
				return false
			}
		}
	}
	return adds && (found || h.header == "" || !s.hasHeading(heads, h.header))
}

// hasHeading reports whether a heading has the same text as a line, apart from their signs and what foldWidth ignores.
func (s *document) hasHeading(heads []heading, line string) bool {
	text := func(l string) string { return foldWidth(strings.Trim(l, "#* \t")) }
	return slices.ContainsFunc(heads, func(h heading) bool { return text(s.lines[h.at]) == text(line) })
}

// appendNew appends the added lines that the section, or without a header the document, does not have yet.
func (s *document) appendNew(h *hunk, areas []area, found bool) ([]string, *ConflictError) {
	var added []string
	text := false
	for _, l := range h.lines {
		blank := strings.TrimSpace(l.text) == ""
		if l.op != add || !blank && (found || h.header == "") && s.contains(areas, l.text) {
			continue
		}
		added = append(added, l.text)
		text = text || !blank
	}
	if !text {
		return s.lines, nil
	}
	return s.appendLines(h.header, added, areas, found)
}

// contains reports whether one of the areas contains a line.
func (s *document) contains(areas []area, line string) bool {
	return slices.ContainsFunc(areas, func(a area) bool { return slices.Contains(s.lines[a.from:a.to], line) })
}

// maxRuns limits the number of searches for one hunk.
const maxRuns = 64

// insertByContext inserts added lines next to their context, with other lines in between. Each run of context lines
// must occur exactly once, in order. The hunk must not remove lines.
func (s *document) insertByContext(h *hunk, want []string, partial partialMatch, areas []area) ([]string, *ConflictError) {
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
