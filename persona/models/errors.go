package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A CallError is the failure of one call of one model.
type CallError struct {
	Model string // the candidate's name, or the model's without a chain
	Failure
	Err error // the client's error; nil if the model was not called. Its text may contain keys
}

// Error returns the model, the kind of failure and a shortened text of Err. It removes keys and passwords from the text.
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

// An openError says why a breaker does not permit a call.
type openError struct {
	cause   *CallError // the failure that opened it; nil if unknown
	probing bool       // another call is trying the model
}

func (e *openError) Error() string {
	text := "the last failure was unknown"
	if e.cause != nil {
		text = "the last failure was " + e.cause.Error()
	}
	if e.probing {
		text = "another call is trying the model; " + text
	}
	return text
}

// Unwrap returns the failure that opened the breaker.
func (e *openError) Unwrap() error {
	if e.cause == nil {
		return nil
	}
	return e.cause
}

// Cause returns the failure that best explains why a model did not answer: the last one in err that was a call of a model, if
// possible one that the caller did not cancel, or the one that opened its breaker. The RetryAfter of the latter is the time until the breaker permits a call. ok is false if err has no [CallError].
func Cause(err error) (f Failure, ok bool) {
	var chain *ChainError
	if errors.As(err, &chain) && len(chain.Calls) > 0 {
		last := len(chain.Calls) - 1
		for last > 0 && chain.Calls[last].Kind == Canceled {
			last--
		}
		err = chain.Calls[last]
	}
	var call, opened *CallError
	if !errors.As(err, &call) {
		return Failure{}, false
	}
	if f = call.Failure; call.Kind == BreakerOpen && errors.As(call.Err, &opened) {
		f.Kind, f.Status = opened.Kind, opened.Status
	}
	return f, true
}

// HasKind reports whether err is or contains the failure of a call with this kind. In a [ChainError] any of the calls may have it.
func HasKind(err error, k FailureKind) bool {
	var chain *ChainError
	if errors.As(err, &chain) {
		return slices.ContainsFunc(chain.Calls, func(c *CallError) bool { return c.Kind == k })
	}
	var call *CallError
	return errors.As(err, &call) && call.Kind == k
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// A ChainError is the error of a [Chain] when no model answered.
type ChainError struct {
	Calls []*CallError // every failure, in order
	Err   error        // the error of ctx if ctx ended the call, else nil
}

// Error lists the failures. Consecutive equal failures are listed once, with their number.
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

// Unwrap returns Err, if it is not nil, and the error of each call.
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
