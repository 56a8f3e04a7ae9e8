package buffer

import (
	"maps"
	"time"
)

// A Buffer gathers items by key until they are due, as [Options] says: a quiet window that slides
// with each item, a summons that cuts it after a short fixed time, a number of items and a longest
// wait. It owns no goroutine and no timer: feed it, ask Next when it matters, collect what is Due.
//
// A batch is closed at its deadline, even when Due is asked later: what arrives at that instant or
// after it belongs to the next one. And a key has one batch at a time: once a batch is closed, and
// until Done or Return when it has been handed out, what arrives under its key waits. It then
// gathers in one window with its own times, which may be due at once and may hold more than
// MaxItems. So an item is in exactly one batch, and the batches of a key come in order.
//
// A Buffer must not be used by two goroutines at once; a [Runner] may.
type Buffer[K comparable, T any] struct {
	rules   rules
	clock   clock
	keys    map[K]*entry[K, T]
	most    int // the largest len(keys) since the map was made; maps do not shrink by themselves
	queue   queue[K, T]
	spare   []*entry[K, T] // at most as many as there are keys, and a few
	arrived uint64
	round   uint32
	drops   map[K][]func(T) bool // what Drop was asked about items that are out
}

// New returns an empty buffer. It cannot fail, because every value of [Options] is valid.
func New[K comparable, T any](o Options) *Buffer[K, T] {
	return &Buffer[K, T]{rules: o.rules(), keys: make(map[K]*entry[K, T])}
}

// Add puts an item under its key.
func (b *Buffer[K, T]) Add(now time.Time, key K, v T) { b.add(now, key, v, 0) }

// AddUrgent is Add for an item that calls: unless it is due earlier, its batch is due Options.Summon
// after the first summons in it, however many items or summonses follow.
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
			e.called = at
		}
		due, _ := e.due(&b.rules)
		b.queue.push(due, e)
		return
	}
	if e.cut == 0 && b.queue[e.pos].at <= at {
		b.seal(e, at)
	}
	e.items = append(e.items, it)
	if e.out > 0 || e.cut > 0 {
		return
	}
	// Only a summons and the last item that fits make it due earlier; all else moves the deadline
	// away, which the queue finds out when the key has come to its top.
	first := summons > 0 && e.called == never
	if first {
		e.called = at
	}
	if first || len(e.items) == b.rules.full {
		b.rekey(e)
	}
}

// seal closes e's window if its deadline has come.
func (b *Buffer[K, T]) seal(e *entry[K, T], at int64) {
	if due, _ := e.due(&b.rules); due <= at {
		e.cut = int32(len(e.items))
	} else {
		b.queue.set(e, due)
	}
}

// Hold keeps the key back: nothing of it is due before now+d, whatever the options say, and what
// arrives until then joins. A later Hold replaces an earlier one; d ≤ 0 ends it. It lasts for one
// batch, and a key of which nothing waits or is out cannot be held.
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

// Drop takes out the waiting items of key for which drop answers true, as for a message that was
// recalled, and says how many. Deadlines are then as if they had never been added. Of a batch that
// is out, which is its receiver's, they are taken out when it is returned.
func (b *Buffer[K, T]) Drop(key K, drop func(T) bool) int {
	e := b.keys[key]
	if e == nil {
		return 0
	}
	b.dropLater(e, drop)
	return b.remove(e, matching(e.items[e.out:], drop))
}

func matching[T any](items []item[T], drop func(T) bool) (ids []uint64) {
	for _, it := range items {
		if drop(it.v) {
			ids = append(ids, it.id)
		}
	}
	return ids
}

func (b *Buffer[K, T]) dropLater(e *entry[K, T], drop func(T) bool) {
	if e.out == 0 {
		return
	}
	if b.drops == nil {
		b.drops = make(map[K][]func(T) bool)
	}
	b.drops[e.key] = append(b.drops[e.key], drop)
}

func (b *Buffer[K, T]) remove(e *entry[K, T], ids []uint64) int {
	n := e.remove(ids)
	if n == 0 {
		return 0
	}
	e.seek()
	b.settle(e)
	return n
}

// settle puts e in its place after items have been taken out of it or put back.
func (b *Buffer[K, T]) settle(e *entry[K, T]) {
	if len(e.items) == 0 {
		b.release(e)
		return
	}
	if e.cut > 0 {
		if due, _ := e.due(&b.rules); due > b.clock.now {
			e.reopen() // what had made it due is gone
		}
	}
	b.rekey(e)
}

// rekey puts e where its deadline belongs.
func (b *Buffer[K, T]) rekey(e *entry[K, T]) {
	due, _ := e.due(&b.rules)
	b.queue.set(e, due)
}

// open makes the entry of a key that had none; it is not in the queue yet.
func (b *Buffer[K, T]) open(key K) *entry[K, T] {
	var e *entry[K, T]
	if n := len(b.spare); n > 0 {
		e, b.spare[n-1] = b.spare[n-1], nil
		b.spare = b.spare[:n-1]
	} else {
		e = new(entry[K, T])
	}
	*e = entry[K, T]{key: key, items: e.items, called: never, hold: unheld, pos: -1}
	b.keys[key] = e
	b.most = max(b.most, len(b.keys))
	return e
}

// release forgets an entry without items, and gives memory back once most keys are gone.
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
	if b.most > small && len(b.keys) < b.most/4 {
		keys := make(map[K]*entry[K, T], len(b.keys))
		maps.Copy(keys, b.keys)
		b.keys, b.most = keys, len(b.keys)
	}
}
