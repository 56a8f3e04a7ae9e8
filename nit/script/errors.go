package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Stage is the phase in which a script failed.
type Stage string

const (
	StageLex     Stage = "lex"     // invalid character, string or number; reported before all parse errors
	StageParse   Stage = "parse"   // invalid syntax
	StageResolve Stage = "resolve" // unknown variable or tool, or too many calls
	StageRun     Stage = "run"     // a call failed; earlier calls were made
)

// An Error describes the fault in a script and its position. At every stage except StageRun, no call was made.
type Error struct {
	Stage     Stage
	Line, Col int    // from 1; a column is a character, also a tab
	Message   string // description without the position
	Err       error  // error of the call at StageRun; nit.ErrUnknownTool for an unknown tool; otherwise nil

	line     string // source line
	hideLine bool   // Render omits the line
}

// Error returns position and message in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("script: %s: line %d, col %d: %s", e.Stage, e.Line, e.Col, e.Message)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Render formats the error for a model: position, message, the source line, and a caret under the column.
//
//	NIT error at line 2, col 10: a value is missing
//	  2 | qq_poke(a=)
//	    |           ^
func (e *Error) Render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "NIT error at line %d, col %d: %s", e.Line, e.Col, e.Message)
	if e.hideLine {
		return b.String()
	}
	number := strconv.Itoa(e.Line)
	shown, before := excerpt(e.line, e.Col)
	fmt.Fprintf(&b, "\n  %s | %s\n  %s | ", number, shown, strings.Repeat(" ", len(number)))
	for _, r := range before {
		switch {
		case r == '\t':
			b.WriteByte('\t')
		case r >= 0x2e80: // most are two columns wide
			b.WriteRune('　')
		default:
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
	return b.String()
}

// excerpt shortens a line to the part around a column. before is the part left of the column.
func excerpt(line string, col int) (shown, before string) {
	const around = 60 // characters on each side
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

// newError returns an Error at byte offset pos of src.
func newError(stage Stage, src string, pos int, message string) *Error {
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
