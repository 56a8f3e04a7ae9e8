package hfc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/learned"
)

// A policy with a lookback.Source may decide in Chatting, for all chats or for one.
func TestPolicy_LookbackInChatting(t *testing.T) {
	learns, err := learned.New(learned.Options{})
	require.NoError(t, err)
	for name, settings := range map[string]*Settings{"all": nil, "one": {Settings: heartflow.Settings{Policy: learns}}} {
		t.Run(name, func(t *testing.T) {
			o := Options{Attention: heartflow.Options{Names: []string{"hearth"}, Seed: 1}}
			if settings == nil {
				o.Attention.Policy = learns
			}
			f := newFlow[int](o)
			if settings != nil {
				require.NoError(t, f.Configure(1, *settings))
			}
			now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
			f.Observe(now, 1, heartflow.Message{From: "bob", Text: "hearth: how do i mount a disk?"})
			saved, err := f.Attention.Snapshot()
			require.NoError(t, err)
			assert.Contains(t, string(saved), `"Recent"`)
		})
	}
}
