package qqbottest

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"
)

// A link is one WebSocket of a bot.
type link struct {
	s    *Server
	ws   *websocket.Conn
	ctx  context.Context
	stop context.CancelFunc
	out  chan []byte // nil ends the link
	sess *session    // Server.mu guards it
}

func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	var ft fault
	refused := false
	closed := false
	s.locked(func() {
		ft, refused = s.faults.take(Link), s.gateway.refuse
		if closed = s.closed; !closed {
			s.wg.Add(1) // under the lock, so before Close waits
		}
	})
	if closed {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer s.wg.Done()
	if refused || ft.status != 0 {
		w.WriteHeader(max(ft.status, http.StatusServiceUnavailable))
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	l := &link{s: s, ws: ws, out: make(chan []byte, 4096)}
	l.ctx, l.stop = context.WithCancel(context.Background())
	defer l.stop()
	s.locked(func() {
		if s.closed {
			l.stop()
		}
		s.gateway.links = append(s.gateway.links, l)
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.write()
	}()
	l.push(object{"op": opHello, "d": object{"heartbeat_interval": s.opts.Heartbeat.Milliseconds()}})
	l.read()
	s.locked(func() { s.gateway.links = slices.DeleteFunc(s.gateway.links, func(o *link) bool { return o == l }) })
	l.stop()
	<-done
}

// push queues a frame. It never waits: a bot that does not read loses frames.
func (l *link) push(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("qqbottest: " + err.Error())
	}
	l.queue(b)
}

func (l *link) queue(frame []byte) {
	select {
	case l.out <- frame:
	default:
	}
}

func (l *link) write() {
	for {
		select {
		case b := <-l.out:
			if l.ws.Write(l.ctx, websocket.MessageText, b) != nil {
				return
			}
		case <-l.ctx.Done():
			return
		}
	}
}

// close sends what is queued and then a close frame.
func (l *link) close(code int, reason string) {
	for len(l.out) > 0 && l.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	_ = l.ws.Close(websocket.StatusCode(code), reason)
	l.stop()
}

func (l *link) read() {
	for {
		_, b, err := l.ws.Read(l.ctx)
		if err != nil {
			return
		}
		var f struct {
			Op int             `json:"op"`
			D  json.RawMessage `json:"d"`
		}
		if json.Unmarshal(b, &f) != nil {
			l.close(4002, "bad payload")
			return
		}
		code := 0
		l.s.locked(func() { code = l.handle(f.Op, f.D) })
		if code != 0 {
			l.close(code, "as the platform does")
			return
		}
	}
}
