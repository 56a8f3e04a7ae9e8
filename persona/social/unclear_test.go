package social_test

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// The process may die at any write of a bot on a platform without a history. Then a message that was sent is in the journal,
// or the owner is told that it may not have been sent, and not both.
func TestUnclear_KilledWithoutHistory(t *testing.T) {
	sent, told := 0, 0
	for doom, died := 1, true; died; doom++ {
		died = false
		for how := range 3 {
			synctest.Test(t, func(t *testing.T) {
				f, mem, notices := fake(), memory.NewMemStore(), []string{}
				model := modeltest.Always(modeltest.Say("好的"))
				ctx, kill := context.WithCancel(t.Context())
				store := &crashingStore{MemStore: mem, onCrash: kill}
				store.crashAt(doom, how)
				o := social.Options{Profile: persona.Profile{Name: "小炉"}, Model: model, Link: f, Storage: social.Storage{Store: store}, Location: time.UTC}
				o.When.Attention.Seed = 1
				bot, err := social.New(o)
				require.NoError(t, err)
				ended := make(chan error, 1)
				go func() { ended <- bot.Run(ctx) }()
				f.events <- newMessage("1", "a", "小炉 在吗")
				advance(10 * time.Second)
				kill()
				<-ended
				died = died || store.hasCrashed()

				_, stop := startBot(t, f, model, mem, &notices)
				f.events <- persona.Connected{}
				advance(5 * time.Minute)
				stop()
				require.LessOrEqual(t, len(f.sent), 1)
				if len(f.sent) == 1 {
					sent++
					known := slices.Contains(stored(t, mem), "好的")
					require.Equal(t, !known, strings.Contains(strings.Join(notices, ""), "「好的」"), "write %d, %d: %q", doom, how, notices)
				}
				if len(notices) > 0 {
					told++
				}
			})
		}
	}
	assert.Greater(t, sent, 10)
	assert.Positive(t, told, "some kills leave the outcome unknown")
	assert.Less(t, told, sent)
}
