package social_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The trace of a call has the part of the prompt that is the start of an earlier request.
func TestTrace_RepeatedPrompt(t *testing.T) {
	model := modeltest.Func(answering(func(modeltest.Prompt) string { return "嗯" }))
	withFixture(t, model, nil, func(f *fixture) {
		for range 2 {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(5 * time.Minute)
		}
		traces := f.tracesOf(heartflow.KindModel)
		require.Len(t, traces, 2)
		first, second := traces[0].Call, traces[1].Call
		assert.Zero(t, first.Repeated)
		assert.Greater(t, second.Repeated, second.Prompt/2)
		assert.Less(t, second.Repeated, second.Prompt)
		share, reported := f.bot.CacheShare()
		assert.InDelta(t, float64(second.Repeated)/float64(first.Prompt+second.Prompt), share, 1e-9)
		assert.False(t, reported)
	})
}
