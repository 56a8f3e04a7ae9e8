package tick

import "container/heap"

// A Place is embedded in what a [Queue] holds.
type Place struct {
	Due   Tick
	Order int // of those that are due at the same time
	slot  int // from 1; 0: in no queue
}

func (p *Place) place() *Place { return p }

// A Queue is a heap of pointers to what has a deadline, the earliest on top.
type Queue[T interface{ place() *Place }] []T

// Set gives item that deadline; 0 takes it out.
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

// Remove takes item out, if it is in.
func (q *Queue[T]) Remove(item T) {
	if p := item.place(); p.slot > 0 {
		heap.Remove(q, p.slot-1)
	}
}

// Len implements [heap.Interface], as all below does.
func (q Queue[T]) Len() int { return len(q) }

// Less tells what is due first, by Order where that is the same.
func (q Queue[T]) Less(i, j int) bool {
	a, b := q[i].place(), q[j].place()
	if a.Due != b.Due {
		return a.Due < b.Due
	}
	return a.Order < b.Order
}

// Swap keeps the places of both up to date.
func (q Queue[T]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place().slot, q[j].place().slot = i+1, j+1
}

// Push is for container/heap: who puts something in calls [Queue.Set].
func (q *Queue[T]) Push(x any) {
	*q = append(*q, x.(T))
	(*q)[len(*q)-1].place().slot = len(*q)
}

// Pop is for container/heap: who takes something out calls [Queue.Remove].
func (q *Queue[T]) Pop() any {
	last := len(*q) - 1
	item := (*q)[last]
	clear((*q)[last:])
	*q = (*q)[:last]
	item.place().slot = 0
	return item
}
