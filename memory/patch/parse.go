package patch

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	begin     = "*** Begin Patch"
	end       = "*** End Patch"
	endOfFile = "*** End of File"
)

// Limits. Documents are part of prompts, and models write patches, so both are small.
const (
	MaxDocument = 256 << 10 // bytes, before and after the patch
	MaxPatch    = 64 << 10  // bytes
	MaxHunks    = 100
)

type op byte

const (
	context op = ' '
	remove  op = '-'
	add     op = '+'
)

type line struct {
	op       op
	text     string
	unsigned bool // written without a sign
}

// A hunk is one change: the expected lines, in order, and their replacement.
type hunk struct {
	header string
	lines  []line
}

// lineRanges matches the line numbers of other diffs. This grammar does not have them.
var lineRanges = regexp.MustCompile(`^-\d+(,\d+)? \+\d+(,\d+)?( @@.*)?$`)

// parse parses a patch. The error is a *SyntaxError or matches ErrTooLong.
func parse(text string) ([]hunk, error) {
	if len(text) > MaxPatch {
		return nil, tooLong("patch", len(text), MaxPatch)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return nil, &SyntaxError{Reason: "not UTF-8, or NUL in it"}
	}
	lines := lines(strings.TrimSpace(text))
	last := len(lines) - 1
	if strings.TrimSpace(lines[0]) != begin {
		return nil, &SyntaxError{Line: 1, Text: lines[0], Reason: "a patch starts with " + begin}
	}
	if last == 0 || strings.TrimSpace(lines[last]) != end {
		return nil, &SyntaxError{Line: last + 1, Text: lines[last], Reason: "a patch ends with " + end}
	}
	var hunks []hunk
	for i, l := range lines[1:last] {
		bad := func(why string) error { return &SyntaxError{Line: i + 2, Text: l, Reason: why} }
		if header, ok := strings.CutPrefix(l, "@@"); ok {
			h := hunk{header: strings.TrimSpace(header)}
			if lineRanges.MatchString(h.header) {
				return nil, bad("after @@ comes a header of the document, not line numbers")
			}
			if len(hunks) == MaxHunks {
				return nil, bad("too many hunks")
			}
			hunks = append(hunks, h)
			continue
		}
		switch strings.TrimRight(l, " \t") {
		case endOfFile:
			continue
		case begin, end:
			return nil, bad("one patch at a time")
		}
		p := parseLine(l)
		if len(hunks) > 0 {
			h := &hunks[len(hunks)-1]
			h.lines = append(h.lines, p)
		} else if p.op != context {
			return nil, bad("a change before the first @@")
		}
	}
	if len(hunks) == 0 {
		return nil, &SyntaxError{Line: last + 1, Text: lines[last], Reason: "no @@ before the end"}
	}
	for i := range hunks {
		if err := hunks[i].normalizeBlankLines(); err != nil {
			return nil, err
		}
	}
	return hunks, nil
}

func parseLine(l string) line {
	if l != "" {
		switch o := op(l[0]); o {
		case context, remove, add:
			return line{op: o, text: l[1:]}
		}
	}
	return line{op: context, text: l, unsigned: true}
}

// normalizeBlankLines interprets empty lines without a sign. They are ignored at both ends of a hunk. In a hunk with
// only added lines they are additions.
func (h *hunk) normalizeBlankLines() error {
	blank := func(l line) bool { return l.unsigned && l.text == "" }
	for len(h.lines) > 0 && blank(h.lines[0]) {
		h.lines = h.lines[1:]
	}
	for n := len(h.lines); n > 0 && blank(h.lines[n-1]); n = len(h.lines) {
		h.lines = h.lines[:n-1]
	}
	if len(h.lines) == 0 {
		return &SyntaxError{Text: "@@ " + h.header, Reason: "a hunk without lines"}
	}
	for _, l := range h.lines {
		if l.op != add && !blank(l) {
			return nil
		}
	}
	for i := range h.lines {
		h.lines[i].op = add
	}
	return nil
}

// oldLines returns the lines that the document must have; newLines returns their replacement.
func (h *hunk) oldLines() []string { return h.texts(add) }
func (h *hunk) newLines() []string { return h.texts(remove) }

func (h *hunk) texts(without op) []string {
	var out []string
	for _, l := range h.lines {
		if l.op != without {
			out = append(out, l.text)
		}
	}
	return out
}

func (h *hunk) removes() bool {
	return slices.ContainsFunc(h.lines, func(l line) bool { return l.op == remove })
}

// lines splits a text at "\n" or "\r\n". No line ends with "\r".
func lines(text string) []string {
	out := strings.Split(text, "\n")
	for i, l := range out {
		out[i] = strings.TrimRight(l, "\r")
	}
	return out
}
