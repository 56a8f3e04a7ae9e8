package models

import "time"

// A FailureKind is the kind of a failed model call. It decides whether the call is retried.
type FailureKind uint8

// Kinds of failures. Retried: the chain calls the same model again, up to ChainOptions.Retries times. After all other
// kinds it calls the next model immediately. Counted: the breaker counts the failure. Fatal: the breaker opens
// immediately. Free: the call cost no tokens.
const (
	Unknown         FailureKind = iota // not recognized; counted
	Network                            // the model could not be reached; retried, counted, free
	RateLimit                          // 429; retried, counted, free
	Overloaded                         // 5xx, 529 among them, and 408; retried, counted
	Timeout                            // no answer in time; counted
	BadResponse                        // the answer is truncated or cannot be decoded; counted
	EmptyAnswer                        // the answer is empty without a finish reason; counted
	Panicked                           // the client panicked; counted
	QuotaExceeded                      // out of credit; fatal, free
	Unauthorized                       // 401, 403: wrong key; fatal, free
	RegionBlocked                      // 403: the provider does not serve this country or region; fatal, free
	NotFound                           // 404, or 400 about the model's name: wrong model or address; fatal, free
	WebPage                            // a web page instead of an answer: wrong address, or a proxy; fatal, free
	InvalidRequest                     // other 4xx: the model does not accept the request; free
	PromptTooLong                      // the prompt exceeds the model's context; free
	Loading                            // a server on this machine or in a private network loads its model, see [Chain]; free
	ContentFiltered                    // the provider's content filter rejected the request; see ChainOptions.NoFallback
	Canceled                           // the caller canceled, or its streaming function returned an error
	Busy                               // not called: all slots are taken, and the queue is full or too slow; free
	BreakerOpen                        // not called: the breaker is open; free
	kinds
)

var kindNames = [kinds]string{
	"unknown error", "network error", "rate limited", "overloaded", "timed out", "broken off", "empty answer", "panicked",
	"out of quota", "not authorized", "region not served", "not found", "web page", "invalid request", "prompt too long", "loading", "content filtered", "canceled", "busy",
	"breaker open",
}

// String returns the kind as it stands in errors and logs, for example "rate limited" or "prompt too long".
func (k FailureKind) String() string {
	if k >= kinds {
		return "unknown error"
	}
	return kindNames[k]
}

func (k FailureKind) retried() bool {
	return k == Network || k == RateLimit || k == Overloaded
}

// called reports whether the model was called at all.
func (k FailureKind) called() bool { return k != Busy && k != BreakerOpen }

// free reports whether the provider rejected the call before a model read it, so that it cost no tokens.
func (k FailureKind) free() bool {
	switch k {
	case Network, RateLimit, QuotaExceeded, Unauthorized, RegionBlocked, NotFound, WebPage, InvalidRequest, PromptTooLong, Loading, Busy, BreakerOpen:
		return true
	}
	return false
}

func (k FailureKind) outcome() BreakerOutcome {
	switch k {
	case QuotaExceeded, Unauthorized, RegionBlocked, NotFound, WebPage:
		return Fatal
	case InvalidRequest, PromptTooLong, Loading, ContentFiltered, Canceled, Busy, BreakerOpen:
		return Ignored
	}
	return Failed
}

// A Failure is the classification of an error.
type Failure struct {
	Kind       FailureKind
	Status     int           // HTTP status; 0 if unknown
	RetryAfter time.Duration // the provider's Retry-After; 0 if it gave none
}

// advice says what to do about a failure; "": nothing.
var advice = [kinds]string{
	Network:         "the service cannot be reached: check the network and the base URL",
	RateLimit:       "too many requests: raise the limit at the provider, or add another model",
	Overloaded:      "the service has a problem that usually passes; add another model if it happens often",
	Timeout:         "the model is too slow: use a faster model, or allow more time",
	BadResponse:     "the answer was cut or is no JSON: check the proxy between, if there is one",
	EmptyAnswer:     "the model wrote nothing: use another model if it happens often",
	Panicked:        "the client has a bug: the log has the stack",
	QuotaExceeded:   "the balance or the quota is used up: top it up, or use another key",
	Unauthorized:    "the service rejects the key: check it",
	RegionBlocked:   "the provider does not serve this region: use a provider that does",
	NotFound:        "no such model or address: check both; the service lists its models under /models",
	WebPage:         "a web page answered in place of the API: check the base URL, which usually ends in /v1, and the proxy",
	InvalidRequest:  "the service rejects the request: the error says why; it may not support tools",
	PromptTooLong:   "the prompt is longer than the model can read: use a model with a longer context",
	Loading:         "the server loads its model or is not started: wait, or start it",
	ContentFiltered: "the provider's content filter rejected the text: there is nothing to repair",
	Busy:            "too many calls at once: allow more concurrent calls, or add another model",
}

// Advice says in English what to do about the failure, in one line without a period. It is empty if there is nothing to do. The
// warning that a [Chain] logs about a failed call has it as the attribute advice.
func (f Failure) Advice() string {
	if f.Kind >= kinds {
		return ""
	}
	return advice[f.Kind]
}
