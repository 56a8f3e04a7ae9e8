package social_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A message that was being sent at a shutdown is looked up once the link is connected, however long that takes.
func TestUnclear_LookedUpOnceConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, notices := fake(), memory.NewMemStore(), []string{}
		tries := 0
		f.onSend = func(ctx context.Context) error { tries++; <-ctx.Done(); return social.ErrUnclear }
		_, stop := startBot(t, pastLink{fakeLink: f}, modeltest.Always(modeltest.Say("好的")), store, &notices)
		f.events <- newMessage("1", "a", "小炉 在吗")
		advance(10 * time.Second)
		stop()
		require.Equal(t, 1, tries, "the send was interrupted")
		own := persona.Message{ID: "9", Chat: group1, From: "bot", Own: true, Text: "好的", At: time.Now()}

		f.onSend, f.pastErr = nil, errors.New("no account is connected yet")
		_, stop = startBot(t, pastLink{fakeLink: f}, modeltest.New(), store, &notices)
		defer stop()
		advance(5 * time.Minute)
		f.mu.Lock()
		f.pastErr, f.past[group1] = nil, []persona.Message{own}
		f.mu.Unlock()
		f.events <- persona.Connected{}
		advance(time.Minute)
		assert.Empty(t, notices)
	})
}
