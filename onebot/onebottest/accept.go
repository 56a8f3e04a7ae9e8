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

// ServeHTTP is the forward WebSocket server and the HTTP API, for those who mount it themselves.
//
// As with NapCat a WebSocket on /api gets no events; on every other path it gets events and may
// call actions. LLBot, Lagrange and go-cqhttp answer no actions on /event, and LLBot does nothing
// on paths that it does not know. What is no WebSocket is a call of the HTTP API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "not available", http.StatusServiceUnavailable)
		return
	}
	defer s.wg.Done()
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		s.serveAPI(w, r)
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
	at := like.at(r.URL.Path)
	t := &tap{ResponseWriter: w}
	conn, err := websocket.Accept(t, r, &websocket.AcceptOptions{InsecureSkipVerify: true, OnPingReceived: s.answersPing(at)})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	if !ok {
		s.putOut(r.Context(), conn)
		return
	}
	s.run(r.Context(), conn, t.conn, at)
}

// at gives the role of a forward link by its path.
func (like Implementation) at(path string) role {
	path = strings.TrimSuffix(path, "/")
	r := role{api: path != "/event" || like == LikeNapCat, events: path != "/api"}
	if like == LikeLLBot && path != "" && path != "/api" && path != "/event" {
		r = role{}
	}
	return r
}

// putOut tells a bot that was let in that its token is wrong.
func (s *Server) putOut(ctx context.Context, conn *websocket.Conn) {
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

// enter counts a caller in, to be waited for by Close; false when it is too late or dials are refused.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.faults.refuse {
		return false
	}
	s.wg.Add(1)
	return true
}

// answersPing tells whether a link of that role answers a ping.
func (s *Server) answersPing(r role) func(context.Context, []byte) bool {
	return func(context.Context, []byte) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.faults.silent && (r.api || s.opts.Quirks.WebSocket != LikeGoCQHTTP) // which never reads there
	}
}

// A tap keeps the connection that is hijacked through it.
type tap struct {
	http.ResponseWriter
	conn net.Conn
}

func (t *tap) Hijack() (conn net.Conn, rw *bufio.ReadWriter, err error) {
	conn, rw, err = http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = conn
	return conn, rw, err
}

func (t *tap) Unwrap() http.ResponseWriter { return t.ResponseWriter }
