package nit

import (
	"context"
	"errors"
)

// Errors of [View.Do]. The text of every error that Do returns is safe to show to the model. The cause is available
// through errors.Is and errors.As and is logged.
var (
	// ErrUnknownTool hides the reason: the tool does not exist, is hidden from the principal, is disabled, was removed or
	// belongs to another mode. A tool may return it too.
	ErrUnknownTool = errors.New("nit: unknown tool")
	// ErrInvalidArgs means that the arguments are not a strict JSON object or do not match the schema.
	ErrInvalidArgs = errors.New("nit: bad arguments")
	// ErrQuotaExceeded means that the view, or the Quota for the person, session or tool, has no calls left.
	ErrQuotaExceeded = errors.New("nit: no tool calls left for now")
	// ErrRefused means that a policy, a human or a guard rejected the call, or that an L2 tool has no redactor.
	ErrRefused = errors.New("nit: not allowed now")
	// ErrTimeout means that the tool exceeded its time limit. Its effect may still have happened.
	ErrTimeout = errors.New("nit: the tool took too long, its effect is unclear")
	// ErrFailed means that the tool returned an error or panicked, or that the caller's context ended.
	ErrFailed = errors.New("nit: the tool failed")
)

// callError is one of the errors above with its cause. Its text is safe for the model.
type callError struct {
	kind   error
	detail string // added to the text of kind; "" for none
	cause  error  // nil if detail says everything
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

// ModelError returns an error whose text the model gets instead of "the tool failed". The text is truncated and redacted like
// a result. Join it with the cause, which is only logged: errors.Join(nit.ModelError("没有这个群"), err).
func ModelError(text string) error { return modelError(text) }

type modelError string

func (t modelError) Error() string { return string(t) }

// failure classifies the error of a tool.
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
