package models

import "time"

// A FailureKind says how a model call failed, and with that what is done about it.
type FailureKind uint8

// The kinds. Retried means asked again up to ChainOptions.Retries times; all other failures go on to the next model at
// once. Counted means that the breaker counts it; fatal means that the breaker opens at once. Free means that it cost no
// tokens.
const (
	Unknown         FailureKind = iota // what the chain does not know; counted
	Network                            // the model was not reached; retried, counted, free
	RateLimit                          // 429; retried, counted, free
	Overloaded                         // 5xx, 408; retried, counted
	Timeout                            // it took too long; counted
	BadResponse                        // the answer broke off, or is not what the client can read; counted
	EmptyAnswer                        // an answer that says nothing and does not say why it ended; counted
	Panicked                           // the client panicked; counted
	QuotaExceeded                      // paid up, out of credit; fatal, free
	Unauthorized                       // 401, 403: the key is wrong; fatal, free
	NotFound                           // 404: no such model or address; fatal, free
	InvalidRequest                     // other 4xx: this model does not take such a request; free
	PromptTooLong                      // the prompt does not fit in the model's context; free
	ContentFiltered                    // the provider refuses the content; see ChainOptions.Final
	Canceled                           // the caller gave up, or its streaming function returned an error
	Busy                               // every slot is taken and the queue is full or slow: it was not asked; free
	BreakerOpen                        // the breaker is open: it was not asked; free
	kinds
)

var kindNames = [kinds]string{
	"unknown error", "network error", "rate limited", "overloaded", "timed out", "broken off", "empty answer", "panicked",
	"out of quota", "not authorized", "not found", "invalid request", "prompt too long", "content filtered", "canceled", "busy",
	"breaker open",
}

// String names the kind in a few words, as errors and logs have it: "rate limited", "prompt too long".
func (k FailureKind) String() string {
	if k >= kinds {
		return "unknown error"
	}
	return kindNames[k]
}

func (k FailureKind) retried() bool { return k == Network || k == RateLimit || k == Overloaded }

func (k FailureKind) asked() bool { return k != Busy && k != BreakerOpen }

// free failures cost no tokens: the provider turned the call away before a model read it.
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

// A Failure is what could be told from an error.
type Failure struct {
	Kind       FailureKind
	Status     int           // HTTP's, 0 if it is not told
	RetryAfter time.Duration // how long to wait, as the provider told; 0 if it did not
}
