package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// What can go wrong, for callers that branch. A document is never changed in part: with any error it is as it was.
var (
	ErrSyntax      = errors.New("not a patch")           // a *SyntaxError says where
	ErrConflict    = errors.New("conflict")              // a *Conflict quotes what does not match
	ErrForbidden   = errors.New("section not permitted") // Options.May said no
	ErrTooLong     = errors.New("too long")              // beyond MaxPatch or MaxDocument
	ErrNoVersion   = errors.New("no such version")       // nothing to undo or redo
	ErrInvalidText = errors.New("not UTF-8, or NUL")     // a document that no store would keep as it is
)

// A SyntaxError tells what is wrong with a patch itself. It matches [ErrSyntax].
type SyntaxError struct {
	Line   int    // in the patch, from 1 for its first line; 0 where no line is to blame
	Text   string // that line
	Reason string
}

// Error gives the line and what is wrong with it, in English.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return strings.TrimSuffix("patch: "+e.Reason+": "+quote(e.Text), `: ""`)
	}
	return fmt.Sprintf("patch: line %d %s: %s", e.Line, quote(e.Text), e.Reason)
}

// Unwrap gives [ErrSyntax].
func (e *SyntaxError) Unwrap() error { return ErrSyntax }

// A ConflictError tells where a document is not what a patch takes it for. It matches [ErrConflict].
// Its text is made to be shown to the model that wrote the patch.
type ConflictError struct {
	Hunk    int    // which, from 1
	Header  string // what it named after @@
	Want    string // the line that is not there; "" where Places are given
	Got     string // what the document has instead, or what is most like it; "" where there is nothing alike
	Line    int    // where Got is in the document (after the hunks before this one), from 1; 0: nothing alike
	Matches []int  // lines where the hunk fits equally well: it must say more
}

// Error says which hunk does not fit and what stands there instead, quotes cut to 200 bytes and at most eight places named.
func (e *ConflictError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "patch: hunk %d", e.Hunk)
	if e.Header != "" {
		fmt.Fprintf(&b, " (%s)", brief(e.Header))
	}
	switch {
	case len(e.Matches) > 0:
		b.WriteString(" fits at lines ")
		for i, p := range e.Matches[:min(len(e.Matches), maxShown)] {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprint(&b, p)
		}
		if len(e.Matches) > maxShown {
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

// Unwrap gives [ErrConflict].
func (e *ConflictError) Unwrap() error { return ErrConflict }

const maxShown = 8

// difference says in words what is hard to see.
func difference(want, got string) string {
	switch {
	case want == got:
		return ", but what surrounds it differs"
	case strings.TrimSpace(want) == strings.TrimSpace(got):
		return " (spaces differ; the sign is one character, the line follows at once)"
	case "-"+want == got:
		return ` (a line that starts with "-" is written with a sign before it)`
	case narrow(want) == narrow(got):
		return " (full-width and half-width characters differ)"
	}
	return ""
}

func tooLong(what string, n, limit int) error {
	return fmt.Errorf("patch: %s of %d bytes, at most %d: %w", what, n, limit, ErrTooLong)
}

func quote(s string) string { return fmt.Sprintf("%q", brief(s)) }

// brief keeps an error readable.
func brief(s string) string {
	if most := 200; len(s) > most {
		return clip.Bytes(s, most) + "…"
	}
	return s
}
