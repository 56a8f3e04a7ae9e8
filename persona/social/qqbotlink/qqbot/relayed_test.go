package qqbot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A flaky relay does not store the next events.
type flaky struct {
	*relay.Memory
	fails atomic.Int64 // how many
}

func (f *flaky) Publish(ctx context.Context, account string, e relay.Event) error {
	if f.fails.Add(-1) >= 0 {
		return errors.New("no database")
	}
	return f.Memory.Publish(ctx, account, e)
}

// A webhook in one process stores events for the bot in another one. It acknowledges only what is stored.
func TestWebhook_Forward(t *testing.T) {
	s := qqbottest.New(qqbottest.Options{})
	t.Cleanup(s.Close)
	mem := &flaky{Memory: relay.NewMemory()}
	hook := s.Client(qqbot.Options{}).Webhook()
	srv := httptest.NewServer(hook)
	t.Cleanup(srv.Close)
	run := func(f func(ctx context.Context) error) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f(ctx) }()
		stop = sync.OnceFunc(func() {
			cancel()
			assert.NoError(t, <-ended)
		})
		t.Cleanup(stop)
		return stop
	}
	run(func(ctx context.Context) error { return hook.Forward(ctx, mem, "bot") })
	require.Eventually(t, func() bool { return s.Validate(t.Context(), srv.URL, nil) == nil }, time.Minute, time.Millisecond)
	s.Post(srv.URL, nil)
	u := s.User("U")
	var want []string
	say := func(n int) {
		for range n {
			want = append(want, u.Say(fmt.Sprint(len(want))).EventID)
		}
	}
	say(5)
	require.NoError(t, s.WaitPushes(t.Context(), func(all []qqbottest.Push) bool { return len(all) == 5 && all[4].Acked }))
	assert.Equal(t, 5, mem.Waiting("bot"))

	var rec recorder
	owner := func() (stop func()) {
		c := s.Client(qqbot.Options{})
		events := c.Relayed(mem.Owner("bot"))
		return run(func(ctx context.Context) error { return events.Run(ctx, rec.handle) })
	}
	stop := owner()
	wait := func() {
		t.Helper()
		require.Eventually(t, func() bool { return len(rec.ids()) >= len(want) }, time.Minute, time.Millisecond)
		assert.Equal(t, want, rec.ids())
		require.Eventually(t, func() bool { return mem.Waiting("bot") == 0 }, time.Minute, time.Millisecond)
	}
	wait()
	mem.fails.Store(1)
	say(1)
	wait()
	assert.Negative(t, mem.fails.Load(), "it was pushed twice")
	stop()
	say(3)
	owner()
	wait()
}
