package buffer

import "time"

// Requeue gives a batch back, as a turn does that was superseded: its items go in front of what has
// arrived meanwhile, with their own times, as if they had never been handed out. Mostly that makes
// them due at once, for the next Due; [Buffer.Hold] puts it off. Items that were dropped meanwhile
// stay out.
//
// A batch with more or fewer Items than were handed out, or one that is not out, such as what an
// earlier run left, is put in front too; its items then get their times from First and Last, and
// with the Reason Summoned the first of them counts as the summons.
func (b *Buffer[K, T]) Requeue(now time.Time, batch Batch[K, T]) {
	b.putBack(now, batch, mark(nil, batch.Items, b.drops[batch.Key]))
}

// mark says of each item whether any of drops has it; gone is what earlier ones said.
func mark[T any](gone []bool, items []T, drops []func(T) bool) []bool {
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

// putBack is Return with the answers of drop already known.
func (b *Buffer[K, T]) putBack(now time.Time, batch Batch[K, T], gone []bool) {
	at := b.clock.tick(now)
	delete(b.drops, batch.Key)
	e := b.keys[batch.Key]
	if e == nil {
		if len(batch.Items) == 0 {
			return
		}
		e = b.open(batch.Key)
		b.queue.push(never, e)
	}
	if int(e.out) == len(batch.Items) {
		for i, v := range batch.Items {
			e.items[i].v = v
		}
	} else {
		b.rebuild(e, batch, at)
	}
	e.out = 0
	e.remove(ids(e.items, gone))
	e.reopen()
	b.settle(e)
}

// rebuild makes new places for a batch whose own are not known.
func (b *Buffer[K, T]) rebuild(e *entry[K, T], batch Batch[K, T], now int64) {
	waiting := e.items[e.out:]
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
