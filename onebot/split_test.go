package onebot

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Calls use /api and events use /event. They form one bot, and closing one link does not affect the other.
func TestSplitClient(t *testing.T) {
	var api, event atomic.Int64
	drop := make(chan *peer, 10)
	imp := implement(t, func(p *peer, r *http.Request) {
		assert.Equal(t, "Bearer geheim", r.Header.Get("Authorization"))
		switch r.URL.Path {
		case "/api":
			api.Add(1)
			p.send(groupText(10000, 1, 99, "events do not belong here"))
			p.serve(`{"message_id":7}`)
		case "/event":
			n := event.Add(1)
			p.lifecycle(10000)
			p.send(groupText(10000, 1, n, "x"))
			drop <- p
			_, err := p.read()
			assert.Error(t, err, "no call comes here")
		}
	})
	got := make(chan *GroupMessage, 10)
	c := must(NewSplitClient(imp.url+"/api", imp.url+"/event", Options{Token: "geheim", MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond}))
	run := start(t, c.Run, func(ctx context.Context, bot *Bot, e Event) {
		if m, ok := e.(*GroupMessage); ok {
			assert.Same(t, c.Bot(), bot)
			got <- m
		}
	})
	assert.EqualValues(t, 1, (<-got).MessageID)
	assert.EqualValues(t, 10000, c.Bot().SelfID())
	eventually(t, func() bool { return c.acc.api.Load() != nil })
	id, err := c.Bot().SendGroupMsg(t.Context(), 1, Message{Text("y")})
	require.NoError(t, err)
	assert.EqualValues(t, 7, id)

	(<-drop).ws.CloseNow()
	assert.EqualValues(t, 2, (<-got).MessageID, "a new link for events")
	_, err = c.Bot().SendGroupMsg(t.Context(), 1, Message{Text("y")})
	require.NoError(t, err)
	assert.EqualValues(t, 1, api.Load(), "the one for calls is still there")
	require.NoError(t, run.stop())
	whole(t, c.Stats())
}

func TestSplitClient_WrongToken(t *testing.T) {
	imp := implement(t, func(p *peer, r *http.Request) {
		if r.URL.Path == "/api" {
			p.send(`{"status":"failed","retcode":1403,"data":null,"message":"token验证失败"}`)
			return
		}
		p.hold()
	})
	c := must(NewSplitClient(imp.url+"/api", imp.url+"/event", Options{}))
	assert.ErrorIs(t, start(t, c.Run, nil).wait(), ErrAuth)
	assert.LessOrEqual(t, imp.dials.Load(), int64(2))
	_, err := NewSplitClient(imp.url, "nothing", Options{})
	assert.ErrorContains(t, err, "want one")
}

// A hanging process is detected over the call link. The event link, which cannot be sent requests, is closed with it.
// If the event link has heartbeats, it has its own watchdog.
func TestSplitClient_ClosesBothLinks(t *testing.T) {
	for _, beats := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var api, event atomic.Int64
			n := inMemory(t, func(p *peer, r *http.Request) {
				if r.URL.Path == "/api" {
					api.Add(1)
					for {
						if _, err := p.read(); err != nil { // reads everything and responds to nothing
							return
						}
					}
				}
				event.Add(1)
				p.lifecycle(10000)
				go func() {
					for beats && p.heartbeat(10000, 20_000) == nil {
						time.Sleep(20 * time.Second)
					}
				}()
				p.read()
			})
			c := must(NewSplitClient("ws://pipe/api", "ws://pipe/event", Options{HTTPClient: n.client}))
			run := start(t, c.Run, nil)
			time.Sleep(90 * time.Second)
			if assert.Greater(t, api.Load(), int64(1)); beats {
				assert.EqualValues(t, 1, event.Load())
			} else {
				assert.Greater(t, event.Load(), int64(1), fmt.Sprint(api.Load()))
			}
			require.NoError(t, run.stop())
			n.end()
			time.Sleep(time.Minute) // until the heartbeats have stopped
		})
	}
}

// Only the lifetime of a link resets the backoff; a hanging dial does not count.
func TestBackoff_IgnoresDialTime(t *testing.T) {
	var dials moments
	synctest.Test(t, func(t *testing.T) {
		c := must(NewClient("ws://pipe", Options{MinBackoff: time.Second, MaxBackoff: 10 * time.Second, HTTPClient: &http.Client{
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				dials.note()
				<-r.Context().Done() // 15 s
				return nil, r.Context().Err()
			}),
		}}))
		run := start(t, c.Run, nil)
		time.Sleep(time.Hour)
		require.NoError(t, run.stop())
	})
	at, long := dials.all(), 0
	for i := 1; i < len(at); i++ {
		if at[i].Sub(at[i-1]) > 15*time.Second+2*time.Second {
			long++
		}
	}
	assert.Greater(t, long, len(at)/2, "most waits are longer than the first ceilings")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
