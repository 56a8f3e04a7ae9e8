package onebottest

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// ServeHTTP is the forward WebSocket server and the HTTP API, for use with your own HTTP server.
//
// On /api a WebSocket gets no events, as in NapCat. On every other path it gets events and may call actions. LLBot,
// SnowLuma, Lagrange and go-cqhttp do not respond to actions on /event. On unknown paths LLBot does nothing, and SnowLuma
// refuses the link. Any other request is a call of the HTTP API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "not available", http.StatusServiceUnavailable)
		return
	}
	defer s.wg.Done()
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		if !s.serveFile(w, r) {
			s.serveAPI(w, r)
		}
		return
	}
	like := s.opts.Quirks.WebSocket
	status, ok := s.admits(r, like)
	if !ok && s.opts.Quirks.RejectBeforeUpgrade {
		if like == LikeLagrange {
			status = http.StatusForbidden
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	if like == LikeSnowLuma && !snowLumaPath(r.URL.Path) {
		http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
		return
	}
	at := like.at(r.URL.Path)
	t := &hijackRecorder{ResponseWriter: w}
	conn, err := websocket.Accept(t, r, &websocket.AcceptOptions{InsecureSkipVerify: true, OnPingReceived: s.answersPing(at)})
	if err != nil {
		return // Accept has responded
	}
	defer conn.CloseNow()
	if !ok {
		s.rejectToken(r.Context(), conn)
		return
	}
	s.run(r.Context(), conn, t.conn, at)
}

// at returns the role of a forward link by its path.
func (like Implementation) at(path string) role {
	path = strings.TrimSuffix(path, "/")
	r := role{api: path != "/event" || like == LikeNapCat, events: path != "/api"}
	if like == LikeLLBot && path != "" && path != "/api" && path != "/event" {
		r = role{}
	}
	return r
}

// rejectToken tells an accepted bot that its token is wrong, and disconnects it.
func (s *Server) rejectToken(ctx context.Context, conn *websocket.Conn) {
	if s.opts.Quirks.WebSocket == LikeSnowLuma {
		rejectSnowLuma(conn)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answer := s.answer(request{}, nil, refused(1403, "token验证失败"))
	conn.Write(ctx, websocket.MessageText, s.encode(answer))
	if s.opts.Quirks.WebSocket == LikeLLBot {
		conn.Close(websocket.StatusPolicyViolation, "invalid access token")
		return
	}
	conn.Close(websocket.StatusNoStatusRcvd, "")
}

// enter registers a request, so that Close waits for it. It returns false after Close or while connections are
// refused.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.faults.refuse {
		return false
	}
	s.wg.Add(1)
	return true
}

// answersPing reports whether a link of that role responds to pings.
func (s *Server) answersPing(r role) func(context.Context, []byte) bool {
	return func(context.Context, []byte) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.faults.halfOpen && (r.api || s.opts.Quirks.WebSocket != LikeGoCQHTTP) // go-cqhttp does not read from event links
	}
}

// A hijackRecorder records the connection that is hijacked through it.
type hijackRecorder struct {
	http.ResponseWriter
	conn net.Conn
}

func (t *hijackRecorder) Hijack() (conn net.Conn, rw *bufio.ReadWriter, err error) {
	conn, rw, err = http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = conn
	return conn, rw, err
}

func (t *hijackRecorder) Unwrap() http.ResponseWriter { return t.ResponseWriter }
