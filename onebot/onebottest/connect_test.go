package onebottest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A bed is a bot's server that passes on each connection.
type bed struct {
	conns   chan *websocket.Conn
	headers chan http.Header
	status  atomic.Int32 // refuses all connections if set
}

func newBed() *bed {
	return &bed{conns: make(chan *websocket.Conn, 9), headers: make(chan http.Header, 9)}
}

func (b *bed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.headers <- r.Header
	if n := b.status.Load(); n != 0 {
		w.WriteHeader(int(n))
		return
	}
	if conn, err := websocket.Accept(w, r, nil); err == nil {
		b.conns <- conn
	}
}

func TestConnect_ReverseWebSocket(t *testing.T) {
	s := onebottest.New(onebottest.Options{SelfID: 42, Token: "秘密"})
	defer s.Close()
	g := s.Group(7, "")
	bot := newBed()
	web := httptest.NewServer(bot)
	defer web.Close()
	ended := make(chan error)
	go func() {
		ended <- s.Connect(t.Context(), strings.Replace(web.URL, "http", "ws", 1)+"/onebot", onebottest.ConnectOptions{})
	}()

	header := <-bot.headers
	assert.Equal(t, "42", header.Get("X-Self-ID"))
	assert.Equal(t, "Universal", header.Get("X-Client-Role"))
	assert.Equal(t, "Bearer 秘密", header.Get("Authorization"))
	b := attach(t, <-bot.conns)
	assert.Equal(t, "connect", b.event()["sub_type"])
	g.Say(1, text("在吗"))
	b.do("send_group_msg", object{"group_id": 7, "message": hello})
	assert.Equal(t, "在吗", b.event()["raw_message"])
	assert.Len(t, s.Sent(), 1)
	s.DropLinks()
	assert.Error(t, <-ended, "no reconnecting unless asked for")
}

func TestConnect_Roles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		g := s.Group(7, "")
		bot := newBed()
		join := func(role string) *rawBot {
			go s.Connect(t.Context(), "ws://bot/", onebottest.ConnectOptions{Role: role, Handler: bot})
			require.Equal(t, role, (<-bot.headers).Get("X-Client-Role"))
			return attach(t, <-bot.conns)
		}
		api := join("api")
		event := join("Event")
		assert.Equal(t, "connect", event.event()["sub_type"])
		g.Say(1, text("一"))
		event.write(`{"action":"get_status"}`)
		api.do("get_login_info", nil)
		assert.Equal(t, "一", event.event()["raw_message"])
		synctest.Wait()
		assert.Empty(t, api.held)
		assert.Empty(t, s.Calls("get_status"), "no actions on an event link")
		assert.Equal(t, 1, s.Links())
		assert.ErrorContains(t, s.Connect(t.Context(), "ws://bot/", onebottest.ConnectOptions{Role: "Boss"}), "Boss")
	})
}

func TestConnect_Reconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{Heartbeat: time.Minute})
		bot := newBed()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 2)
		o := onebottest.ConnectOptions{Reconnect: 5 * time.Second, Handler: bot}
		go func() { ended <- s.Connect(ctx, "ws://bot/", o) }()
		start := time.Now()
		for i := range 3 {
			<-bot.headers
			b := attach(t, <-bot.conns)
			b.event()
			time.Sleep(time.Hour) // far beyond the handshake's timeout
			b.do("get_status", nil)
			b.conn.CloseNow()
			assert.Equal(t, time.Duration(i)*(time.Hour+5*time.Second)+time.Hour, time.Since(start).Truncate(time.Second))
		}
		<-bot.headers
		(<-bot.conns).CloseNow()
		bot.status.Store(http.StatusTeapot)
		<-bot.headers
		cancel()
		assert.NoError(t, <-ended)

		bot.status.Store(0)
		go func() { ended <- s.Connect(t.Context(), "ws://bot/", o) }()
		<-bot.headers
		attach(t, <-bot.conns).event()
		s.Close()
		assert.NoError(t, <-ended)
		assert.NoError(t, s.Connect(t.Context(), "ws://bot/", o), "too late")
	})
}
