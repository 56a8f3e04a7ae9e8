package models

import (
	"cmp"
	"context"
	"log/slog"
	"math"

	"github.com/tmc/langchaingo/llms"
)

// A Retrier is a model that retries failed calls, such as a [Chain]. A wrapper that embeds a Chain is also a Retrier:
//
//	type logged struct{ *models.Chain }
//
//	func (m logged) GenerateContent(ctx context.Context, msgs []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error)
type Retrier interface {
	llms.Model
	Retries() bool                  // false means that the caller has to retry
	Wait(ctx context.Context) error // waits until every abandoned call has returned, or ctx ends
}

// RetryOptions are the options of [Retry].
type RetryOptions struct {
	Name   string       // of the model, for errors, logs and [Call]; "" means that of [OpenAI], or else "model"
	Seed   uint64       // seed of the random part of the delays; 0 draws one
	Logger *slog.Logger // logs each failure as a warning; nil discards
}

// Retry returns a model that calls m up to three times. It retries after one or two seconds if m is rate limited, answers
// with 5xx or cannot be reached, and never after a tool ran or a chunk was streamed. The result is a [Chain] of one model
// without a timeout and practically without limits. If m is a [Retrier] that retries, Retry returns m.
func Retry(m llms.Model, o RetryOptions) (Retrier, error) {
	if r, ok := m.(Retrier); ok && r.Retries() {
		return r, nil
	}
	only := Candidate{Name: cmp.Or(o.Name, nameOf(m), "model"), Model: m, MaxConcurrent: math.MaxInt16, Breaker: Breaker{Failures: math.MaxInt}}
	c, err := NewChain([]Candidate{only}, ChainOptions{Timeout: -1, Seed: o.Seed, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// nameOf returns the name of a client of OpenAI under the wrappers of this package, or "".
func nameOf(m llms.Model) string {
	for {
		switch of := m.(type) {
		case *openAI:
			return of.name
		case *normalizer:
			m = of.model
		case *observer:
			m = of.model
		default:
			return ""
		}
	}
}
