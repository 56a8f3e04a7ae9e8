package buffer

import (
	"iter"
	"time"
)

// Next returns the time of the next deadline. If it is not after now, Due has a batch now. Next returns false if no
// batch can become due: there are no items, or all keys with items have a batch in flight.
func (b *Buffer[K, T]) Next() (time.Time, bool) {
	if at := b.next(); at < horizon {
		return b.clock.time(at), true
	}
	return time.Time{}, false
}

// next corrects the top of the queue and returns its deadline.
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

// soonest returns a lower bound of next at no cost.
func (b *Buffer[K, T]) soonest() int64 {
	if len(b.queue) == 0 {
		return never
	}
	return b.queue[0].at
}

// Due yields the batches due at now, oldest deadline first, ties by arrival. It removes each batch when it yields it.
// The key is then busy until Done or Requeue. The loop body may call any method. Items that it adds or returns are
// left for the next Due, so the loop ends and yields each key at most once. Breaking out of the loop leaves the other
// batches for the next call.
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
		if e.round == round || e.arrival()>>1 > arrived { // returned or added by the loop body: left for the next Due
			again = append(again, e)
			b.queue.set(e, never)
			continue
		}
		_, why := e.due(&b.rules)
		e.round = round
		if !yield(b.takeWindow(e, why)) {
			return
		}
	}
}

func (b *Buffer[K, T]) takeWindow(e *entry[K, T], why Reason) Batch[K, T] {
	w := e.window()
	batch := b.batch(e.key, w, why)
	e.inFlight, e.closed, e.urgentAt, e.hold = int32(len(w)), 0, never, unheld
	b.queue.set(e, never)
	return batch
}

// batch moves the items out of w and keeps their times for a Requeue.
func (b *Buffer[K, T]) batch(key K, w []item[T], why Reason) Batch[K, T] {
	items := make([]T, len(w))
	var zero T
	for i := range w {
		items[i], w[i].v = w[i].v, zero
	}
	return Batch[K, T]{key, items, why, b.clock.time(w[0].at), b.clock.time(w[len(w)-1].at)}
}

// Done marks the batch of key as handled. Items that arrived in the meantime become the next batch, and that batch
// may be due at now. Done does nothing if key has no batch in flight.
func (b *Buffer[K, T]) Done(now time.Time, key K) {
	b.clock.tick(now)
	e := b.keys[key]
	if e == nil || e.inFlight == 0 {
		return
	}
	e.deleteFirst(e.inFlight)
	e.inFlight = 0
	delete(b.dropsInFlight, key)
	e.reopen()
	b.settle(e)
}
