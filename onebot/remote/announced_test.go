package remote_test

import (
	"context"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A connection is announced when its handler has returned. Without a connection there is nothing to announce.
func TestSource_Announced(t *testing.T) {
	h := newHouse(t)
	r := h.relay("a")
	s := remote.NewSource(r.Owner(h.owner(), remote.AccountName(self)), self, remote.SourceOptions{})
	assert.True(t, s.Announced())
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	h.start(func(ctx context.Context) error {
		return s.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) {
			if _, ok := e.(*onebot.Lifecycle); ok {
				select {
				case entered <- struct{}{}:
				default:
				}
				<-leave
			}
		})
	})
	url, _, _ := h.gateway(r)
	h.connect(url)
	<-entered
	assert.False(t, s.Announced())
	close(leave)
	require.Eventually(t, s.Announced, time.Minute, time.Millisecond)
}
