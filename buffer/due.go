package buffer

import (
	"iter"
	"time"
)

// Next is when something is due next: a time that is not after now means that Due has something
// now. It answers false when nothing waits but what waits for Done.
func (b *Buffer[K, T]) Next() (time.Time, bool) {
	if at := b.next(); at < horizon {
		return b.clock.time(at), true
	}
	return time.Time{}, false
}

// next makes the top of the queue right and gives its deadline.
func (b *Buffer[K, T]) next() int64 {
	for len(b.queue) > 0 {
		top := b.queue[0]
		if top.at == never {
			break
		}
		due, _ := top.e.due(&b.rules)
		if due == top.at {
			return due
		}
		b.queue.set(top.e, due)
	}
	return never
}

// soonest is never after next, and costs nothing.
func (b *Buffer[K, T]) soonest() int64 {
	if len(b.queue) == 0 {
		return never
	}
	return b.queue[0].at
}

// Due yields the batches due at now, oldest deadline first, ties by arrival, and removes each as it
// is yielded. Its key is then busy until Done or Return. The body of the loop may call these and all
// else; what comes back or is added by it is for the next Due, so that the loop ends and has each
// key at most once. Breaking out of it leaves the rest for next time.
func (b *Buffer[K, T]) Due(now time.Time) iter.Seq[Batch[K, T]] {
	return func(yield func(Batch[K, T]) bool) { b.due(b.clock.tick(now), yield) }
}

func (b *Buffer[K, T]) due(at int64, yield func(Batch[K, T]) bool) {
	if b.soonest() > at {
		return
	}
	b.round++
	round, arrived := b.round, b.arrived
	var again []*entry[K, T]
	defer func() {
		for _, e := range again {
			if e.pos >= 0 {
				b.rekey(e)
			}
		}
	}()
	for b.next() <= at {
		e := b.queue[0].e
		if e.round == round || e.arrival()>>1 > arrived { // for the next Due: it came back, or is new
			again = append(again, e)
			b.queue.set(e, never)
			continue
		}
		_, why := e.due(&b.rules)
		e.round = round
		if !yield(b.handOut(e, why)) {
			return
		}
	}
}

func (b *Buffer[K, T]) handOut(e *entry[K, T], why Reason) Batch[K, T] {
	w := e.window()
	batch := b.batch(e.key, w, why)
	e.out, e.cut, e.called, e.hold = int32(len(w)), 0, never, unheld
	b.queue.set(e, never)
	return batch
}

// batch moves the items of w out of it; their times stay, for a Return.
func (b *Buffer[K, T]) batch(key K, w []item[T], why Reason) Batch[K, T] {
	items := make([]T, len(w))
	var zero T
	for i := range w {
		items[i], w[i].v = w[i].v, zero
	}
	return Batch[K, T]{key, items, why, b.clock.time(w[0].at), b.clock.time(w[len(w)-1].at)}
}

// Done says that the batch of key has been dealt with. What has arrived meanwhile becomes its next
// window, which may be due at now. Without a batch that is out it does nothing.
func (b *Buffer[K, T]) Done(now time.Time, key K) {
	b.clock.tick(now)
	e := b.keys[key]
	if e == nil || e.out == 0 {
		return
	}
	e.forget(e.out)
	e.out = 0
	delete(b.drops, key)
	e.reopen()
	b.settle(e)
}
