package buffer

import (
	"cmp"
	"iter"
	"slices"
)

// Drain yields all that waits, due or not, one batch for each key, oldest item first, and removes
// each as it is yielded; breaking out of the loop leaves the rest. No Done is needed for these.
// Batches that are out are not affected, and the buffer remains usable.
func (b *Buffer[K, T]) Drain() iter.Seq[Batch[K, T]] {
	return func(yield func(Batch[K, T]) bool) {
		for _, key := range b.waiting() {
			if batch, ok := b.take(key); ok && !yield(batch) {
				return
			}
		}
	}
}

// waiting lists the keys with items that wait, oldest first.
func (b *Buffer[K, T]) waiting() []K {
	type first struct {
		arrival uint64
		key     K
	}
	order := make([]first, 0, len(b.queue))
	for _, s := range b.queue {
		if int(s.e.out) < len(s.e.items) {
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

// take removes all that waits under key.
func (b *Buffer[K, T]) take(key K) (batch Batch[K, T], ok bool) {
	e := b.keys[key]
	if e == nil || int(e.out) == len(e.items) {
		return batch, false
	}
	batch = b.batch(key, e.items[e.out:], Drained)
	e.items = e.items[:e.out]
	e.cut, e.called, e.hold = 0, never, unheld
	if e.out == 0 {
		b.release(e)
	}
	return batch, true
}
