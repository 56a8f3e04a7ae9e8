package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Stage is how far a script came.
type Stage string

const (
	StageLex     Stage = "lex"     // a character, a string or a number is wrong; found before all parse errors
	StageParse   Stage = "parse"   // the order of things is wrong
	StageResolve Stage = "resolve" // a variable or a tool that there is not, too many calls
	StageRun     Stage = "run"     // a call failed; those before it were made
)

// An Error is what is wrong with a script, and where. At every stage but StageRun, nothing was called.
type Error struct {
	Stage     Stage
	Line, Col int    // from 1; columns count characters, a tab is one
	Message   string // what is wrong, without the place
	Err       error  // what the call returned, at StageRun; of a tool that there is not, nit.ErrUnknown; otherwise nil

	line string // of the source
	hide bool   // Render leaves the line out
}

// Error gives the place and the message in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("script: %s: line %d, col %d: %s", e.Stage, e.Line, e.Col, e.Message)
}

// Unwrap gives Err.
func (e *Error) Unwrap() error { return e.Err }

// Render gives the error as a model can best use it: place and message, the line, and a caret below the column.
//
//	NIT error at line 2, col 10: a value is missing
//	  2 | qq_poke(a=)
//	    |           ^
func (e *Error) Render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "NIT error at line %d, col %d: %s", e.Line, e.Col, e.Message)
	if e.hide {
		return b.String()
	}
	number := strconv.Itoa(e.Line)
	shown, before := window(e.line, e.Col)
	fmt.Fprintf(&b, "\n  %s | %s\n  %s | ", number, shown, strings.Repeat(" ", len(number)))
	for _, r := range before {
		switch {
		case r == '\t':
			b.WriteByte('\t')
		case r >= 0x2e80: // most of these are two columns wide
			b.WriteRune('　')
		default:
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
	return b.String()
}

// window cuts a line to what stands around a column, and gives what is left of it there.
func window(line string, col int) (shown, before string) {
	const around = 60 // characters to each side
	runes := []rune(line)
	at := min(max(col-1, 0), len(runes))
	from, to := max(at-around, 0), min(at+around, len(runes))
	left, right := "", ""
	if from > 0 {
		left = "…"
	}
	if to < len(runes) {
		right = "…"
	}
	before = left + visible(runes[from:at])
	return before + visible(runes[at:to]) + right, before
}

func visible(runes []rune) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, string(runes))
}

// fault makes an Error at a byte of src.
func fault(stage Stage, src string, pos int, message string) *Error {
	start := strings.LastIndexByte(src[:pos], '\n') + 1
	line := src[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return &Error{
		Stage: stage, Message: message, line: strings.Clone(line),
		Line: 1 + strings.Count(src[:start], "\n"),
		Col:  1 + utf8.RuneCountInString(src[start:pos]),
	}
}
