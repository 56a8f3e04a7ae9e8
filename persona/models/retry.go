package models

import (
	"log/slog"
	"math"

	"github.com/tmc/langchaingo/llms"
)

// Retry gives a model that is asked again, twice, after a second or two, where it is rate limited, fails with 5xx or was
// not reached, and never after a tool ran or a chunk was streamed: a [Chain] of one, without limits of its own. A chain is
// given back as it is. A nil log discards.
func Retry(m llms.Model, seed uint64, log *slog.Logger) llms.Model {
	if _, ok := m.(*Chain); ok {
		return m
	}
	c, err := NewChain([]Link{{Name: "model", Model: m, Slots: math.MaxInt16, Breaker: Breaker{Failures: math.MaxInt}}}, ChainOptions{Timeout: -1, Seed: seed, Logger: log})
	if err != nil {
		return m // nil: whoever asks it will see
	}
	return c
}
