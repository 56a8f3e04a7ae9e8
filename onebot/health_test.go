package onebot_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client knows how fast its calls are, when it last heard of the peer, and how often and why the link dropped.
func TestClient_Health(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{SelfID: 7, Heartbeat: 10 * time.Second})
		defer qq.Close()
		slow := func(d time.Duration) func(json.RawMessage) (any, error) {
			return func(json.RawMessage) (any, error) { time.Sleep(d); return nil, nil }
		}
		qq.Handle("fast", slow(time.Millisecond))
		qq.Handle("slow", slow(3*time.Second))
		qq.Handle("stuck", slow(time.Minute))
		client, err := onebot.NewClient("ws://qq.example:3001", onebot.Options{HTTPClient: qq.HTTPClient(), MinBackoff: time.Second, MaxBackoff: time.Second})
		require.NoError(t, err)
		health := func() onebot.Health {
			synctest.Wait()
			all := client.Health()
			require.Len(t, all, 1)
			return all[0]
		}
		assert.Equal(t, onebot.Health{}, health(), "before Run")
		qq.RefuseConnections(true)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- client.Run(ctx, nil) }()
		h := health()
		assert.False(t, h.Connected)
		assert.Contains(t, h.DialError, "dial")
		assert.Zero(t, h.Reconnects)

		qq.RefuseConnections(false)
		time.Sleep(25 * time.Second)
		h = health()
		assert.EqualValues(t, 7, h.SelfID)
		assert.True(t, h.Connected)
		assert.Empty(t, h.DialError)
		assert.InDelta(t, 25, time.Since(h.Since).Seconds(), 2)
		assert.Equal(t, 10*time.Second, h.Interval)
		assert.Less(t, time.Since(h.Heartbeat), 10*time.Second)
		assert.Equal(t, h.Heartbeat, h.Heard, "nothing else arrives")
		assert.Zero(t, h.Calls)
		assert.Zero(t, h.Lost)

		for range 18 {
			require.NoError(t, client.Bot().Call(t.Context(), "fast", nil, nil))
		}
		for range 2 {
			require.NoError(t, client.Bot().Call(t.Context(), "slow", nil, nil))
		}
		assert.ErrorIs(t, client.Bot().Call(t.Context(), "no_such_action", nil, nil), onebot.ErrUnknownAction)
		assert.ErrorIs(t, client.Bot().Call(t.Context(), "stuck", nil, nil), onebot.ErrTimeout)
		time.Sleep(time.Minute) // until the peer has answered
		h = health()
		assert.Equal(t, 21, h.Calls, "with the refusal, which is an answer")
		assert.InDelta(t, time.Millisecond, h.P50, float64(time.Millisecond))
		assert.InDelta(t, 3*time.Second, h.P95, float64(10*time.Millisecond))
		assert.EqualValues(t, 1, h.TimedOut)

		before := time.Now()
		qq.DropLinks()
		h = health()
		assert.False(t, h.Connected)
		assert.Equal(t, before, h.Since)
		assert.Equal(t, before, h.Lost)
		assert.Contains(t, h.LostReason, "onebot: read")
		assert.NotZero(t, h.Heartbeat, "that of the lost link")
		time.Sleep(2 * time.Second)
		h = health()
		assert.True(t, h.Connected)
		assert.EqualValues(t, 1, h.Reconnects)
		assert.Equal(t, before, h.Lost)
		stop()
		require.NoError(t, <-ended)
		assert.False(t, health().Connected)
		assert.Equal(t, before, health().Lost, "the end of Run is no loss")
	})
}

// A server knows the state of each account.
func TestServer_Health(t *testing.T) {
	s := onebot.NewServer(onebot.Options{})
	host := httptest.NewServer(s)
	defer host.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, nil) }()
	defer func() { stop(); require.NoError(t, <-ended) }()
	assert.Empty(t, s.Health())
	states := func(want ...bool) func() bool {
		return func() bool {
			all := s.Health()
			for i, h := range all {
				if len(all) != len(want) || h.Connected != want[i] || h.SelfID != int64(i+1) {
					return false
				}
			}
			return len(all) == len(want)
		}
	}
	var qqs []*onebottest.Server
	for _, id := range []int64{2, 1} {
		qq := onebottest.New(onebottest.Options{SelfID: id})
		defer qq.Close()
		connecting, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- qq.Connect(connecting, "ws"+host.URL[len("http"):], onebottest.ConnectOptions{}) }()
		defer func() { end(); <-done }()
		require.NoError(t, qq.WaitLink(t.Context()))
		qqs = append(qqs, qq)
	}
	require.Eventually(t, states(true, true), time.Minute, 5*time.Millisecond)
	qqs[0].RefuseConnections(true)
	qqs[0].DropLinks()
	require.Eventually(t, states(true, false), time.Minute, 5*time.Millisecond)
	assert.NotEmpty(t, s.Health()[1].LostReason)
}

// Two links of one account: calls and events. Each counts its own reconnects.
func TestSplitClient_Health(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{SelfID: 7})
		defer qq.Close()
		client, err := onebot.NewSplitClient("ws://qq.example:3001/api", "ws://qq.example:3001/event", onebot.Options{HTTPClient: qq.HTTPClient(), MinBackoff: time.Second, MaxBackoff: time.Second})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- client.Run(ctx, nil) }()
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, client.Connected())
		assert.Zero(t, client.Health()[0].Reconnects)
		qq.DropLinks()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 2, client.Health()[0].Reconnects)
		stop()
		require.NoError(t, <-ended)
	})
}
