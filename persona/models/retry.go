package models

import (
	"context"
	"log/slog"
	"math"

	"github.com/tmc/langchaingo/llms"
)

// A Retrier is a model that retries failed calls. [Chain] is one. A type that wraps a Chain and embeds it is one, too:
//
//	type logged struct{ *models.Chain }
//
//	func (m logged) GenerateContent(ctx context.Context, msgs []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error)
type Retrier interface {
	llms.Model
	Retries() bool                  // false: the model is called as if it were no Retrier
	Wait(ctx context.Context) error // returns when every abandoned call has returned, or when ctx ends
}

// RetryOptions are the options of [Retry].
type RetryOptions struct {
	Seed   uint64       // of the random part of the waits; 0 draws one
	Logger *slog.Logger // gets a warning for each failure; nil discards
}

// Retry returns a model that calls m up to three times: again after one or two seconds if m is rate limited, answers with
// 5xx, or cannot be reached. It never retries after a tool ran or a chunk was streamed. It is a [Chain] of one model
// without a timeout, a limit on concurrent calls or a breaker for repeated failures. If m is a [Retrier] that retries,
// Retry returns m itself.
func Retry(m llms.Model, o RetryOptions) (Retrier, error) {
	if r, ok := m.(Retrier); ok && r.Retries() {
		return r, nil
	}
	only := Candidate{Name: "model", Model: m, MaxConcurrent: math.MaxInt16, Breaker: Breaker{Failures: math.MaxInt}}
	c, err := NewChain([]Candidate{only}, ChainOptions{Timeout: -1, Seed: o.Seed, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	return c, nil
}
