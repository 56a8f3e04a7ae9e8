package buffer

import "time"

// Requeue requeues a batch in flight, for example if a newer message superseded its turn. The items go in front of
// newer items, with their original times, as if Due had never yielded them. Usually the batch is due again at the
// next Due; [Buffer.Hold] postpones it. Items dropped in the meantime stay out.
//
// A batch is also accepted if its number of Items has changed or if it is not in flight, for example if it comes from
// an earlier process. Its items then get their times from FirstAt and LastAt. If its Reason is Urgent, its first item
// counts as the urgent one.
func (b *Buffer[K, T]) Requeue(now time.Time, batch Batch[K, T]) {
	b.giveBack(now, batch, matchDrops(nil, batch.Items, b.dropsInFlight[batch.Key]))
}

// matchDrops reports for each item whether one of drops matches it. It extends gone, the result for earlier drops.
func matchDrops[T any](gone []bool, items []T, drops []func(T) bool) []bool {
	if gone == nil && len(drops) > 0 {
		gone = make([]bool, len(items))
	}
	for _, drop := range drops {
		for i, v := range items {
			gone[i] = gone[i] || drop(v)
		}
	}
	return gone
}

// giveBack is Requeue after the drop predicates were applied.
func (b *Buffer[K, T]) giveBack(now time.Time, batch Batch[K, T], gone []bool) {
	at := b.clock.tick(now)
	delete(b.dropsInFlight, batch.Key)
	e := b.keys[batch.Key]
	if e == nil {
		if len(batch.Items) == 0 {
			return
		}
		e = b.open(batch.Key)
		b.queue.push(never, e)
	}
	if int(e.inFlight) == len(batch.Items) {
		for i, v := range batch.Items {
			e.items[i].v = v
		}
	} else {
		b.rebuild(e, batch, at)
	}
	e.inFlight = 0
	e.remove(ids(e.items, gone))
	e.reopen()
	b.settle(e)
}

// rebuild creates new slots for a batch that has none.
func (b *Buffer[K, T]) rebuild(e *entry[K, T], batch Batch[K, T], now int64) {
	waiting := e.items[e.inFlight:]
	if len(waiting) > 0 {
		now = waiting[0].at
	}
	items := make([]item[T], 0, len(batch.Items)+len(waiting))
	for _, v := range batch.Items {
		items = append(items, item[T]{at: min(b.clock.instant(batch.FirstAt), now), v: v})
	}
	if n := len(items); n > 0 {
		items[n-1].at = max(items[0].at, min(b.clock.instant(batch.LastAt), now))
		if batch.Reason == Urgent {
			items[0].id = 1
		}
	}
	items = append(items, waiting...)
	for i := range items {
		b.arrived++
		items[i].id = b.arrived<<1 | items[i].id&1
	}
	e.items = items
}

func ids[T any](items []item[T], gone []bool) (ids []uint64) {
	for i, is := range gone {
		if is {
			ids = append(ids, items[i].id)
		}
	}
	return ids
}
