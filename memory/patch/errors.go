package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// Errors for callers that branch. After any error the document is unchanged.
var (
	ErrSyntax      = errors.New("not a patch")       // a *SyntaxError has the position
	ErrConflict    = errors.New("conflict")          // a *ConflictError quotes the mismatch
	ErrTooLong     = errors.New("too long")          // longer than MaxPatch or MaxDocument
	ErrNoVersion   = errors.New("no such version")   // nothing to undo or redo
	ErrInvalidText = errors.New("not UTF-8, or NUL") // a document with invalid text
)

// A SyntaxError describes an error in the syntax of a patch. It matches [ErrSyntax].
type SyntaxError struct {
	Line   int    // line of the patch, from 1; 0: no single line
	Text   string // text of that line
	Reason string
}

// Error describes the line and the error, in English.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return strings.TrimSuffix("patch: "+e.Reason+": "+quote(e.Text), `: ""`)
	}
	return fmt.Sprintf("patch: line %d %s: %s", e.Line, quote(e.Text), e.Reason)
}

// Unwrap returns [ErrSyntax].
func (e *SyntaxError) Unwrap() error { return ErrSyntax }

// A ConflictError describes a mismatch between a document and a patch. It matches [ErrConflict]. Show its text to the
// model that wrote the patch.
type ConflictError struct {
	Hunk    int    // number of the hunk, from 1
	Header  string // header after @@
	Want    string // missing line; "" with Matches
	Got     string // line of the document in its place, or the most similar one; "" if none is similar
	Line    int    // line number of Got, from 1, after the previous hunks; 0: none
	Matches []int  // lines where the hunk matches equally well; it needs more context
}

// Error describes the mismatch. It cuts quotes to 200 bytes and lists at most eight matches.
func (e *ConflictError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "patch: hunk %d", e.Hunk)
	if e.Header != "" {
		fmt.Fprintf(&b, " (%s)", clipQuote(e.Header))
	}
	switch {
	case len(e.Matches) > 0:
		b.WriteString(" fits at lines ")
		for i, p := range e.Matches[:min(len(e.Matches), maxListedMatches)] {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprint(&b, p)
		}
		if len(e.Matches) > maxListedMatches {
			b.WriteString(", …")
		}
		b.WriteString(": give more lines of context")
	case e.Line == 0:
		fmt.Fprintf(&b, ": the document has no line %s", quote(e.Want))
	default:
		fmt.Fprintf(&b, ": the document has no line %s there; line %d is %s%s", quote(e.Want), e.Line, quote(e.Got), difference(e.Want, e.Got))
	}
	return b.String()
}

// Unwrap returns [ErrConflict].
func (e *ConflictError) Unwrap() error { return ErrConflict }

const maxListedMatches = 8

// difference explains differences that are hard to see.
func difference(want, got string) string {
	switch {
	case want == got:
		return ", but what surrounds it differs"
	case strings.TrimSpace(want) == strings.TrimSpace(got):
		return " (spaces differ; the sign is one character, the line follows at once)"
	case "-"+want == got:
		return ` (a line that starts with "-" is written with a sign before it)`
	case foldWidth(want) == foldWidth(got):
		return " (full-width and half-width characters differ)"
	}
	return ""
}

func tooLong(what string, n, limit int) error {
	return fmt.Errorf("patch: %s of %d bytes, at most %d: %w", what, n, limit, ErrTooLong)
}

func quote(s string) string { return fmt.Sprintf("%q", clipQuote(s)) }

// clipQuote keeps an error readable.
func clipQuote(s string) string {
	if most := 200; len(s) > most {
		return clip.Bytes(s, most) + "…"
	}
	return s
}
