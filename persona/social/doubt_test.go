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

// TestLookedUpOnceThereIsALink: what was being sent at a stop is looked up when the link is there, however long that takes.
func TestLookedUpOnceThereIsALink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, store, told := fake(), memory.NewMemStore(), []string{}
		tries := 0
		f.say = func(ctx context.Context) error { tries++; <-ctx.Done(); return social.ErrUnclear }
		_, stop := liveOn(t, pastLink{fakeLink: f}, modeltest.Always(modeltest.Say("好的")), store, &told)
		f.in <- heard("1", "a", "小炉 在吗")
		after(10 * time.Second)
		stop()
		require.Equal(t, 1, tries, "it was being sent")
		own := persona.Message{ID: "9", Chat: room1, From: "bot", Own: true, Text: "好的", At: time.Now()}

		f.say, f.pastErr = nil, errors.New("no account is connected yet")
		_, stop = liveOn(t, pastLink{fakeLink: f}, modeltest.New(), store, &told)
		defer stop()
		after(5 * time.Minute)
		f.mu.Lock()
		f.pastErr, f.past[room1] = nil, []persona.Message{own}
		f.mu.Unlock()
		f.in <- persona.Connected{}
		after(time.Minute)
		assert.Empty(t, told)
	})
}
