package buffer

import (
	"maps"
	"time"
)

// A Buffer collects items by key and closes batches as [Options] says: after a debounce that every item extends, a
// short fixed delay after an urgent item, a number of items, or a maximum wait. It starts no goroutine and no timer.
// Add items, call Next for the time of the next batch, and collect batches with Due.
//
// A batch is closed at its deadline, even if Due is called later. An item that arrives at the deadline or after it
// belongs to the next batch. Each key has at most one batch at a time. After a batch is closed, new items of its key
// wait until Done or Requeue is called. They form one batch with its own deadline. That batch may be due at once and
// may hold more than MaxItems. So each item is in exactly one batch, and the batches of a key come in order.
//
// A Buffer is not safe for concurrent use. A [Runner] is.
type Buffer[K comparable, T any] struct {
	rules         rules
	clock         clock
	keys          map[K]*entry[K, T]
	peakKeys      int // the largest len(keys) since the map was made; Go maps do not shrink
	queue         queue[K, T]
	spare         []*entry[K, T] // released entries for reuse; slightly more than len(keys) at most
	arrived       uint64
	round         uint32
	dropsInFlight map[K][]func(T) bool // predicates of Drop to apply to items in flight
}

// New returns an empty buffer. It cannot fail, because every value of [Options] is valid.
func New[K comparable, T any](o Options) *Buffer[K, T] {
	return &Buffer[K, T]{rules: o.rules(), keys: make(map[K]*entry[K, T])}
}

// Add appends an item to the pending items of key.
func (b *Buffer[K, T]) Add(now time.Time, key K, v T) { b.add(now, key, v, 0) }

// AddUrgent is like Add for an item that needs a quick answer, such as a mention of the bot. Its batch is due
// Options.UrgentDelay after the first urgent item, unless it is due earlier. Later items do not extend this delay.
func (b *Buffer[K, T]) AddUrgent(now time.Time, key K, v T) { b.add(now, key, v, 1) }

func (b *Buffer[K, T]) add(now time.Time, key K, v T, summons uint64) {
	at := b.clock.tick(now)
	b.arrived++
	it := item[T]{at, b.arrived<<1 | summons, v}
	e := b.keys[key]
	if e == nil {
		e = b.open(key)
		e.items = append(e.items, it)
		if summons > 0 {
			e.urgentAt = at
		}
		due, _ := e.due(&b.rules)
		b.queue.push(due, e)
		return
	}
	if e.closed == 0 && b.queue[e.pos].at <= at {
		b.seal(e, at)
	}
	e.items = append(e.items, it)
	if e.inFlight > 0 || e.closed > 0 {
		return
	}
	// Only the first urgent item and the item that fills the batch make the deadline earlier. All other items move it
	// later. The queue notices that when the key reaches its top.
	first := summons > 0 && e.urgentAt == never
	if first {
		e.urgentAt = at
	}
	if first || len(e.items) == b.rules.maxItems {
		b.rekey(e)
	}
}

// seal closes the window of e if its deadline has passed.
func (b *Buffer[K, T]) seal(e *entry[K, T], at int64) {
	if due, _ := e.due(&b.rules); due <= at {
		e.closed = int32(len(e.items))
	} else {
		b.queue.set(e, due)
	}
}

// Hold postpones the pending batch of key until now+d at least, whatever the options say. Items that arrive until
// then join the batch. A later Hold replaces an earlier one, and d ≤ 0 cancels it. A Hold applies to one batch. It
// has no effect on a key without items.
func (b *Buffer[K, T]) Hold(now time.Time, key K, d time.Duration) {
	at := b.clock.tick(now)
	e := b.keys[key]
	if e == nil {
		return
	}
	e.hold = unheld
	if d > 0 {
		e.hold = later(at, int64(d))
		e.reopen()
	}
	b.rekey(e)
}

// Drop removes the pending items of key for which drop returns true, for example a retracted message. It returns the
// number of items removed. Deadlines change as if these items had never been added. Items in flight belong to the
// receiver. Drop applies to them when the batch is requeued.
func (b *Buffer[K, T]) Drop(key K, drop func(T) bool) int {
	e := b.keys[key]
	if e == nil {
		return 0
	}
	b.dropOnReturn(e, drop)
	return b.remove(e, matching(e.items[e.inFlight:], drop))
}

func matching[T any](items []item[T], drop func(T) bool) (ids []uint64) {
	for _, it := range items {
		if drop(it.v) {
			ids = append(ids, it.id)
		}
	}
	return ids
}

func (b *Buffer[K, T]) dropOnReturn(e *entry[K, T], drop func(T) bool) {
	if e.inFlight == 0 {
		return
	}
	if b.dropsInFlight == nil {
		b.dropsInFlight = make(map[K][]func(T) bool)
	}
	b.dropsInFlight[e.key] = append(b.dropsInFlight[e.key], drop)
}

func (b *Buffer[K, T]) remove(e *entry[K, T], ids []uint64) int {
	n := e.remove(ids)
	if n == 0 {
		return 0
	}
	e.findUrgent()
	b.settle(e)
	return n
}

// settle updates the queue after items of e were removed or put back.
func (b *Buffer[K, T]) settle(e *entry[K, T]) {
	if len(e.items) == 0 {
		b.release(e)
		return
	}
	if e.closed > 0 {
		if due, _ := e.due(&b.rules); due > b.clock.now {
			e.reopen() // the items that had made it due are gone
		}
	}
	b.rekey(e)
}

// rekey moves e to the position of its current deadline.
func (b *Buffer[K, T]) rekey(e *entry[K, T]) {
	due, _ := e.due(&b.rules)
	b.queue.set(e, due)
}

// open creates the entry of a new key. The caller adds it to the queue.
func (b *Buffer[K, T]) open(key K) *entry[K, T] {
	var e *entry[K, T]
	if n := len(b.spare); n > 0 {
		e, b.spare[n-1] = b.spare[n-1], nil
		b.spare = b.spare[:n-1]
	} else {
		e = new(entry[K, T])
	}
	*e = entry[K, T]{key: key, items: e.items, urgentAt: never, hold: unheld, pos: -1}
	b.keys[key] = e
	b.peakKeys = max(b.peakKeys, len(b.keys))
	return e
}

// release deletes an entry without items. It frees memory after most keys are gone.
func (b *Buffer[K, T]) release(e *entry[K, T]) {
	b.queue.remove(e)
	delete(b.keys, e.key)
	var zero K
	e.key = zero
	if cap(e.items) <= small/16 {
		b.spare = append(b.spare, e)
	}
	for n := len(b.spare); n > len(b.keys)+small/16; n-- {
		b.spare[n-1] = nil
		b.spare = b.spare[:n-1]
	}
	b.spare = shrunk(b.spare)
	if b.peakKeys > small && len(b.keys) < b.peakKeys/4 {
		keys := make(map[K]*entry[K, T], len(b.keys))
		maps.Copy(keys, b.keys)
		b.keys, b.peakKeys = keys, len(b.keys)
	}
}
