package onebot

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// engine is what a Client and a Server share: options, dispatcher, counters.
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

// Stats gives the counters. It may be called at any time.
func (e *engine) Stats() Stats {
	s := Stats{Malformed: e.malformed.Load(), Unmatched: e.unmatched.Load(), Links: e.links.Load(), Duplicates: e.repeated.Load()}
	e.disp.stats(&s)
	return s
}

// bad counts a frame that is of no use, and shows it to whoever wants it.
func (e *engine) bad(frame []byte, why string) {
	e.malformed.Add(1)
	e.log.Warn("onebot: "+why, "bytes", len(frame))
	if e.opts.OnMalformed != nil {
		e.opts.OnMalformed(frame)
	}
}

// link is one WebSocket connection. Its reader is the goroutine that calls run; there is one writer and one
// watchdog. The reader never waits for anything but the socket.
//
// coder/websocket closes a connection when the context of a read or write ends. So none is given one that ends:
// callers stop waiting by themselves, and only fail closes the link.
type link struct {
	*engine
	ws      *websocket.Conn
	canCall bool                        // false for a peer that only sends events
	claim   func(selfID int64) *account // told once, by the reader, whose link it is
	acc     *account                    // whose it is; the reader's alone; nil: not known yet
	self    atomic.Int64                // what claim was told

	calls  calls
	writes chan *call

	down   chan struct{} // closed when the link is
	failed atomic.Bool
	err    error // why it is down; set before that

	began    time.Time
	heard    atomic.Int64 // when the last frame came, since began
	interval atomic.Int64 // between heartbeats; 0: not told
}

// newLink makes the link of a connection.
func (e *engine) newLink(ws *websocket.Conn, canCall bool, claim func(int64) *account) *link {
	ws.SetReadLimit(e.opts.ReadLimit)
	l := &link{
		engine: e, ws: ws, canCall: canCall, claim: claim,
		writes: make(chan *call), down: make(chan struct{}), began: time.Now(),
	}
	l.calls.init(e.links.Add(1))
	return l
}

// run reads until the link drops or ctx ends, and gives the reason; nil when ctx ended it. All that it started
// has ended then.
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
	wg.Go(func() { l.introduce(anonymous) })
	l.fail(l.read())
	wg.Wait()
	if !stop() {
		<-ended
		return nil
	}
	return l.err
}

// fail ends the link; the first reason counts. Calls that wait see it at once.
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
		l.alive()
		if err := l.take(&d, buf); err != nil {
			return err
		}
		if cap(buf) > 1<<20 {
			buf = nil // one large frame shall not keep its room for ever
		}
	}
}

func (l *link) alive() { l.heard.Store(int64(time.Since(l.began))) }

// readChunk is how much of a large frame may come before it counts as a sign of life.
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
			l.alive() // a large frame may take longer than the watchdog would wait
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

// take handles one frame: an event goes to the dispatcher, an answer to its call.
func (l *link) take(d *decoder, buf []byte) error {
	own := make([]byte, len(buf)) // what is decoded lives on, buf does not
	copy(own, buf)
	d.b = own
	var f frame
	err := d.frame(&f)
	d.b = nil
	if err != nil {
		l.bad(own, "frame is no JSON object")
		return nil
	}
	if f.post == "" {
		return l.answer(&f)
	}
	l.event(&f)
	return nil
}

func (l *link) event(f *frame) {
	l.identify(f.selfID)
	e := f.event()
	if h, ok := e.(*Heartbeat); ok && h.Interval > 0 {
		l.interval.Store(int64(h.Interval))
	}
	switch {
	case l.acc == nil:
		l.bad(f.raw, "event does not say which account it is for")
	case l.acc.events.Load() == l: // else another link brings it, too
		l.disp.add(&l.acc.bot, e, len(f.raw))
	}
}

// identify takes the first account that a frame tells.
func (l *link) identify(selfID int64) {
	if selfID == 0 || l.self.Load() != 0 {
		return
	}
	l.self.Store(selfID)
	l.acc = l.claim(selfID)
}

// answer gives a frame that is no event to the call that it belongs to.
func (l *link) answer(f *frame) error {
	switch n, ok := l.calls.number(f.echo); {
	case ok && n == 0: // our own question
		l.identify(f.accountID())
	case ok && l.calls.resolve(n, f):
	case f.echo != "":
		l.unmatched.Add(1)
	case f.status == "failed" && (f.code == 1401 || f.code == 1403) && l.self.Load() == 0: // later it is a stray frame
		return &AuthError{Status: 101, Code: int(f.code), Wording: f.reason()}
	default:
		l.bad(f.raw, "frame is neither event nor answer")
	}
	return nil
}
