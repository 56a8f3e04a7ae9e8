package onebottest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A role is the purpose of a link.
type role struct {
	api     bool // responds to actions
	events  bool // pushes events
	reverse bool // dialed by this side
}

// A link is one connection with a bot.
type link struct {
	role
	outbox
	conn   *websocket.Conn
	raw    net.Conn // below conn, for truncated frames; nil: unknown
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// run serves a bot until the link drops.
func (s *Server) run(ctx context.Context, conn *websocket.Conn, raw net.Conn, r role) error {
	conn.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &link{role: r, outbox: s.outbox(), conn: conn, raw: raw, cancel: cancel}

	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return conn.CloseNow()
	}
	if l.events {
		l.pushFirst()
	}
	s.links = append(s.links, l)
	s.changed()
	s.mu.Unlock()

	l.wg.Go(func() { l.write(ctx) })
	err := l.read(ctx)
	s.remove(l)
	l.drop()
	l.wg.Wait()
	return err
}

// pushFirst pushes the first frames. go-cqhttp writes it without its usual encoder.
func (l *link) pushFirst() {
	switch l.s.opts.Quirks.WebSocket {
	case LikeSnowLuma:
		l.pushSnowLumaFirst()
	case LikeGoCQHTTP:
		ev := l.s.lifecycle()
		if !l.reverse {
			ev["_post_method"] = 2
		}
		l.pushFrame(encode(ev))
	default:
		l.push(l.s.lifecycle())
	}
}

func (s *Server) remove(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links = slices.DeleteFunc(s.links, func(o *link) bool { return o == l })
	s.changed()
}

// drop cuts the connection without a close frame, like a killed process.
func (l *link) drop() {
	l.cancel()
	l.conn.CloseNow()
}

func (l *link) read(ctx context.Context) error {
	chunk := make([]byte, 4<<10)
	for {
		frame, err := l.readFrame(ctx, chunk)
		if err != nil {
			return fmt.Errorf("onebottest: link: %w", err)
		}
		l.handle(ctx, frame)
	}
}

// readFrame reads one frame. It waits while StopReading is on.
func (l *link) readFrame(ctx context.Context, chunk []byte) ([]byte, error) {
	if err := l.s.mayRead(ctx); err != nil {
		return nil, err
	}
	_, r, err := l.conn.Reader(ctx)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for {
		if err := l.s.mayRead(ctx); err != nil {
			return nil, err
		}
		n, err := r.Read(chunk)
		b.Write(chunk[:n])
		if err == io.EOF {
			return b.Bytes(), l.s.mayRead(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// write writes queued frames and heartbeats.
func (l *link) write(ctx context.Context) {
	defer l.drop() // ends read
	var beat <-chan time.Time
	if every := l.s.opts.Heartbeat; every > 0 && l.events {
		t := time.NewTicker(every)
		defer t.Stop()
		beat = t.C
	}
	greeted := false // WaitLink waits for the first frame only
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat:
			l.beat()
		case <-l.wake:
		}
		for _, out := range l.take() {
			if out.half {
				l.writeHalf(out.frame)
				return
			}
			if l.conn.Write(ctx, websocket.MessageText, out.frame) != nil {
				return
			}
			if !greeted {
				greeted = true
				l.markReady()
			}
		}
	}
}

// writeHalf writes the header and half of a frame. Only write writes messages, so no other frame interferes.
func (l *link) writeHalf(frame []byte) {
	if l.raw == nil {
		return
	}
	b := halfFrame(frame, l.reverse)
	l.raw.SetWriteDeadline(time.Now().Add(5 * time.Second))
	l.raw.Write(b)
}

// halfFrame returns the header of a text frame and the first half of its payload, by RFC 6455. The client's mask is
// 0, which leaves the payload unchanged.
func halfFrame(payload []byte, masked bool) []byte {
	bit := byte(0)
	if masked {
		bit = 0x80
	}
	n := len(payload)
	b := []byte{0x81}
	switch {
	case n < 126:
		b = append(b, bit|byte(n))
	case n < 1<<16:
		b = append(b, bit|126, byte(n>>8), byte(n))
	default:
		b = append(b, bit|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	if masked {
		b = append(b, 0, 0, 0, 0)
	}
	return append(b, payload[:n/2]...)
}

// Links returns the number of connected bots that get events, including those of [Server.Post].
func (s *Server) Links() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		if l.events {
			n++
		}
	}
	return n + len(s.posters)
}

// WaitLink returns when a bot is connected and has been sent its lifecycle event, or when [Server.Post] runs. Later
// events reach the bot.
func (s *Server) WaitLink(ctx context.Context) error {
	err := s.wait(ctx, func() bool {
		return len(s.posters) > 0 || slices.ContainsFunc(s.links, func(l *link) bool { return l.events && l.ready })
	})
	if err != nil {
		return fmt.Errorf("onebottest: no bot connected: %w", err)
	}
	return nil
}
