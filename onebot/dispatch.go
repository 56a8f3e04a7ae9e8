package onebot

import (
	"context"
	"sync"
)

// itemOverhead is what a queued event costs beside its frame, about.
const itemOverhead = 512

// dispatcher hands events to the handler: in order per conversation, several conversations at once. add never
// waits. There are as many goroutines as there was work for at once, at most workers.
type dispatcher struct {
	workers, limit int // limit < 0: none

	mu       sync.Mutex
	wake     sync.Cond
	wg       sync.WaitGroup
	open     bool
	ended    func() error // ctx.Err of this run: once it has ended, nothing more is handed out
	handle   func(item)
	queues   map[conversation]*queue // those that are not empty or are running
	ready    list                    // those that are not empty and not running
	free     list                    // emptied ones, to be used again
	frees    int
	started  int
	idle     int // workers that wait and were not called yet
	waiting  int // events in queues
	running  int // events in handlers
	bytes    int // of both, less a guest
	guest    bool
	received uint64
	handled  uint64
	overflow uint64
	left     uint64 // queued when Run ended
}

func (d *dispatcher) init(o Options) {
	d.workers, d.limit = o.Workers, o.QueueBytes
	d.wake.L = &d.mu
}

// start begins handing out events. It is false when that was begun already.
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

// stop hands out no more and waits for the handlers that run. What is queued is counted as left.
func (d *dispatcher) stop() {
	d.mu.Lock()
	d.open = false
	d.wake.Broadcast()
	d.mu.Unlock()
	d.wg.Wait()

	d.mu.Lock()
	defer d.mu.Unlock()
	d.left += uint64(d.waiting)
	d.started, d.idle, d.waiting, d.bytes, d.guest = 0, 0, 0, 0, false
	d.queues, d.ready, d.free, d.frees, d.handle, d.ended = nil, list{}, list{}, 0, nil, nil
}

// add takes an event in; size is that of its frame.
func (d *dispatcher) add(bot *Bot, e Event, size int) {
	it := item{bot: bot, e: e, size: size + itemOverhead}
	conv := e.conversation()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.received++
	if !d.open {
		d.left++
		return
	}
	q := d.queues[conv]
	if q == nil {
		q = d.fresh(conv)
	}
	idle := q.empty() && !q.running
	q.push(it)
	d.waiting++
	d.bytes += it.size
	if d.limit >= 0 {
		d.bound(q)
	}
	if !idle {
		return
	}
	d.ready.push(q)
	switch {
	case d.idle > 0:
		d.idle-- // here, not where it wakes: the next event must not count on the same worker
		d.wake.Signal()
	case d.started < d.workers:
		d.started++
		d.wg.Add(1)
		go d.work()
	}
}

// bound keeps the bound after q got an event.
func (d *dispatcher) bound(q *queue) {
	if !d.guest && q.newest().size > d.limit/2 {
		d.invite(q)
	}
	for d.bytes > d.limit && d.waiting > 1 {
		d.drop()
	}
	if !d.guest && d.bytes > d.limit {
		d.invite(q) // it is large, and the guest before it is gone by now
	}
}

// invite makes the newest event of q the one that is not counted.
func (d *dispatcher) invite(q *queue) {
	it := q.newest()
	q.bytes -= it.size
	d.bytes -= it.size
	it.size, it.guest, d.guest = 0, true, true
}

// drop drops the oldest event of the longest queue.
func (d *dispatcher) drop() {
	var longest *queue
	for _, q := range d.queues {
		// the order of the map must not show: of two equally long the lower conversation loses
		if longest == nil || q.bytes > longest.bytes || q.bytes == longest.bytes && q.conv.less(longest.conv) {
			longest = q
		}
	}
	d.gone(longest.drop())
	d.waiting--
	d.overflow++
}

// gone gives an event's room back.
func (d *dispatcher) gone(it item) {
	d.bytes -= it.size
	if it.guest {
		d.guest = false
	}
}

// work is one worker.
func (d *dispatcher) work() {
	defer d.wg.Done()
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.open && d.ended() == nil {
		q := d.ready.pop()
		if q == nil {
			d.idle++
			d.wake.Wait()
			continue
		}
		d.hand(q)
		if q.empty() {
			d.recycle(q)
		} else {
			d.ready.push(q) // behind the others, so that none waits for a long queue
		}
	}
}

// hand gives one event of q to the handler, unlocked meanwhile.
func (d *dispatcher) hand(q *queue) {
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
	defer func() { // deferred: a handler may end its goroutine, as a failing test does
		d.mu.Lock()
		q.running = false
		if !announced {
			d.running--
			d.gone(it)
			d.handled++
		}
	}()
	d.handle(it)
}

// fresh gives an empty queue for a conversation.
func (d *dispatcher) fresh(conv conversation) *queue {
	q := d.free.pop()
	if q == nil {
		q = new(queue)
	} else {
		d.frees--
	}
	q.conv = conv
	d.queues[conv] = q
	return q
}

// recycle keeps an emptied queue for later, unless it has grown large or there are many.
func (d *dispatcher) recycle(q *queue) {
	delete(d.queues, q.conv)
	if d.frees < 256 && len(q.items) <= 64 {
		d.free.push(q)
		d.frees++
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

// stats fills in the share of the dispatcher.
func (d *dispatcher) stats(s *Stats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Received, s.Handled, s.Overflowed, s.Unfinished = d.received, d.handled, d.overflow, d.left
	s.Dropped = s.Overflowed + s.Unfinished
	s.Queued = d.waiting + d.running
	s.QueuedBytes = d.bytes
}
