package onebot

// longest is a heap of queues that finds the longest one: of the most bytes, and of several equal ones that of the
// lowest conversation. A queue's rank is its bytes or more, so that only pushed events, not handled ones, change the
// heap.
type longest []*queue

// add adds an empty queue.
func (h *longest) add(q *queue) {
	q.rank, q.place = 0, len(*h)
	*h = append(*h, q)
	h.up(q)
}

// grown restores the heap after q received an event.
func (h *longest) grown(q *queue) {
	if q.bytes > q.rank {
		q.rank = q.bytes
		h.up(q)
	}
}

// remove removes a queue.
func (h *longest) remove(q *queue) {
	end := len(*h) - 1
	last := (*h)[end]
	(*h)[end] = nil
	*h = (*h)[:end]
	if last != q {
		h.put(last, q.place)
		h.up(last)
		h.down(last)
	}
}

// top returns the longest queue; the heap must not be empty.
func (h *longest) top() *queue {
	for {
		q := (*h)[0]
		if q.rank == q.bytes {
			return q
		}
		q.rank = q.bytes
		h.down(q)
	}
}

func (h *longest) put(q *queue, place int) { (*h)[place], q.place = q, place }

func (h *longest) up(q *queue) {
	for q.place > 0 {
		parent := (*h)[(q.place-1)/2]
		if !q.before(parent) {
			return
		}
		place := parent.place
		h.put(parent, q.place)
		h.put(q, place)
	}
}

func (h *longest) down(q *queue) {
	for {
		first := q
		for place := 2*q.place + 1; place <= 2*q.place+2 && place < len(*h); place++ {
			if child := (*h)[place]; child.before(first) {
				first = child
			}
		}
		if first == q {
			return
		}
		place := first.place
		h.put(first, q.place)
		h.put(q, place)
	}
}

func (q *queue) before(o *queue) bool {
	return q.rank > o.rank || q.rank == o.rank && q.conv.less(o.conv)
}
