package models_test

import (
	"testing"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/stretchr/testify/assert"
)

func TestPrice_Cost(t *testing.T) {
	u := models.Usage{Prompt: 3_000_000, CacheRead: 1_000_000, Completion: 500_000, Reasoning: 400_000}
	assert.InDelta(t, 2*2+.5+.5*8, models.Price{Prompt: 2, Cached: .5, Answer: 8}.Cost(u), 1e-9)
	assert.Zero(t, models.Price{}.Cost(u))
	assert.Zero(t, models.Price{Prompt: 2, Cached: .5, Answer: 8}.Cost(models.Usage{}))

	prices := models.Prices{"a": {Prompt: 1}, "b": {Answer: 2}}
	assert.InDelta(t, 2+1, prices.Cost(map[string]models.Usage{"a": u, "b": u, "unknown": u}), 1e-9)
}
