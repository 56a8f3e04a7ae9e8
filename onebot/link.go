package onebot

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// engine is the common part of Client, Server and Webhook: options, dispatcher, counters.
type engine struct {
	opts Options
	log  *slog.Logger
	disp dispatcher

	malformed, unmatched, links, repeated atomic.Uint64
}

func (e *engine) init(o Options) {
	e.opts = o.withDefaults()
	e.log = e.opts.Logger
	e.disp.init(e.opts)
}

// Stats returns the counters. It may be called at any time.
func (e *engine) Stats() Stats {
	s := Stats{Malformed: e.malformed.Load(), Unmatched: e.unmatched.Load(), Links: e.links.Load(), Duplicates: e.repeated.Load(), QueueLimit: e.opts.QueueBytes}
	e.disp.stats(&s)
	return s
}

// badFrame counts an unusable frame and passes it to Options.OnMalformed.
func (e *engine) badFrame(frame []byte, why string) {
	e.malformed.Add(1)
	e.log.Warn("onebot: "+why, "bytes", len(frame))
	if e.opts.OnMalformed != nil {
		e.opts.OnMalformed(frame)
	}
}

// link is one WebSocket connection. The goroutine that calls run reads; there is one writer and one watchdog. The
// reader waits only for the socket.
//
// coder/websocket closes a connection when the context of a read or write is done. So the link uses contexts without
// an end: callers stop waiting on their own, and only fail closes the link.
type link struct {
	*engine
	ws      *websocket.Conn
	canCall bool                        // false for a peer that only sends events
	claim   func(selfID int64) *account // called once by the reader with the account of the link
	acc     *account                    // used by the reader only; nil: unknown
	self    atomic.Int64                // the id passed to claim

	calls  calls
	writes chan *call

	down   chan struct{} // closed when the link is down
	failed atomic.Bool
	err    error // the reason; set before down is closed

	began     time.Time
	lastFrame atomic.Int64 // time of the last frame, since began
	lastBeat  atomic.Int64 // time of the last heartbeat, since began; 0: none
	interval  atomic.Int64 // between heartbeats; 0: unknown
}

// newLink returns the link of a connection.
func (e *engine) newLink(ws *websocket.Conn, canCall bool, claim func(int64) *account) *link {
	ws.SetReadLimit(e.opts.ReadLimit)
	l := &link{
		engine: e, ws: ws, canCall: canCall, claim: claim,
		writes: make(chan *call), down: make(chan struct{}), began: time.Now(),
	}
	l.calls.init(e.links.Add(1))
	return l
}

// run reads until the link drops or ctx is done. It returns the reason, or nil if ctx is done. All goroutines that it
// started have ended then.
func (l *link) run(ctx context.Context) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		l.fail(ctx.Err())
	})
	var wg sync.WaitGroup
	wg.Go(l.write)
	wg.Go(l.watch)
	anonymous := l.acc == nil
	wg.Go(func() { l.identifyPeer(anonymous) })
	l.fail(l.read())
	wg.Wait()
	if !stop() {
		<-ended
		return nil
	}
	return l.err
}

// fail closes the link; the first reason counts. Pending calls fail at once.
func (l *link) fail(err error) {
	if !l.failed.CompareAndSwap(false, true) {
		return
	}
	l.err = err
	close(l.down)
	_ = l.ws.CloseNow()
}

// read is the read loop.
func (l *link) read() error {
	var buf []byte
	var d decoder
	for {
		var err error
		if buf, err = l.readFrame(buf[:0]); err != nil {
			return readError(err)
		}
		l.touch()
		if err := l.handleFrame(&d, buf); err != nil {
			return err
		}
		if cap(buf) > 1<<20 {
			buf = nil // a large frame must not keep its buffer
		}
	}
}

func (l *link) touch() { l.lastFrame.Store(int64(time.Since(l.began))) }

// readChunk is the part of a large frame that counts as a sign of life.
const readChunk = 256 << 10

// readFrame reads one message into buf.
func (l *link) readFrame(buf []byte) ([]byte, error) {
	_, r, err := l.ws.Reader(context.Background())
	if err != nil {
		return buf, err
	}
	for {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), max(16<<10, 2*cap(buf)))
			copy(grown, buf)
			buf = grown
		}
		if len(buf) >= readChunk {
			l.touch() // a large frame may take longer than the watchdog waits
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), len(buf)+readChunk)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// handleFrame handles one frame: it passes an event to the dispatcher and a response to its call.
func (l *link) handleFrame(d *decoder, buf []byte) error {
	own := make([]byte, len(buf)) // decoded values alias the copy; buf is reused
	copy(own, buf)
	d.b = own
	var f frame
	err := d.frame(&f)
	d.b = nil
	if err != nil {
		l.badFrame(own, strings.TrimPrefix(err.Error(), "onebot: "))
		return nil
	}
	if f.post == "" {
		return l.handleResponse(&f)
	}
	l.handleEvent(&f)
	return nil
}

func (l *link) handleEvent(f *frame) {
	l.identify(f.selfID)
	e := f.event()
	if h, ok := e.(*Heartbeat); ok {
		l.beat(h)
	}
	switch {
	case l.acc == nil:
		l.badFrame(f.raw, "event without an account")
	case l.acc.events.Load() == l: // otherwise another link delivers it, too
		l.disp.add(&l.acc.bot, e, f.memory(e))
	}
}

// beat notes a heartbeat.
func (l *link) beat(h *Heartbeat) {
	l.lastBeat.Store(max(int64(time.Since(l.began)), 1))
	if h.Interval > 0 {
		l.interval.Store(int64(h.Interval))
	}
}

// identify uses the first account id in a frame.
func (l *link) identify(selfID int64) {
	if selfID == 0 || l.self.Load() != 0 {
		return
	}
	l.self.Store(selfID)
	l.acc = l.claim(selfID)
}

// handleResponse passes a response to its call.
func (l *link) handleResponse(f *frame) error {
	switch n, ok := l.calls.number(f.echo); {
	case ok && n == 0: // the link's own request
		l.identify(f.accountID())
	case ok && l.calls.resolve(n, f):
	case f.echo != "":
		l.unmatched.Add(1)
	case f.status == "failed" && (f.code == 1401 || f.code == 1403) && l.self.Load() == 0: // later it is a stray frame
		return &AuthError{Status: 101, Code: int(f.code), Wording: f.reason()}
	default:
		l.badFrame(f.raw, "frame is neither an event nor a response")
	}
	return nil
}
