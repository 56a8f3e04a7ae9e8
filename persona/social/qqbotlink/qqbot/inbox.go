package qqbot

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// An inbox takes the events of the gateway or a webhook, drops repeats, and queues the rest for the handler.
type inbox struct {
	log  *slog.Logger
	seen *seen
	self self
	disp dispatcher

	pairs pairs

	received, repeated, dropped atomic.Uint64

	mu        sync.Mutex
	lost      int // dropped since the last Gap
	lostSince time.Time
}

func newInbox(appID string, o *Options) *inbox {
	return &inbox{log: o.Logger, seen: newSeen(), self: self{appID: appID}, pairs: pairs{window: o.MergeMentions}, disp: dispatcher{workers: o.Workers, limit: o.QueueBytes}}
}

// An arrival is what became of an event.
type arrival int

const (
	queued arrival = iota
	repeat
	full // the queue has no room, or Run has ended
)

// receive queues the event of a frame. An event without an id is known by the other key; "" is none.
func (b *inbox) receive(f frame, otherKey string) arrival {
	now := time.Now()
	b.received.Add(1)
	keys := f.keys()
	if len(keys) == 0 && otherKey != "" {
		keys = []string{otherKey}
	}
	if !b.seen.add(now, keys) {
		b.repeated.Add(1)
		return repeat
	}
	e := b.self.decode(f, now)
	if m, ok := e.(*Message); ok && b.pairs.second(now, m) {
		b.repeated.Add(1)
		return repeat
	}
	if !b.put(e) {
		b.seen.remove(keys)
		return full
	}
	return queued
}

// put queues an event, and before it a Gap if others were dropped.
func (b *inbox) put(e Event) bool {
	b.mu.Lock()
	if b.lost > 0 && b.disp.add(&Gap{Common: Common{Time: time.Now()}, Reason: GapOverflow, Since: b.lostSince, Count: b.lost}) {
		b.lost = 0
	}
	b.mu.Unlock()
	return b.disp.add(e)
}

// drop counts an event that the queue had no room for and that will not come again.
func (b *inbox) drop(name string) {
	b.dropped.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost++; b.lost == 1 {
		b.lostSince = time.Now()
		b.log.Warn("qqbot: the queue is full, so events are dropped", "event", name)
	}
}

// start returns false if Run is running.
func (b *inbox) start(ctx context.Context, h Handler) bool { return b.disp.start(ctx, h) }

func (b *inbox) stop() { b.disp.stop() }

// Stats are counts since New.
type Stats struct {
	Links      uint64 // links to the gateway that were ready for events
	Identifies uint64 // new sessions that were asked for
	Resumes    uint64 // old sessions that were asked for
	Received   uint64 // events that arrived
	Repeated   uint64 // of them, those that were known
	Dropped    uint64 // of them, those that the queue had no room for; a webhook gets them again
	Handled    uint64 // of them, those whose handler has returned
	Unhandled  uint64 // of them, those that were queued when Run ended

	Queued      int // events that wait or are being handled
	QueuedBytes int // their memory as counted for Options.QueueBytes
	QueueLimit  int // Options.QueueBytes with its default
}

func (b *inbox) stats(s *Stats) {
	s.Received, s.Repeated, s.Dropped = b.received.Load(), b.repeated.Load(), b.dropped.Load()
	b.disp.mu.Lock()
	defer b.disp.mu.Unlock()
	s.Handled, s.Unhandled = b.disp.handled, b.disp.left
	s.Queued, s.QueuedBytes, s.QueueLimit = b.disp.queued, b.disp.bytes, b.disp.limit
}
