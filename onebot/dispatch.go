package onebot

import (
	"context"
	"sync"
)

// itemOverhead is the approximate cost of a queued event in addition to its frame.
const itemOverhead = 512

// dispatcher passes events to the handler: in order within a conversation, concurrently across conversations. add
// never waits. It starts goroutines as needed, up to workers.
type dispatcher struct {
	workers, limit int // limit < 0: none

	mu         sync.Mutex
	wake       sync.Cond
	wg         sync.WaitGroup
	open       bool
	ended      func() error // ctx.Err of this run; after it is set, no event is handled
	handle     func(item)
	queues     map[conversation]*queue // queues that are not empty or are running
	longest    longest                 // the same queues
	ready      list                    // queues that are not empty and not running
	free       list                    // emptied queues for reuse
	freeCount  int
	started    int
	idle       int // waiting workers without a pending signal
	waiting    int // events in queues
	running    int // events in handlers
	bytes      int // of both, without an oversized event
	oversized  bool
	received   uint64
	handled    uint64
	overflow   uint64
	unfinished uint64 // events still queued when Run ended
}

func (d *dispatcher) init(o Options) {
	d.workers, d.limit = o.Workers, o.QueueBytes
	d.wake.L = &d.mu
}

// start begins to handle events. It returns false if it has begun already.
func (d *dispatcher) start(ctx context.Context, h Handler) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open || d.started > 0 {
		return false
	}
	d.open, d.ended = true, ctx.Err
	d.queues = make(map[conversation]*queue)
	d.handle = func(it item) {
		if h != nil {
			h(ctx, it.bot, it.e)
		}
	}
	return true
}

// stop handles no more events and waits for the running handlers. It counts the queued events as left.
func (d *dispatcher) stop() {
	d.mu.Lock()
	d.open = false
	d.wake.Broadcast()
	d.mu.Unlock()
	d.wg.Wait()

	d.mu.Lock()
	defer d.mu.Unlock()
	d.unfinished += uint64(d.waiting)
	d.started, d.idle, d.waiting, d.bytes, d.oversized = 0, 0, 0, 0, false
	d.queues, d.longest, d.ready, d.free, d.freeCount, d.handle, d.ended = nil, nil, list{}, list{}, 0, nil, nil
}

// add queues an event; size is the size of its frame.
func (d *dispatcher) add(bot *Bot, e Event, size int) {
	it := item{bot: bot, e: e, size: size + itemOverhead}
	conv := e.conversation()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.received++
	if !d.open {
		d.unfinished++
		return
	}
	q := d.queues[conv]
	if q == nil {
		q = d.newQueue(conv)
	}
	idle := q.empty() && !q.running
	q.push(it)
	d.longest.grown(q)
	d.waiting++
	d.bytes += it.size
	if d.limit >= 0 {
		d.enforceLimit(q)
	}
	if !idle {
		return
	}
	d.ready.push(q)
	switch {
	case d.idle > 0:
		d.idle-- // here and not in the worker: the next event must not count on the same worker
		d.wake.Signal()
	case d.started < d.workers:
		d.started++
		d.wg.Add(1)
		go d.work()
	}
}

// enforceLimit enforces the limit after q received an event.
func (d *dispatcher) enforceLimit(q *queue) {
	if !d.oversized && q.newest().size > d.limit/2 {
		d.exempt(q)
	}
	for d.bytes > d.limit && d.waiting > 1 {
		d.drop()
	}
	if !d.oversized && d.bytes > d.limit {
		d.exempt(q) // a large event, and the previous oversized one was dropped
	}
}

// exempt excludes the newest event of q from the limit.
func (d *dispatcher) exempt(q *queue) {
	it := q.newest()
	q.bytes -= it.size
	d.bytes -= it.size
	it.size, it.oversized, d.oversized = 0, true, true
}

// drop drops the oldest event of the longest queue.
func (d *dispatcher) drop() {
	d.release(d.longest.top().drop())
	d.waiting--
	d.overflow++
}

// release releases the memory accounted for an event.
func (d *dispatcher) release(it item) {
	d.bytes -= it.size
	if it.oversized {
		d.oversized = false
	}
}

// work is one worker. A handler may end the goroutine, as a failing test does; then another worker replaces it.
func (d *dispatcher) work() {
	defer d.wg.Done()
	d.mu.Lock()
	defer d.mu.Unlock()
	done := false
	defer func() {
		if !done {
			d.wg.Add(1)
			go d.work()
		}
	}()
	for d.open && d.ended() == nil {
		q := d.ready.pop()
		if q == nil {
			d.idle++
			d.wake.Wait()
			continue
		}
		d.handleNext(q)
	}
	done = true
}

// handleNext passes one event of q to the handler without holding the lock.
func (d *dispatcher) handleNext(q *queue) {
	q.running = true
	it, announced := item{bot: q.lostBot}, q.lost != nil
	if announced {
		it.e, q.lost, q.lostBot = q.lost, nil, nil
	} else {
		it = q.pop()
		d.waiting--
		d.running++
	}
	d.mu.Unlock()
	defer func() { // deferred, because a handler may end its goroutine
		d.mu.Lock()
		q.running = false
		if !announced {
			d.running--
			d.release(it)
			d.handled++
		}
		if q.empty() {
			d.recycle(q)
		} else {
			d.ready.push(q) // behind the others, so that a long queue does not delay them
		}
	}()
	d.handle(it)
}

// newQueue returns an empty queue for a conversation.
func (d *dispatcher) newQueue(conv conversation) *queue {
	q := d.free.pop()
	if q == nil {
		q = new(queue)
	} else {
		d.freeCount--
	}
	q.conv = conv
	d.queues[conv] = q
	d.longest.add(q)
	return q
}

// recycle keeps an emptied queue for reuse, unless it has grown large or there are many.
func (d *dispatcher) recycle(q *queue) {
	delete(d.queues, q.conv)
	d.longest.remove(q)
	if d.freeCount < 256 && len(q.items) <= 64 {
		d.free.push(q)
		d.freeCount++
	}
}

func (c conversation) less(o conversation) bool {
	if c.self != o.self {
		return c.self < o.self
	}
	if c.group != o.group {
		return c.group < o.group
	}
	return c.user < o.user
}

// stats fills in the dispatcher's counters.
func (d *dispatcher) stats(s *Stats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Received, s.Handled, s.Overflowed, s.Unfinished = d.received, d.handled, d.overflow, d.unfinished
	s.Dropped = s.Overflowed + s.Unfinished
	s.Queued = d.waiting + d.running
	s.QueuedBytes = d.bytes
}
