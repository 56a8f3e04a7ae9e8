package onebot

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listen serves s over a real socket.
func listen(t *testing.T, s *Server) (url string) {
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// connect dials a server like an implementation.
func connect(t *testing.T, url string, header ...string) *peer {
	t.Helper()
	p, status := tryConnect(t, url, header...)
	require.NotNil(t, p, "HTTP status %d", status)
	return p
}

func tryConnect(t *testing.T, url string, header ...string) (*peer, int) {
	h := make(http.Header)
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: h, Host: h.Get("Host")})
	if err != nil {
		require.NotNil(t, resp, err)
		return nil, resp.StatusCode
	}
	t.Cleanup(func() { ws.CloseNow() })
	return &peer{t, ws}, 101
}

// waiting returns a server with a running Run.
func waiting(t *testing.T, o Options, h Handler) (*Server, string, *running) {
	s := NewServer(o)
	url := listen(t, s)
	run := start(t, s.Run, h)
	eventually(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.running != nil })
	return s, url, run
}

func connectedBot(t *testing.T, s *Server, self int64) (b *Bot) {
	t.Helper()
	eventually(t, func() (ok bool) { b, ok = s.Bot(self); return ok })
	require.NotNil(t, b)
	return b
}

func TestServer_Token(t *testing.T) {
	_, url, _ := waiting(t, Options{Token: "geheim"}, nil)
	for _, c := range []struct {
		query, auth string
		status      int
	}{
		{"", "", 401}, {"", "Bearer ", 401}, {"", "Bearer falsch", 403}, {"?access_token=falsch", "", 403}, {"", "geheim", 401}, {"", "Basic geheim", 401},
		{"", "Bearer geheim", 101}, {"", "bearer geheim", 101}, {"", "Token geheim", 101}, {"?access_token=geheim", "", 101},
		{"?access_token=geheim", "Bearer ", 101}, {"?access_token=geheim", "Bearer falsch", 101}, {"", "Bearer geheim2", 403},
	} {
		_, status := tryConnect(t, url+"/ws"+c.query, "Authorization", c.auth, "X-Self-ID", "10000")
		assert.Equal(t, c.status, status, "%+v", c)
	}
}

// A web page in a browser on this machine can open WebSockets to loopback, too.
func TestServer_RefusesBrowsers(t *testing.T) {
	_, url, _ := waiting(t, Options{}, nil)
	_, status := tryConnect(t, url, "Origin", "http://evil.example", "X-Self-ID", "10000")
	assert.Equal(t, 403, status)
}

func TestServer_WithoutRun(t *testing.T) {
	s := NewServer(Options{})
	url := listen(t, s)
	_, status := tryConnect(t, url)
	assert.Equal(t, 503, status)
	run := start(t, s.Run, nil)
	eventually(t, func() bool { p, _ := tryConnect(t, url, "X-Self-ID", "1"); return p != nil })
	assert.Error(t, s.Run(t.Context(), nil), "a second Run")
	require.NoError(t, run.stop())
	_, ok := s.Bot(1)
	assert.False(t, ok, "links end with Run")
	_, status = tryConnect(t, url)
	assert.Equal(t, 503, status)
}

func TestServer_TwoAccounts(t *testing.T) {
	const n = 200
	var mu sync.Mutex
	got := map[int64]int64{}
	s, url, run := waiting(t, Options{}, func(ctx context.Context, bot *Bot, e Event) {
		m, ok := e.(*GroupMessage)
		if !ok {
			return
		}
		assert.Equal(t, m.SelfID, bot.SelfID())
		id, err := bot.SendGroupMsg(ctx, m.GroupID, Message{Text("y")})
		assert.NoError(t, err)
		assert.Equal(t, bot.SelfID(), id, "the answer of its own peer")
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, got[m.SelfID], m.MessageID, "in order, though the group has the same id")
		got[m.SelfID]++
	})
	for _, self := range []int64{10000, 20000} {
		p := connect(t, url, "X-Self-ID", fmt.Sprint(self), "X-Client-Role", "Universal")
		go func() {
			for i := range int64(n) {
				p.send(groupText(self, 1, i, "x"))
			}
		}()
		go p.serve(fmt.Sprintf(`{"message_id":%d}`, self))
	}
	eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return got[10000] == n && got[20000] == n })
	assert.NotSame(t, connectedBot(t, s, 10000), connectedBot(t, s, 20000))
	require.NoError(t, run.stop())
	whole(t, s.Stats())
}

// The same account twice: the newer link wins, and closing the older one does not affect it.
func TestServer_SameAccountTwice(t *testing.T) {
	s, url, _ := waiting(t, Options{}, nil)
	old := connect(t, url, "X-Self-ID", "10000")
	bot := connectedBot(t, s, 10000)
	pending := make(chan error)
	go func() { _, err := bot.SendGroupMsg(context.Background(), 1, nil); pending <- err }()
	_, err := old.read()
	require.NoError(t, err)

	young := connect(t, url, "X-Self-ID", "10000")
	assert.ErrorIs(t, <-pending, ErrUnclear, "calls of the old link end with it")
	_, err = old.read()
	assert.Error(t, err, "the old link is closed")
	go young.serve(`{"user_id":10000}`)
	for range 20 {
		info, err := bot.GetLoginInfo(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 10000, info.UserID)
		time.Sleep(time.Millisecond)
	}
	assert.Same(t, bot, connectedBot(t, s, 10000))
	young.ws.CloseNow()
	eventually(t, func() bool { _, ok := s.Bot(10000); return !ok })
	_, err = bot.GetLoginInfo(t.Context())
	assert.ErrorIs(t, err, ErrDisconnected)
}

// API and Event connections form one bot. Roles are case-insensitive.
func TestServer_JoinsRoles(t *testing.T) {
	events := make(chan Event, 10)
	s, url, _ := waiting(t, Options{}, func(_ context.Context, _ *Bot, e Event) { events <- e })
	ev := connect(t, url+"/event", "X-Self-ID", "10000", "X-Client-Role", "Event")
	bot := connectedBot(t, s, 10000)
	_, err := bot.GetLoginInfo(t.Context())
	assert.ErrorIs(t, err, ErrDisconnected, "no API link yet")
	api := connect(t, url+"/api", "X-Self-ID", "10000", "X-Client-Role", "api")
	go api.serve(`{"user_id":10000}`)
	eventually(t, func() bool { _, err := bot.GetLoginInfo(t.Context()); return err == nil })
	api.send(groupText(10000, 1, 0, "not from here"))
	eventually(t, func() bool { _, err := bot.GetLoginInfo(t.Context()); return err == nil })
	ev.send(groupText(10000, 1, 1, "x"))
	assert.EqualValues(t, 1, (<-events).(*GroupMessage).MessageID, "events come from one link only")

	uni := connect(t, url, "X-Self-ID", "10000", "X-Client-Role", "UNIVERSAL")
	_, err = ev.read()
	assert.Error(t, err, "both roles are taken over")
	go uni.serve(`{"user_id":10000}`)
	eventually(t, func() bool { _, err := bot.GetLoginInfo(t.Context()); return err == nil })
}

// Without X-Self-ID the first event identifies the link's account.
func TestServer_AccountFromFirstEvent(t *testing.T) {
	events := make(chan Event, 10)
	s, url, _ := waiting(t, Options{}, func(_ context.Context, b *Bot, e Event) { events <- e })
	p := connect(t, url)
	p.send(groupText(0, 1, 1, "whose?"))
	p.send(groupText(10000, 1, 2, "mine"))
	assert.EqualValues(t, 2, (<-events).(*GroupMessage).MessageID)
	connectedBot(t, s, 10000)
	assert.EqualValues(t, 1, s.Stats().Malformed)
}

// The handshake completes while every handler is blocked.
func TestServer_AcceptsWhileHandlersBlock(t *testing.T) {
	blocked := make(chan struct{}, 10)
	s, url, _ := waiting(t, Options{Workers: 1}, func(ctx context.Context, _ *Bot, _ Event) { blocked <- struct{}{}; <-ctx.Done() })
	p := connect(t, url, "X-Self-ID", "10000")
	p.send(groupText(10000, 1, 1, "x"))
	<-blocked
	other := connect(t, url, "X-Self-ID", "20000")
	go other.serve(`{"user_id":20000}`)
	info, err := connectedBot(t, s, 20000).GetLoginInfo(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 20000, info.UserID)
}

// lazyWriter delays the header and hides the connection, like some frameworks and their middleware.
type lazyWriter struct {
	w    http.ResponseWriter
	code int
}

func (l *lazyWriter) Header() http.Header         { return l.w.Header() }
func (l *lazyWriter) Write(b []byte) (int, error) { l.WriteHeaderNow(); return l.w.Write(b) }
func (l *lazyWriter) WriteHeader(code int)        { l.code = code }
func (l *lazyWriter) WriteHeaderNow()             { l.w.WriteHeader(l.code) }
func (l *lazyWriter) Unwrap() http.ResponseWriter { return l.w }

func TestServer_BehindAFramework(t *testing.T) {
	s, _, _ := waiting(t, Options{}, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(&lazyWriter{w: w}, r) }))
	t.Cleanup(srv.Close)
	p := connect(t, "ws"+strings.TrimPrefix(srv.URL, "http"), "X-Self-ID", "10000")
	go p.serve(`{"user_id":10000}`)
	_, err := connectedBot(t, s, 10000).GetLoginInfo(t.Context())
	require.NoError(t, err)
}

// OnLink tells each new link, and when the last one is gone. Disconnect closes the links of one account.
func TestServer_OnLink(t *testing.T) {
	news := make(chan string, 10)
	s, url, _ := waiting(t, Options{OnLink: func(b *Bot, up bool) { news <- fmt.Sprint(b.SelfID(), " ", up) }}, nil)
	ev := connect(t, url+"/event", "X-Self-ID", "10000", "X-Client-Role", "Event")
	assert.Equal(t, "10000 true", <-news)
	api := connect(t, url+"/api", "X-Self-ID", "10000", "X-Client-Role", "api")
	assert.Equal(t, "10000 true", <-news)
	other := connect(t, url, "X-Self-ID", "20000")
	assert.Equal(t, "20000 true", <-news)
	ev.ws.CloseNow()
	assert.Equal(t, "10000 true", <-news, "it still has a link")
	s.Disconnect(30000)
	s.Disconnect(10000)
	_, err := api.read()
	assert.Error(t, err)
	assert.Equal(t, "10000 false", <-news)
	connectedBot(t, s, 20000)
	other.ws.CloseNow()
	assert.Equal(t, "20000 false", <-news)
}
