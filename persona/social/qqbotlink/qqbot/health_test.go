package qqbot_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client knows how fast its calls are, when the gateway answered last, and how often and why its session was interrupted.
func TestHealth(t *testing.T) {
	backoff := qqbot.Options{MinBackoff: time.Second, MaxBackoff: time.Second, CallTimeout: 10 * time.Second}
	bubble(t, qqbottest.Options{}, backoff, func(s *qqbottest.Server) { s.RefuseLinks(true) }, func(t *testing.T, r *run) {
		h := r.c.Health()
		assert.False(t, h.Connected)
		assert.Zero(t, h.Since)
		assert.Zero(t, h.Reconnects)
		assert.Contains(t, h.DialError, "dial")

		r.s.RefuseLinks(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		h = r.c.Health()
		assert.True(t, h.Connected)
		assert.Empty(t, h.DialError)
		assert.InDelta(t, 120, time.Since(h.Since).Seconds(), 3)
		assert.Less(t, time.Since(h.Heartbeat), time.Minute)
		assert.NotZero(t, h.Heartbeat)
		assert.Equal(t, h.Heartbeat, h.Heard, "nothing else arrives")
		assert.Zero(t, h.Lost)
		known := h.Calls

		r.s.Delay(qqbottest.Messages, 3*time.Second)
		for range 3 {
			_, err := r.c.Send(t.Context(), qqbot.GroupChat("G1"), qqbot.Out{Text: "在"})
			require.Error(t, err, "nothing to reply to; a refusal is an answer")
		}
		r.s.Delay(qqbottest.Messages, time.Minute)
		_, err := r.c.Send(t.Context(), qqbot.GroupChat("G1"), qqbot.Out{Text: "在"})
		require.Error(t, err)
		h = r.c.Health()
		assert.Equal(t, known+3, h.Calls)
		assert.Equal(t, 3*time.Second, h.P95)
		assert.EqualValues(t, 1, h.TimedOut)

		before := time.Now()
		r.s.DropLinks()
		synctest.Wait()
		h = r.c.Health()
		assert.False(t, h.Connected)
		assert.Equal(t, before, h.Lost)
		assert.NotEmpty(t, h.LostReason)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		h = r.c.Health()
		assert.True(t, h.Connected, "the session was resumed")
		assert.EqualValues(t, 1, h.Reconnects)
		assert.EqualValues(t, 1, r.c.Stats().Resumes)
		require.NoError(t, r.stop())
		h = r.c.Health()
		assert.False(t, h.Connected)
		assert.Equal(t, before, h.Lost, "the end of Run is no loss")
	})
}
