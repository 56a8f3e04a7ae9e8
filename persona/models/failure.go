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
	Overloaded                         // 5xx, 408; retried, counted
	Timeout                            // no answer in time; counted
	BadResponse                        // the answer is truncated or cannot be decoded; counted
	EmptyAnswer                        // the answer is empty without a finish reason; counted
	Panicked                           // the client panicked; counted
	QuotaExceeded                      // out of credit; fatal, free
	Unauthorized                       // 401, 403: wrong key; fatal, free
	NotFound                           // 404: wrong model or address; fatal, free
	InvalidRequest                     // other 4xx: the model does not accept the request; free
	PromptTooLong                      // the prompt exceeds the model's context; free
	ContentFiltered                    // the provider's content filter rejected the request; see ChainOptions.NoFallback
	Canceled                           // the caller canceled, or its streaming function returned an error
	Busy                               // not called: all slots are taken, and the queue is full or too slow; free
	BreakerOpen                        // not called: the breaker is open; free
	kinds
)

var kindNames = [kinds]string{
	"unknown error", "network error", "rate limited", "overloaded", "timed out", "broken off", "empty answer", "panicked",
	"out of quota", "not authorized", "not found", "invalid request", "prompt too long", "content filtered", "canceled", "busy",
	"breaker open",
}

// String returns the kind as it stands in errors and logs, for example "rate limited" or "prompt too long".
func (k FailureKind) String() string {
	if k >= kinds {
		return "unknown error"
	}
	return kindNames[k]
}

func (k FailureKind) retried() bool { return k == Network || k == RateLimit || k == Overloaded }

// called reports whether the model was called at all.
func (k FailureKind) called() bool { return k != Busy && k != BreakerOpen }

// free reports whether the provider rejected the call before a model read it, so that it cost no tokens.
func (k FailureKind) free() bool {
	switch k {
	case Network, RateLimit, QuotaExceeded, Unauthorized, NotFound, InvalidRequest, PromptTooLong, Busy, BreakerOpen:
		return true
	}
	return false
}

func (k FailureKind) outcome() BreakerOutcome {
	switch k {
	case QuotaExceeded, Unauthorized, NotFound:
		return Fatal
	case InvalidRequest, PromptTooLong, ContentFiltered, Canceled, Busy, BreakerOpen:
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
