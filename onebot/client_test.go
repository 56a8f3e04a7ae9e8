package onebot

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClient(t *testing.T) {
	imp := implement(t, func(p *peer, r *http.Request) {
		assert.Equal(t, "Bearer geheim", r.Header.Get("Authorization"))
		p.lifecycle(10000)
		p.send(groupText(10000, 1, 7, "在吗"))
		p.serve(`{"message_id":"-964635551"}`)
	})
	type got struct {
		bot *Bot
		e   Event
	}
	events := make(chan got, 10)
	c := must(NewClient(imp.url, Options{Token: "geheim"}))
	run := start(t, c.Run, func(_ context.Context, bot *Bot, e Event) { events <- got{bot, e} })
	var msg *GroupMessage
	for msg == nil {
		g := <-events
		assert.Same(t, c.Bot(), g.bot)
		msg, _ = g.e.(*GroupMessage)
	}
	assert.Equal(t, "在吗", msg.Message.Text())
	assert.EqualValues(t, 10000, c.Bot().SelfID())
	id, err := c.Bot().SendGroupMsg(t.Context(), 1, Message{Text("在")})
	require.NoError(t, err)
	assert.EqualValues(t, -964635551, id)
	assert.Error(t, c.Run(t.Context(), nil), "a second Run")
	require.NoError(t, run.stop())
	_, err = c.Bot().SendGroupMsg(t.Context(), 1, nil)
	assert.ErrorIs(t, err, ErrDisconnected)
	assert.NotErrorIs(t, err, ErrUnclear)
	s := c.Stats()
	whole(t, s)
	assert.EqualValues(t, 1, s.Links)
}

// The peer dies during a call: the caller gets an error at once, with the right class.
func TestCall_PeerKilled(t *testing.T) {
	for _, action := range []string{"send_group_msg", "get_group_list"} {
		bubble(t, Options{}, func(p *peer, _ *http.Request) { p.read() }, func(t *testing.T, _ *pipes, c *Client) {
			synctest.Wait()
			began := time.Now()
			err := c.Bot().Call(t.Context(), action, nil, nil)
			assert.Zero(t, time.Since(began))
			assert.ErrorIs(t, err, ErrDisconnected)
			assert.Equal(t, action == "send_group_msg", errors.Is(err, ErrUnclear), "%v", err)
			assert.NotErrorIs(t, err, ErrTimeout)
		})
	}
}

// A cancelled call does not close the link, and its late response is discarded.
func TestCall_Cancelled(t *testing.T) {
	bubble(t, Options{}, func(p *peer, _ *http.Request) {
		p.lifecycle(10000)
		first, _ := p.read()
		time.Sleep(10 * time.Second)
		p.answer(first, `{"user_id":1}`)
		p.serve(`{"user_id":2}`)
	}, func(t *testing.T, n *pipes, c *Client) {
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.Bot().SendPrivateMsg(ctx, 5, Message{Text("x")})
		assert.Equal(t, time.Second, time.Since(began))
		assert.ErrorIs(t, err, ErrTimeout)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, ErrUnclear)
		info, err := c.Bot().GetLoginInfo(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 2, info.UserID, "the first answer is not taken for the second")
		ended, end := context.WithCancel(t.Context())
		end()
		_, err = c.Bot().SendPrivateMsg(ended, 5, Message{Text("x")})
		assert.ErrorIs(t, err, context.Canceled)
		assert.NotErrorIs(t, err, ErrUnclear, "it was not written")
		assert.EqualValues(t, 1, n.dials.Load())
		assert.EqualValues(t, 1, c.Stats().Unmatched)
	})
}

func TestCall_Refusals(t *testing.T) {
	imp := implement(t, func(p *peer, _ *http.Request) {
		for {
			r, err := p.read()
			if err != nil {
				return
			}
			p.send(strings.Replace(string(r.Params), "{", `{"echo":`+string(r.Echo)+`,`, 1)) // the test chooses the response
		}
	})
	c := must(NewClient(imp.url, Options{}))
	start(t, c.Run, nil)
	up(t, c)
	require.EqualError(t, (&callError{"a", []error{ErrDisconnected, ErrUnclear}}), "onebot: call a: not connected; may have been sent")
	for _, k := range []struct {
		action string
		params map[string]any
		want   []error
		text   string
	}{
		{"a", map[string]any{"status": "ok", "retcode": 0, "data": nil}, nil, ""},
		{"a", map[string]any{"status": "async", "retcode": 1, "data": nil}, nil, ""},
		{"a", map[string]any{"status": "failed", "retcode": 1400, "message": "缺少参数"}, []error{ErrBadParams}, "onebot: call a: retcode 1400: 缺少参数"},
		{"a", map[string]any{"status": "failed", "retcode": 1404}, []error{ErrUnknownAction}, "onebot: call a: retcode 1404"},
		{"a", map[string]any{"status": "failed", "retcode": 404}, []error{ErrUnknownAction}, ""},
		{"a", map[string]any{"status": "failed", "retcode": 1403}, []error{ErrAuth}, ""},
		{"a", map[string]any{"status": "failed", "retcode": 200, "wording": "失败"}, []error{ErrFailed}, "onebot: call a: retcode 200: 失败"},
		{"a", map[string]any{"status": "failed", "retcode": 0}, []error{ErrFailed}, ""},
		{"a", map[string]any{"status": "ok", "retcode": 100, "msg": "GROUP_NOT_FOUND", "wording": "群不存在"}, []error{ErrFailed}, "onebot: call a: retcode 100: GROUP_NOT_FOUND: 群不存在"},
		{"send_group_msg", map[string]any{"status": "failed", "retcode": 1200, "message": "Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg"}, []error{ErrFailed, ErrUnclear}, ""},
		{"send_msg", map[string]any{"status": "failed", "retcode": 100, "msg": "SEND_MSG_API_ERROR"}, []error{ErrFailed, ErrUnclear}, ""},
		{"get_msg", map[string]any{"status": "failed", "retcode": 1200, "message": "Timeout"}, []error{ErrFailed}, ""},
		{"send_group_msg", map[string]any{"status": "failed", "retcode": 1200, "message": "已被禁言"}, []error{ErrFailed}, ""},
	} {
		err := c.Bot().Call(t.Context(), k.action, k.params, nil)
		for _, kind := range []error{ErrBadParams, ErrUnknownAction, ErrAuth, ErrFailed, ErrUnclear, ErrTimeout, ErrDisconnected} {
			is := false
			for _, w := range k.want {
				is = is || w == kind
			}
			assert.Equal(t, is, errors.Is(err, kind), "%v: %v", k.params, kind)
		}
		if k.text != "" {
			assert.EqualError(t, err, k.text)
		}
		if k.want != nil {
			assert.ErrorAs(t, err, new(*APIError))
		} else {
			assert.NoError(t, err)
		}
	}
	for _, bad := range []any{make(chan int), 5, "x", []int{1}, Message{{Type: "x", Data: []byte("{")}}} {
		assert.ErrorIs(t, c.Bot().Call(t.Context(), "a", bad, nil), ErrBadParams)
	}
	var wrong struct{ Data int }
	odd := map[string]any{"status": "ok", "data": map[string]any{"data": "x"}}
	assert.ErrorContains(t, c.Bot().Call(t.Context(), "a", odd, &wrong), "onebot: call a: result: json: cannot unmarshal string")
	assert.ErrorIs(t, c.Bot().Call(t.Context(), "send_msg", odd, &wrong), ErrUnclear, "it was sent, under an id that nobody understands")
}

func TestClient_WrongToken(t *testing.T) {
	refusal := `{"status":"failed","retcode":1403,"data":null,"message":"token验证失败","wording":"token验证失败","echo":null}`
	for name, f := range map[string]http.HandlerFunc{
		"401": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) },
		"403": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) },
		"101 then 1403": accepting(t, new(atomic.Int64), func(p *peer, _ *http.Request) {
			p.send(refusal)
			p.ws.Close(websocket.StatusNormalClosure, "")
		}).ServeHTTP,
		"101 then 1403 without echo": accepting(t, new(atomic.Int64), func(p *peer, _ *http.Request) {
			p.send(strings.Replace(refusal, `,"echo":null`, "", 1))
			p.ws.Close(websocket.StatusPolicyViolation, "invalid access token")
		}).ServeHTTP,
		"101 then close": accepting(t, new(atomic.Int64), func(p *peer, _ *http.Request) {
			p.ws.Close(websocket.StatusPolicyViolation, "invalid access token")
		}).ServeHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dials atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { dials.Add(1); f(w, r) }))
			defer s.Close()
			c := must(NewClient(s.URL+"/?access_token=geheim", Options{Token: "geheim", MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond}))
			err := start(t, c.Run, nil).wait()
			assert.ErrorIs(t, err, ErrAuth)
			assert.ErrorAs(t, err, new(*AuthError))
			assert.EqualValues(t, 1, dials.Load())
			assert.NotContains(t, err.Error(), "geheim")
		})
	}
}

func TestNewClient_BadURL(t *testing.T) {
	for _, u := range []string{"", "127.0.0.1:3001", "ftp://a", "ws://", "ws://a b"} {
		_, err := NewClient(u, Options{})
		assert.ErrorContains(t, err, "want one", u)
	}
	err := dialFailure(nil, &http.Response{StatusCode: 500})
	assert.EqualError(t, err, "onebot: dial: HTTP status 500")
}

// Frames that are not JSON, and events with missing fields or fields of wrong types, do not close the link.
func TestClient_BadFrames(t *testing.T) {
	imp := implement(t, func(p *peer, _ *http.Request) {
		p.lifecycle(10000)
		for _, s := range badFrames {
			p.send(s)
		}
		p.send(`{"status":"ok","retcode":0,"data":null,"echo":"nobody"}`)
		p.send(`{"status":"ok","retcode":0,"data":null,"echo":{"seq":1}}`)
		p.send(`{"post_type":"message","message_type":"group","self_id":"10000","group_id":1.0,"user_id":null,"message_id":{},"message":7,"sender":"x"}`)
		p.send(groupText(10000, 1, 7, "still there"))
		p.hold()
	})
	got := make(chan *GroupMessage, 10)
	c := must(NewClient(imp.url, Options{}))
	start(t, c.Run, func(_ context.Context, _ *Bot, e Event) {
		if m, ok := e.(*GroupMessage); ok {
			got <- m
		}
	})
	assert.EqualValues(t, 1, (<-got).GroupID)
	assert.Equal(t, "still there", (<-got).Message.Text())
	assert.EqualValues(t, 1, imp.dials.Load())
	s := c.Stats()
	assert.EqualValues(t, len(badFrames), s.Malformed)
	assert.EqualValues(t, 2, s.Unmatched)
	whole(t, s)
}

// With one worker and a full queue, handlers still get responses, because reading never waits for them.
func TestClient_HandlerCallsWithFullQueue(t *testing.T) {
	const n = 300
	asked := make(chan struct{})
	imp := implement(t, func(p *peer, _ *http.Request) {
		p.lifecycle(10000)
		for i := range int64(n) {
			p.send(groupText(10000, 1+i%3, i/3, "x"))
		}
		close(asked)
		p.serve(`{"message_id":1}`)
	})
	c := must(NewClient(imp.url, Options{Workers: 1, QueueBytes: 20 * 700}))
	var mu sync.Mutex
	next, lost := map[int64]int64{}, 0
	start(t, c.Run, func(ctx context.Context, bot *Bot, e Event) {
		<-asked
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case *GroupMessage:
			assert.Equal(t, next[e.GroupID], e.MessageID)
			next[e.GroupID]++
			_, err := bot.SendGroupMsg(ctx, e.GroupID, Message{Text("y")})
			assert.NoError(t, err)
		case *Dropped:
			next[e.GroupID] += int64(e.Count)
			lost += e.Count
		}
	})
	eventually(t, func() bool { s := c.Stats(); whole(t, s); return s.Received == n+1 && s.Queued == 0 })
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, map[int64]int64{1: n / 3, 2: n / 3, 3: n / 3}, next, "handled and announced make up all")
	assert.EqualValues(t, lost, c.Stats().Overflowed)
	assert.NotZero(t, lost)
}

// Run waits for running handlers, and no handler is called after it returned.
func TestRun_WaitsForHandlers(t *testing.T) {
	imp := implement(t, func(p *peer, _ *http.Request) {
		p.lifecycle(10000)
		for i := int64(0); p.send(groupText(10000, i%5, i, "x")) == nil; i++ {
		}
	})
	c := must(NewClient(imp.url, Options{Workers: 3, QueueBytes: 1 << 20}))
	for range 3 {
		var over atomic.Bool
		var at atomic.Int64
		entered := make(chan struct{}, 1)
		run := start(t, c.Run, func(ctx context.Context, _ *Bot, _ Event) {
			assert.False(t, over.Load())
			at.Add(1)
			select {
			case entered <- struct{}{}:
			default:
			}
			<-ctx.Done()
			time.Sleep(20 * time.Millisecond)
			at.Add(-1)
		})
		<-entered
		require.NoError(t, run.stop())
		over.Store(true)
		assert.Zero(t, at.Load())
		s := c.Stats()
		whole(t, s)
		assert.Zero(t, s.Queued)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
