package buffer

import "math"

// An entry is what a Buffer knows of one key. Its items lie in order of arrival:
//
//	[ out | waiting ]          while a batch is out: its places are kept, the items are gone
//	[ window ]                 while more may join
//	[ window | waiting ]       once the window's deadline has passed and more has arrived
type entry[K comparable, T any] struct {
	key    K
	items  []item[T]
	called int64  // the first summons in the window; never when there is none
	hold   int64  // not due before; the least number when there is none
	pos    int32  // in the queue; -1 when it is not in use
	out    int32  // how many are out
	cut    int32  // where a window ends that is closed; 0 while it is open
	round  uint32 // the Due that handed it out last
}

// An item keeps its own time and number, so that every rule can be computed anew after a Drop or
// a Return.
type item[T any] struct {
	at int64
	id uint64 // number of arrival << 1 | 1 for a summons
	v  T
}

const unheld = math.MinInt64

func (e *entry[K, T]) window() []item[T] {
	if e.cut > 0 {
		return e.items[:e.cut]
	}
	return e.items[e.out:]
}

// arrival orders keys that are due at the same instant.
func (e *entry[K, T]) arrival() uint64 {
	if int(e.out) < len(e.items) {
		return e.items[e.out].id
	}
	return math.MaxUint64
}

// due is when the window is due, and why; never while a batch is out.
func (e *entry[K, T]) due(r *rules) (int64, Reason) {
	if e.out > 0 {
		return never, Debounced
	}
	w := e.window()
	at, why := later(w[len(w)-1].at, r.quiet), Debounced
	if t := later(w[0].at, r.wait); t < at {
		at, why = t, MaxWaitReached
	}
	if len(w) >= r.full && w[r.full-1].at <= at {
		at, why = w[r.full-1].at, Full
	}
	if e.called != never {
		if t := later(e.called, r.summon); t <= at {
			at, why = t, Urgent
		}
	}
	return max(at, e.hold), why
}

// reopen lets all that waits join one window.
func (e *entry[K, T]) reopen() {
	e.cut = 0
	e.seek()
}

// seek looks for the first summons in the window.
func (e *entry[K, T]) seek() {
	e.called = never
	for _, it := range e.window() {
		if it.id&1 == 1 {
			e.called = it.at
			return
		}
	}
}

// remove takes out the waiting items with these ids, which ascend, and says how many there were.
func (e *entry[K, T]) remove(ids []uint64) (n int) {
	cut := int(e.cut)
	kept := e.items[:e.out]
	for i, it := range e.items[e.out:] {
		for len(ids) > 0 && ids[0] < it.id {
			ids = ids[1:]
		}
		if len(ids) == 0 || ids[0] != it.id {
			kept = append(kept, it)
			continue
		}
		if n++; i < cut {
			e.cut--
		}
	}
	clear(e.items[len(kept):])
	e.items = kept
	return n
}

// forget takes the first n items out.
func (e *entry[K, T]) forget(n int32) {
	left := copy(e.items, e.items[n:])
	clear(e.items[left:])
	e.items = e.items[:left]
}
