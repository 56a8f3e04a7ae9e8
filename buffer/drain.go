package buffer

import (
	"cmp"
	"iter"
	"slices"
)

// Drain yields all pending items, due or not, as one batch for each key. The key with the oldest item comes first.
// Each batch is removed when it is yielded, so breaking out of the loop leaves the rest. These batches need no Done.
// Batches in flight are not affected, and the buffer remains usable.
func (b *Buffer[K, T]) Drain() iter.Seq[Batch[K, T]] {
	return func(yield func(Batch[K, T]) bool) {
		for _, key := range b.waiting() {
			if batch, ok := b.take(key); ok && !yield(batch) {
				return
			}
		}
	}
}

// waiting lists the keys with pending items, oldest item first.
func (b *Buffer[K, T]) waiting() []K {
	type first struct {
		arrival uint64
		key     K
	}
	order := make([]first, 0, len(b.queue))
	for _, s := range b.queue {
		if int(s.e.inFlight) < len(s.e.items) {
			order = append(order, first{s.e.arrival(), s.e.key})
		}
	}
	slices.SortFunc(order, func(x, y first) int { return cmp.Compare(x.arrival, y.arrival) })
	keys := make([]K, len(order))
	for i, f := range order {
		keys[i] = f.key
	}
	return keys
}

// take removes all pending items of key.
func (b *Buffer[K, T]) take(key K) (batch Batch[K, T], ok bool) {
	e := b.keys[key]
	if e == nil || int(e.inFlight) == len(e.items) {
		return batch, false
	}
	batch = b.batch(key, e.items[e.inFlight:], Drained)
	e.items = e.items[:e.inFlight]
	e.closed, e.urgentAt, e.hold = 0, never, unheld
	if e.inFlight == 0 {
		b.release(e)
	}
	return batch, true
}
