package qqbot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Opcodes.
const (
	opDispatch     = 0
	opHeartbeat    = 1
	opIdentify     = 2
	opResume       = 6
	opReconnect    = 7
	opInvalid      = 9
	opHello        = 10
	opHeartbeatAck = 11
	opAck          = 12 // of a webhook
	opValidate     = 13 // of a webhook
)

const (
	helloTimeout = 15 * time.Second // for the dial, and again for the first frame
	readyTimeout = 30 * time.Second // for the answer to identify; a resume replays events first
	writeTimeout = 15 * time.Second
)

var (
	errNoAck     = errors.New("no answer to a heartbeat")
	errNotReady  = errors.New("no answer to identify or resume")
	errReconnect = errors.New("the gateway asks to reconnect")
	errInvalid   = errors.New("the gateway calls the session invalid")
	errHello     = errors.New("the first frame is no hello")
)

// A link is one WebSocket to the gateway.
type link struct {
	ws    *websocket.Conn
	alive atomic.Bool  // a frame arrived since the last heartbeat
	seq   atomic.Int64 // of the last event
	ready atomic.Bool
}

// link dials, identifies or resumes, and reads until the link ends.
func (g *gateway) link(ctx context.Context) (e ending) {
	e.seq, e.resumed = g.seq, g.session != ""
	wait, err := g.prepare(ctx)
	if err != nil {
		e.err, e.wait = err, wait
		return e
	}
	ws, err := g.dial(ctx)
	if err != nil {
		e.err = err
		return e
	}
	defer ws.CloseNow() // without a close frame, which might end the session
	l := &link{ws: ws}
	l.seq.Store(g.seq)
	interval, err := l.hello(ctx)
	if err != nil {
		return g.ended(e, err)
	}
	token, err := g.c.tokens.get(ctx)
	if err != nil {
		e.err = err
		return e
	}
	if err := g.greet(ctx, l, token); err != nil {
		return g.ended(e, err)
	}
	e.asked = true
	if g.lostSince.IsZero() {
		g.lostSince = time.Now()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { cancel(l.beat(ctx, interval)) })
	var up time.Time
	err = g.read(ctx, l, &up)
	g.c.up.Store(false)
	cancel(err) // the first cause counts
	wg.Wait()
	if !up.IsZero() {
		e.up = max(time.Since(up), 1)
	}
	cause := context.Cause(ctx)
	if errors.As(err, new(websocket.CloseError)) {
		cause = err // a heartbeat may have failed at the same time
	}
	e = g.ended(e, cause)
	if e.token {
		g.c.tokens.reject(token)
	}
	return e
}

// ended fills in the cause of the end.
func (g *gateway) ended(e ending, err error) ending {
	e.err = err
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		e.code, e.reason = int(closed.Code), closed.Reason
		e.verdict = verdictOf(e.code)
	case errors.Is(err, errInvalid):
		e.wait = invalidPause
		e.forget = g.session == ""
	}
	return e
}

// hello reads the first frame and returns the interval of heartbeats.
func (l *link) hello(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	_, raw, err := l.ws.Read(ctx)
	if err != nil {
		return 0, err
	}
	f, ok := parseFrame(raw)
	if !ok || f.op != opHello {
		return 0, errHello
	}
	d, _ := parseObject(f.data)
	interval := time.Duration(min(max(d.whole("heartbeat_interval"), 0), 600_000)) * time.Millisecond
	if interval == 0 {
		interval = 40 * time.Second
	}
	return max(interval, time.Second), nil
}

// greet sends identify or resume.
func (g *gateway) greet(ctx context.Context, l *link, token string) error {
	if g.session != "" {
		g.c.resumes.Add(1)
		return l.write(ctx, opResume, map[string]any{"token": "QQBot " + token, "session_id": g.session, "seq": g.seq})
	}
	g.identified = time.Now()
	g.c.identifies.Add(1)
	return l.write(ctx, opIdentify, map[string]any{"token": "QQBot " + token, "intents": g.intents[0], "shard": []int{0, 1}, "properties": map[string]any{}})
}

func (l *link) write(ctx context.Context, op int, d any) error {
	b, err := json.Marshal(map[string]any{"op": op, "d": d})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return l.ws.Write(ctx, websocket.MessageText, b)
}

// beat sends heartbeats. It returns when the link ends, or when nothing arrived between two of them.
func (l *link) beat(ctx context.Context, interval time.Duration) error {
	t := time.NewTicker(interval)
	defer t.Stop()
	began := time.Now()
	l.alive.Store(true)
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !l.alive.Swap(false) {
			return errNoAck
		}
		if !l.ready.Load() && time.Since(began) > readyTimeout {
			return errNotReady
		}
		if err := l.heartbeat(ctx); err != nil {
			return err
		}
	}
}

func (l *link) heartbeat(ctx context.Context) error {
	if seq := l.seq.Load(); seq > 0 {
		return l.write(ctx, opHeartbeat, seq)
	}
	return l.write(ctx, opHeartbeat, nil)
}

// read handles frames until the link ends. It sets up when the session is ready.
func (g *gateway) read(ctx context.Context, l *link, up *time.Time) error {
	for {
		_, raw, err := l.ws.Read(ctx)
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		l.alive.Store(true)
		now := time.Now()
		g.c.health.heard.Store(now.UnixNano())
		if l.ready.Load() {
			g.lostSince = now // nothing is lost up to now
		}
		f, ok := parseFrame(raw)
		if !ok {
			g.c.opts.Logger.Warn("qqbot: a frame is malformed", "bytes", len(raw))
			continue
		}
		switch f.op {
		case opDispatch:
			g.dispatch(l, f, up)
		case opHeartbeat:
			if err := l.heartbeat(ctx); err != nil {
				return err
			}
		case opHeartbeatAck:
			g.c.health.beat.Store(now.UnixNano())
		case opReconnect:
			return errReconnect
		case opInvalid:
			if !(object{"d": f.data}).flag("d") {
				g.session = ""
			}
			return errInvalid
		}
	}
}

// dispatch queues an event and remembers its number, from which a resume continues.
func (g *gateway) dispatch(l *link, f frame, up *time.Time) {
	switch f.name {
	case "READY":
		d, _ := parseObject(f.data)
		if g.session == "" && g.seq > 0 {
			g.c.inbox.put(&Gap{Common: Common{Time: time.Now()}, Reason: GapSession, Since: g.lostSince})
		}
		g.session, g.seq = d.text("session_id"), 0
		g.up(l, up)
	case "RESUMED":
		g.up(l, up)
	}
	switch {
	case f.name == "READY", f.name == "RESUMED":
		g.c.inbox.put(g.c.inbox.self.decode(f, time.Now()))
	case g.c.inbox.receive(f, "") == full:
		g.c.inbox.drop(f.name)
	}
	// after the event is queued: an event that is only received must be replayed
	g.seq = max(g.seq, f.seq)
	l.seq.Store(g.seq)
}

func (g *gateway) up(l *link, up *time.Time) {
	*up = time.Now()
	l.ready.Store(true)
	g.c.up.Store(true)
	g.c.links.Add(1)
	g.c.health.ready(*up)
	g.c.opts.Logger.Info("qqbot: link up")
}
