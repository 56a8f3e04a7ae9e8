package onebot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peer is the other end of a link, like an implementation.
type peer struct {
	tb testing.TB
	ws *websocket.Conn
}

// request is a call received by a peer.
type request struct {
	Action string
	Params json.RawMessage
	Echo   json.RawMessage
}

func (p *peer) send(text string) error {
	return p.ws.Write(context.Background(), websocket.MessageText, []byte(text))
}

func (p *peer) read() (r request, err error) {
	_, b, err := p.ws.Read(context.Background())
	if err != nil {
		return r, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return r, d.Decode(&r)
}

func (p *peer) answer(r request, data string) error {
	return p.send(`{"status":"ok","retcode":0,"data":` + data + `,"message":"","wording":"","echo":` + string(r.Echo) + `}`)
}

// hold reads everything and responds to nothing until the link ends.
func (p *peer) hold() {
	for _, err := p.read(); err == nil; _, err = p.read() {
	}
}

// serve responds to every call with data until the link ends.
func (p *peer) serve(data string) {
	for {
		r, err := p.read()
		if err != nil || p.answer(r, data) != nil {
			return
		}
	}
}

func (p *peer) lifecycle(self int64) error {
	return p.send(fmt.Sprintf(`{"post_type":"meta_event","meta_event_type":"lifecycle","sub_type":"connect","self_id":%d,"time":1735689600}`, self))
}

func (p *peer) heartbeat(self int64, ms int) error {
	return p.send(fmt.Sprintf(`{"post_type":"meta_event","meta_event_type":"heartbeat","interval":%d,"status":{"online":true,"good":true},"self_id":%d}`, ms, self))
}

func groupText(self, group, id int64, text string) string {
	return fmt.Sprintf(`{"post_type":"message","message_type":"group","self_id":%d,"group_id":%d,"user_id":5,"message_id":%d,"time":1735689600,"message":[{"type":"text","data":{"text":%q}}]}`,
		self, group, id, text)
}

// implementation serves f on every link, over real sockets.
type implementation struct {
	url   string
	dials atomic.Int64
}

func accepting(tb testing.TB, dials *atomic.Int64, f func(p *peer, r *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dials.Add(1)
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ws.SetReadLimit(-1)
		defer ws.CloseNow()
		f(&peer{tb, ws}, r)
	})
}

func implement(tb testing.TB, f func(p *peer, r *http.Request)) *implementation {
	i := &implementation{}
	s := httptest.NewServer(accepting(tb, &i.dials, f))
	tb.Cleanup(s.Close)
	i.url = "ws" + strings.TrimPrefix(s.URL, "http")
	return i
}

// pipes is a network in memory for synctest bubbles: clients dial the server over net.Pipe.
type pipes struct {
	implementation
	conns  chan net.Conn
	closed chan struct{}
	srv    http.Server
	client *http.Client
	refuse atomic.Bool
	dialed func()
}

// network serves h until the test ends.
func network(tb testing.TB, h http.Handler) *pipes {
	n := &pipes{conns: make(chan net.Conn), closed: make(chan struct{}), dialed: func() {}}
	n.url = "ws://pipe"
	n.client = &http.Client{Transport: &http.Transport{DialContext: n.dial}}
	n.srv.Handler = h
	go n.srv.Serve(n)
	tb.Cleanup(n.end)
	return n
}

// inMemory is an implementation in memory.
func inMemory(tb testing.TB, f func(p *peer, r *http.Request)) *pipes {
	n := network(tb, nil)
	n.srv.Handler = accepting(tb, &n.dials, f)
	return n
}

func (n *pipes) end() {
	n.srv.Close()
	n.client.CloseIdleConnections()
}

func (n *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *pipes) Close() error {
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

func (n *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (n *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.dialed()
	if n.refuse.Load() {
		n.dials.Add(1)
		return nil, fmt.Errorf("connection refused")
	}
	a, b := net.Pipe()
	select {
	case n.conns <- a:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// running is a Run in the background.
type running struct {
	tb     testing.TB
	cancel context.CancelFunc
	done   chan error
	once   sync.Once
	err    error
}

func start(tb testing.TB, run func(context.Context, Handler) error, h Handler) *running {
	if h == nil {
		h = func(context.Context, *Bot, Event) {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{tb: tb, cancel: cancel, done: make(chan error, 1)}
	go func() { r.done <- run(ctx, h) }()
	tb.Cleanup(func() { r.stop() })
	return r
}

func (r *running) stop() error {
	r.cancel()
	return r.wait()
}

func (r *running) wait() error {
	r.once.Do(func() {
		select {
		case r.err = <-r.done:
		case <-time.After(patience):
			r.tb.Error("Run does not return")
		}
	})
	return r.err
}

// up waits until the client has a link.
func up(tb testing.TB, c *Client) {
	tb.Helper()
	require.Eventually(tb, func() bool { return c.acc.Connected() }, patience, time.Millisecond)
}

// patience is the time limit of a test, far above the time that any machine needs.
const patience = time.Minute

func eventually(tb testing.TB, f func() bool) {
	tb.Helper()
	assert.Eventually(tb, f, patience, 2*time.Millisecond)
}

// dialPipe dials the server at the other end of n.
func dialPipe(t *testing.T, n *pipes) *peer {
	ws, _, err := websocket.Dial(t.Context(), n.url, &websocket.DialOptions{HTTPClient: n.client})
	require.NoError(t, err)
	return &peer{t, ws}
}
