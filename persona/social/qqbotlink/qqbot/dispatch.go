package qqbot

import (
	"context"
	"sync"
)

// eventOverhead is the approximate cost of a queued event in addition to its data.
const eventOverhead = 1024

// A dispatcher passes events to the handler: in order within a conversation, concurrently across conversations. It starts
// goroutines as needed, and they end when there is nothing to do.
type dispatcher struct {
	workers, limit int // limit in bytes

	mu      sync.Mutex
	wg      sync.WaitGroup
	open    bool
	ctx     context.Context // of this run
	handle  Handler
	queues  map[string]*queue // that have events or whose event is being handled
	ready   []*queue          // that have events, none of which is being handled
	running int               // workers
	queued  int               // events that wait or are being handled
	bytes   int               // of them
	handled uint64
	left    uint64 // queued events when Run ended
}

type queue struct {
	key    string
	events []Event
	busy   bool
}

// start begins to handle events. It returns false if that has begun already.
func (d *dispatcher) start(ctx context.Context, h Handler) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.queues != nil {
		return false
	}
	d.open, d.ctx, d.handle, d.queues = true, ctx, h, make(map[string]*queue)
	return true
}

// stop handles no more events and waits for the running handlers.
func (d *dispatcher) stop() {
	d.mu.Lock()
	d.open = false
	d.mu.Unlock()
	d.wg.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		d.left += uint64(len(q.events))
	}
	d.queues, d.ready, d.bytes, d.queued, d.ctx, d.handle = nil, nil, 0, 0, nil, nil
}

// add queues an event. It returns false if the queue is full or Run has ended. It never waits.
func (d *dispatcher) add(e Event) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.open || d.bytes > 0 && d.bytes+cost(e) > d.limit {
		return false
	}
	key := e.conversation()
	q := d.queues[key]
	if q == nil {
		q = &queue{key: key}
		d.queues[key] = q
	}
	q.events = append(q.events, e)
	d.bytes += cost(e)
	d.queued++
	if len(q.events) == 1 && !q.busy {
		d.ready = append(d.ready, q)
		d.spawn()
	}
	return true
}

func cost(e Event) int { return len(e.Base().Raw) + eventOverhead }

// spawn starts a worker if there is work for it. d.mu is held.
func (d *dispatcher) spawn() {
	if d.open && d.ctx.Err() == nil && len(d.ready) > 0 && d.running < d.workers {
		d.running++
		d.wg.Add(1)
		go d.work()
	}
}

func (d *dispatcher) work() {
	defer d.wg.Done()
	defer func() { // deferred, because a handler may end its goroutine
		d.mu.Lock()
		d.running--
		d.spawn()
		d.mu.Unlock()
	}()
	for d.handleNext() {
	}
}

// handleNext handles one event. It returns false if there is none.
func (d *dispatcher) handleNext() bool {
	d.mu.Lock()
	if !d.open || d.ctx.Err() != nil || len(d.ready) == 0 {
		d.mu.Unlock()
		return false
	}
	q := d.ready[0]
	d.ready = d.ready[1:]
	e := q.events[0]
	q.events = q.events[1:]
	q.busy = true
	ctx, handle := d.ctx, d.handle
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		q.busy = false
		d.bytes -= cost(e)
		d.queued--
		d.handled++
		if len(q.events) > 0 {
			d.ready = append(d.ready, q)
		} else {
			delete(d.queues, q.key)
		}
	}()
	if handle != nil {
		handle(ctx, e)
	}
	return true
}
