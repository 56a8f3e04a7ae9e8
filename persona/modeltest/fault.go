package modeltest

import (
	"fmt"
	"io"
	"time"
)

// A StatusError is a refusal by HTTP status, worded as langchaingo's OpenAI and Anthropic clients word it. Unlike
// theirs it tells what HTTP said.
type StatusError struct {
	Code    int
	Message string
	Wait    time.Duration // Retry-After; 0 says nothing
}

// Error gives the status and Message, in langchaingo's words.
func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("API returned unexpected status code: %d", e.Code)
	}
	return fmt.Sprintf("API returned unexpected status code: %d: %s", e.Code, e.Message)
}

// StatusCode gives Code.
func (e *StatusError) StatusCode() int { return e.Code }

// RetryAfter gives Wait.
func (e *StatusError) RetryAfter() time.Duration { return e.Wait }

// HTTPError is a call that is refused with an HTTP status.
func HTTPError(code int, message string) Step {
	return Fail(&StatusError{Code: code, Message: message})
}

// RateLimited is a call that is refused with 429 and the wish to be left alone for so long.
func RateLimited(retryAfter time.Duration) Step {
	return Fail(&StatusError{Code: 429, Message: "Rate limit reached", Wait: retryAfter})
}

// CutStream is an answer that breaks off after this text, some of which may have been streamed.
func CutStream(text string) Step { return Step{Text: text, Err: io.ErrUnexpectedEOF} }

// Hang is an answer that streams this text and then never ends; the context's end ends it.
func Hang(text string) Step { return Step{Text: text, Hang: true} }

// IgnoreContext is a call that does not look at its context: it answers once until is closed.
func IgnoreContext(until <-chan struct{}, s Step) Step {
	s.BlockUntil = until
	return s
}

// Body is an HTTP answer with status 200 and this body: a stream if it begins with "data:" or "event:", JSON (or what should be)
// otherwise. In process, it is a call that fails, because there is no client to read it.
func Body(body string) Step {
	return Step{Body: body, Err: fmt.Errorf("modeltest: a body is only for Handler: %.40q", body)}
}
