package onebottest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/internal/pipenet"
)

// ConnectOptions are the options of [Server.Connect].
type ConnectOptions struct {
	// Role is the X-Client-Role: "Universal", "API" or "Event", in any case; "" means Universal. Lagrange and SnowLuma write
	// "Api". NapCat and LLBot have no roles other than Universal.
	Role string

	// Reconnect is the wait before Connect dials again after a dropped link or a failed dial; 0 means that Connect
	// returns. NapCat, SnowLuma and Lagrange wait 5 s, LLBot and go-cqhttp 3 s.
	Reconnect time.Duration

	// Handler is the bot's server if it is in this process. Connect reaches it through pipes, so it works in a
	// testing/synctest bubble. Then only the path and query of the URL count.
	Handler http.Handler

	// HTTPClient dials; nil means http.DefaultClient. Handler takes precedence.
	HTTPClient *http.Client
}

// Connect is reverse WebSocket. It dials a bot's server at url, with the headers X-Self-ID, X-Client-Role and
// Authorization of the implementation. It serves the link until the link drops or, with Reconnect, until ctx is done.
// It returns nil after ctx is done or [Server.Close] was called. Two servers with different SelfIDs are two accounts
// of one bot.
func (s *Server) Connect(ctx context.Context, url string, opts ConnectOptions) error {
	r, err := opts.role()
	if err != nil {
		return err
	}
	ctx, end, ok := s.begin(ctx)
	if !ok {
		return nil
	}
	defer end()
	client, stop := s.dialer(opts.Handler, opts.HTTPClient)
	defer stop()
	opts.HTTPClient = client
	for {
		err := s.dial(ctx, url, opts, r)
		if ctx.Err() != nil {
			return nil
		}
		if opts.Reconnect <= 0 {
			return err
		}
		if loop.Sleep(ctx, opts.Reconnect) != nil {
			return nil
		}
	}
}

// dial serves one link.
func (s *Server) dial(ctx context.Context, url string, o ConnectOptions, r role) error {
	if s.refuses() {
		return fmt.Errorf("onebottest: dial %s: connections are refused", url)
	}
	shake, cancel := context.WithTimeout(ctx, s.opts.Quirks.WebSocket.dialTimeout())
	defer cancel()
	var raw net.Conn
	shake = httptrace.WithClientTrace(shake, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { raw = info.Conn },
	})
	conn, _, err := websocket.Dial(shake, url, &websocket.DialOptions{
		HTTPClient:     o.HTTPClient,
		OnPingReceived: s.answersPing(r),
		HTTPHeader:     s.headers(o.Role),
	})
	if err != nil {
		return fmt.Errorf("onebottest: dial %s: %w", url, err)
	}
	return s.run(ctx, conn, raw, r)
}

// dialTimeout is the implementation's timeout for the handshake.
func (like Implementation) dialTimeout() time.Duration {
	if like == LikeNapCat || like == LikeLLBot {
		return 2 * time.Second
	}
	return 30 * time.Second
}

// headers returns the headers of a reverse link in the implementation's spelling.
func (s *Server) headers(role string) http.Header {
	self, bearer := strconv.FormatInt(s.opts.SelfID, 10), []string{"Bearer " + s.opts.Token}
	like := s.opts.Quirks.WebSocket
	if role == "API" && (like == LikeLagrange || like == LikeSnowLuma) {
		role = "Api"
	}
	switch like {
	case LikeLLBot:
		return http.Header{"X-Self-ID": {self}, "x-client-role": {role}, "Authorization": bearer, "User-Agent": {"LLOneBot/8.1.7"}}
	case LikeSnowLuma:
		h := http.Header{"X-Self-ID": {self}, "X-Client-Role": {role}, "User-Agent": {"OneBot/11"}}
		if s.opts.Token != "" {
			h["Authorization"] = bearer
		}
		return h
	case LikeLagrange:
		return http.Header{"X-Self-ID": {self}, "X-Client-Role": {role}, "Authorization": bearer, "User-Agent": {"Lagrange.OneBot"}}
	case LikeGoCQHTTP:
		h := http.Header{"X-Self-ID": {self}, "X-Client-Role": {role}, "User-Agent": {"CQHttp/4.15.0"}}
		if s.opts.Token != "" {
			h["Authorization"] = []string{"Token " + s.opts.Token}
		}
		return h
	}
	return http.Header{"X-Self-ID": {self}, "x-client-role": {role}, "Authorization": bearer, "User-Agent": {"OneBot/11"}}
}

// dialer returns a client that reaches a bot's server: h through pipes if it is not nil, otherwise client. h is
// served until stop is called.
func (s *Server) dialer(h http.Handler, client *http.Client) (_ *http.Client, stop func()) {
	if h == nil {
		return client, func() {}
	}
	p := pipenet.New()
	srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	s.wg.Go(func() { srv.Serve(p) })
	return p.Client(), func() { srv.Close() }
}

// role returns the role and sets its default.
func (o *ConnectOptions) role() (role, error) {
	o.Role = cmp.Or(o.Role, "Universal")
	switch strings.ToLower(o.Role) {
	case "universal":
		return role{api: true, events: true, reverse: true}, nil
	case "api":
		return role{api: true, reverse: true}, nil
	case "event":
		return role{events: true, reverse: true}, nil
	}
	return role{}, fmt.Errorf("onebottest: unknown role %q", o.Role)
}

// begin registers a Connect or Post: Close cancels its ctx and waits for it. ok is false after Close.
func (s *Server) begin(ctx context.Context) (_ context.Context, end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	st := &stop{cancel}
	s.stops = append(s.stops, st)
	s.wg.Add(1)
	return ctx, func() {
		cancel()
		s.locked(func() { s.stops = slices.DeleteFunc(s.stops, func(o *stop) bool { return o == st }) })
		s.wg.Done()
	}, true
}

func (s *Server) refuses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults.refuse
}
