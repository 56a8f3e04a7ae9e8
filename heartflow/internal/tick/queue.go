package tick

import "container/heap"

// A Place is embedded in the items of a [Queue].
type Place struct {
	Due   Tick
	Order int // order among equal deadlines
	slot  int // index in the queue from 1; 0: in no queue
}

func (p *Place) place() *Place { return p }

// A Queue is a heap of pointers to items with a deadline, the earliest on top.
type Queue[T interface{ place() *Place }] []T

// Set sets the deadline of item; 0 removes the item.
func (q *Queue[T]) Set(item T, due Tick) {
	p := item.place()
	switch {
	case due == 0:
		q.Remove(item)
	case p.slot == 0:
		p.Due = due
		heap.Push(q, item)
	case p.Due != due:
		p.Due = due
		heap.Fix(q, p.slot-1)
	}
}

// Remove removes item if it is in the queue.
func (q *Queue[T]) Remove(item T) {
	if p := item.place(); p.slot > 0 {
		heap.Remove(q, p.slot-1)
	}
}

// Len implements [heap.Interface], like the methods below.
func (q Queue[T]) Len() int { return len(q) }

// Less compares deadlines, and Order if they are equal.
func (q Queue[T]) Less(i, j int) bool {
	a, b := q[i].place(), q[j].place()
	if a.Due != b.Due {
		return a.Due < b.Due
	}
	return a.Order < b.Order
}

// Swap also updates the indexes of both items.
func (q Queue[T]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place().slot, q[j].place().slot = i+1, j+1
}

// Push is for container/heap. Call [Queue.Set] instead.
func (q *Queue[T]) Push(x any) {
	*q = append(*q, x.(T))
	(*q)[len(*q)-1].place().slot = len(*q)
}

// Pop is for container/heap. Call [Queue.Remove] instead.
func (q *Queue[T]) Pop() any {
	last := len(*q) - 1
	item := (*q)[last]
	clear((*q)[last:])
	*q = (*q)[:last]
	item.place().slot = 0
	return item
}
