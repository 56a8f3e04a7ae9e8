package buffer

import "math"

// An entry is the state of one key. Its items are in order of arrival:
//
//	[ out | waiting ]          a batch is in flight: its slots are kept, its values are gone
//	[ window ]                 open: more items may join
//	[ window | waiting ]       closed: the deadline has passed and more items have arrived
type entry[K comparable, T any] struct {
	key      K
	items    []item[T]
	urgentAt int64  // time of the first urgent item in the window; never if there is none
	hold     int64  // earliest time at which the window is due; unheld if there is no Hold
	pos      int32  // index in the queue; -1 if the entry is not in use
	inFlight int32  // number of items in flight
	closed   int32  // number of items in a closed window; 0 while the window is open
	round    uint32 // the call of Due that yielded it last
}

// An item keeps its time and its number, so that deadlines can be computed again after a Drop or a Requeue.
type item[T any] struct {
	at int64
	id uint64 // number of arrival << 1 | 1 for an urgent item
	v  T
}

const unheld = math.MinInt64

func (e *entry[K, T]) window() []item[T] {
	if e.closed > 0 {
		return e.items[:e.closed]
	}
	return e.items[e.inFlight:]
}

// arrival orders keys with equal deadlines.
func (e *entry[K, T]) arrival() uint64 {
	if int(e.inFlight) < len(e.items) {
		return e.items[e.inFlight].id
	}
	return math.MaxUint64
}

// due returns the deadline of the window and its reason; never while a batch is in flight.
func (e *entry[K, T]) due(r *rules) (int64, Reason) {
	if e.inFlight > 0 {
		return never, Debounced
	}
	w := e.window()
	at, why := later(w[len(w)-1].at, r.debounce), Debounced
	if t := later(w[0].at, r.maxWait); t < at {
		at, why = t, MaxWaitReached
	}
	if len(w) >= r.maxItems && w[r.maxItems-1].at <= at {
		at, why = w[r.maxItems-1].at, Full
	}
	if e.urgentAt != never {
		if t := later(e.urgentAt, r.urgentDelay); t <= at {
			at, why = t, Urgent
		}
	}
	return max(at, e.hold), why
}

// reopen merges all waiting items into one open window.
func (e *entry[K, T]) reopen() {
	e.closed = 0
	e.findUrgent()
}

// findUrgent finds the first urgent item in the window.
func (e *entry[K, T]) findUrgent() {
	e.urgentAt = never
	for _, it := range e.window() {
		if it.id&1 == 1 {
			e.urgentAt = it.at
			return
		}
	}
}

// remove deletes the pending items with the given ids, in ascending order, and returns their number.
func (e *entry[K, T]) remove(ids []uint64) (n int) {
	cut := int(e.closed)
	kept := e.items[:e.inFlight]
	for i, it := range e.items[e.inFlight:] {
		for len(ids) > 0 && ids[0] < it.id {
			ids = ids[1:]
		}
		if len(ids) == 0 || ids[0] != it.id {
			kept = append(kept, it)
			continue
		}
		if n++; i < cut {
			e.closed--
		}
	}
	clear(e.items[len(kept):])
	e.items = kept
	return n
}

// deleteFirst deletes the first n items.
func (e *entry[K, T]) deleteFirst(n int32) {
	left := copy(e.items, e.items[n:])
	clear(e.items[left:])
	e.items = e.items[:left]
}
