package nit

import (
	"context"
	"errors"
)

// What [View.Do] can end with. Their texts, like those of all errors of Do, tell nothing that the model may not
// know; the cause is reached by errors.Is and errors.As, and written to the log.
var (
	// ErrUnknownTool is the one answer for a tool that does not exist, is hidden from the principal, is disabled,
	// was removed, or lives in another mode. A tool returns it to be taken for one of those.
	ErrUnknownTool = errors.New("nit: unknown tool")
	// ErrInvalidArgs: the arguments are no strict JSON object or do not fit the tool's schema.
	ErrInvalidArgs = errors.New("nit: bad arguments")
	// ErrQuotaExceeded: the view has made all the calls that it may, or the Quota has none left for the person, the session or the tool.
	ErrQuotaExceeded = errors.New("nit: no tool calls left for now")
	// ErrRefused: a policy, a human or a guard said no, or no redactor is set for a tool that needs one.
	ErrRefused = errors.New("nit: not allowed now")
	// ErrTimeout: the tool did not end in time. What it does may have happened.
	ErrTimeout = errors.New("nit: the tool took too long, its effect is unclear")
	// ErrFailed: the tool returned an error or panicked, or the caller's context ended.
	ErrFailed = errors.New("nit: the tool failed")
)

// callError is one of the errors above with its cause. Its text is fit for the model.
type callError struct {
	kind   error
	detail string // in addition to the kind, "" for none
	cause  error  // nil when the detail says it all
}

func (e *callError) Error() string {
	if e.detail == "" {
		return e.kind.Error()
	}
	return e.kind.Error() + ": " + e.detail
}

func (e *callError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}

// ModelError makes an error whose text the model gets instead of "the tool failed", capped and redacted as results are.
// Join it with the cause, which goes to the log only: errors.Join(nit.Tell("没有这个群"), err).
func ModelError(text string) error { return modelError(text) }

type modelError string

func (t modelError) Error() string { return string(t) }

// failure sorts what a tool returned.
func failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrUnknownTool):
		return &callError{kind: ErrUnknownTool, cause: err}
	case errors.Is(context.Cause(ctx), errTooLong):
		return &callError{kind: ErrTimeout, cause: err}
	}
	e := &callError{kind: ErrFailed, cause: err}
	var t modelError
	if errors.As(err, &t) {
		e.detail = string(t)
	}
	return e
}
