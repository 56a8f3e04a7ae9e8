package models

import (
	"fmt"
	"strings"
	"time"
)

// A CallError is how one call of one model failed.
type CallError struct {
	Model string // the link's name
	Failure
	Err error // what the client said; nil when the model was not asked. It may hold secrets: Error does not show them
}

// Error tells the model, the kind and what the client said, shortened, without keys and passwords.
func (e *CallError) Error() string {
	var b strings.Builder
	b.WriteString(e.Model + ": " + e.Kind.String())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", again in %s", e.RetryAfter.Round(time.Millisecond))
	}
	if e.Err != nil {
		b.WriteString(": " + redact(e.Err.Error()))
	}
	return b.String()
}

// Unwrap gives what the client said.
func (e *CallError) Unwrap() error { return e.Err }

// A ChainError is why no model of a chain answered: every failure, in order.
type ChainError struct {
	Calls []*CallError
	Err   error // the context's, when it ended the chain; else nil
}

// Error tells each failure. The same failure several times in a row is told once.
func (e *ChainError) Error() string {
	var b strings.Builder
	b.WriteString("models: ")
	if e.Err != nil {
		b.WriteString(e.Err.Error())
	} else {
		b.WriteString("no model answered")
	}
	for i := 0; i < len(e.Calls); {
		n, text := 1, e.Calls[i].Error()
		for i+n < len(e.Calls) && e.Calls[i+n].Error() == text {
			n++
		}
		b.WriteString("; " + text)
		if n > 1 {
			fmt.Fprintf(&b, " (%d times)", n)
		}
		i += n
	}
	return b.String()
}

// Unwrap gives the context's error, if it ended the chain, and each call's.
func (e *ChainError) Unwrap() []error {
	all := make([]error, 0, len(e.Calls)+1)
	if e.Err != nil {
		all = append(all, e.Err)
	}
	for _, c := range e.Calls {
		all = append(all, c)
	}
	return all
}
