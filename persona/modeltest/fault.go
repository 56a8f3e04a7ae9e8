package modeltest

import (
	"fmt"
	"io"
	"time"
)

// A StatusError is an HTTP error. Its text is that of langchaingo's clients for OpenAI and Anthropic. Unlike their errors it
// has the status and the Retry-After.
type StatusError struct {
	Code    int
	Message string
	Wait    time.Duration // Retry-After; 0 means none
	Body    string        // HTTP only: the complete body; "" means Message in OpenAI's format
}

// Error returns the text that langchaingo's clients return for this status.
func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("API returned unexpected status code: %d", e.Code)
	}
	return fmt.Sprintf("API returned unexpected status code: %d: %s", e.Code, e.Message)
}

// StatusCode returns Code.
func (e *StatusError) StatusCode() int { return e.Code }

// RetryAfter returns Wait.
func (e *StatusError) RetryAfter() time.Duration { return e.Wait }

// HTTPError returns a step that fails with an HTTP status.
func HTTPError(code int, message string) Step {
	return Fail(&StatusError{Code: code, Message: message})
}

// ErrorBody returns a step that fails with an HTTP status and this body. Its content type is text/html if the body begins with
// "<", and application/json otherwise. In process, the body is the message of the error.
func ErrorBody(code int, body string) Step {
	return Fail(&StatusError{Code: code, Message: body, Body: body})
}

// RateLimited returns a step that fails with status 429 and this Retry-After.
func RateLimited(retryAfter time.Duration) Step {
	return Fail(&StatusError{Code: 429, Message: "Rate limit reached", Wait: retryAfter})
}

// CutStream returns a step that streams text and then fails with io.ErrUnexpectedEOF.
func CutStream(text string) Step { return Step{Text: text, Err: io.ErrUnexpectedEOF} }

// Hang returns a step that streams text and then blocks until the context ends.
func Hang(text string) Step { return Step{Text: text, Hang: true} }

// IgnoreContext returns s as a step that ignores its context: it blocks until the channel is closed.
func IgnoreContext(until <-chan struct{}, s Step) Step {
	s.BlockUntil = until
	return s
}

// Body returns an HTTP response with status 200 and this body. Its content type is text/event-stream if the body begins with
// "data:" or "event:", text/html if it begins with "<", and application/json otherwise. In process, the step fails because there is no client to decode it.
func Body(body string) Step {
	return Step{Body: body, Err: fmt.Errorf("modeltest: Body works with Handler only: %.40q", body)}
}
