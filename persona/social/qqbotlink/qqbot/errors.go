package qqbot

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrUnclear means that a message was written and no answer came. It may have been delivered. If it was a reply, sending it
// again with the same MsgID or EventID and the same Seq does not show it twice, as documented: the platform refuses the second
// one as KindDuplicate. Never send any other message again.
var ErrUnclear = errors.New("qqbot: may have been sent")

// An APIError is a refusal by the platform.
type APIError struct {
	Call       string        // such as "send to group"; never contains ids or texts
	Status     int           // HTTP status
	Code       int           // the platform's code; 0 if the answer has none
	Message    string        // the platform's text
	TraceID    string        // for the platform's support; may be ""
	RetryAfter time.Duration // for KindRateLimited: the client makes the next call after this time

	visible bool // the call would have shown something to others
}

// Error contains the code, the platform's text and an advice.
func (e *APIError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "qqbot: %s: code %d (HTTP status %d", e.Call, e.Code, e.Status)
	if e.TraceID != "" {
		fmt.Fprintf(&b, ", trace id %s", e.TraceID)
	}
	b.WriteByte(')')
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if advice := e.Kind().Advice(); advice != "" {
		b.WriteString(" [" + advice + "]")
	}
	return b.String()
}

// Is reports whether a refusal leaves open if the message was delivered: a server error without a code of the platform, such
// as one of a proxy, matches [ErrUnclear].
func (e *APIError) Is(target error) bool {
	return target == ErrUnclear && e.visible && e.Status >= 500 && e.Code == 0
}

// Kind classifies the refusal.
func (e *APIError) Kind() Kind {
	if k, ok := kinds[e.Code]; ok {
		return k
	}
	switch {
	case e.Status == 429:
		return KindRateLimited
	case e.Status == 401:
		return KindToken
	case e.Status >= 500:
		return KindTemporary
	}
	return KindOther
}

// KindOf returns the kind of the APIError in err. ok is false if there is none.
func KindOf(err error) (k Kind, ok bool) {
	var refusal *APIError
	if !errors.As(err, &refusal) {
		return KindOther, false
	}
	return refusal.Kind(), true
}

// A callError is a call without an answer.
type callError struct {
	call    string
	unclear bool
	err     error
}

func (e *callError) Error() string {
	cause := strings.TrimPrefix(e.err.Error(), "qqbot: ")
	if e.unclear {
		return "qqbot: " + e.call + ": may have been sent: " + cause
	}
	return "qqbot: " + e.call + ": " + cause
}

func (e *callError) Unwrap() []error {
	if e.unclear {
		return []error{ErrUnclear, e.err}
	}
	return []error{e.err}
}
