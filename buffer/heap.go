package buffer

// A queue is a binary heap of entries, ordered by deadline and then by arrival. It is lazy: a slot's at may be
// earlier than its entry's deadline but never later. Most windows are extended many times before they are due, and
// only the top of the heap must be exact. A key with a batch in flight stays in its slot with the deadline never.
type queue[K comparable, T any] []slot[K, T]

type slot[K comparable, T any] struct {
	at int64
	e  *entry[K, T]
}

func (s slot[K, T]) before(o slot[K, T]) bool {
	return s.at < o.at || s.at == o.at && s.e.arrival() < o.e.arrival()
}

func (q *queue[K, T]) push(at int64, e *entry[K, T]) {
	e.pos = int32(len(*q))
	*q = append(*q, slot[K, T]{at, e})
	q.up(int(e.pos))
}

// set moves e to the deadline at, up or down. It must also be called after a change of e's arrival.
func (q queue[K, T]) set(e *entry[K, T], at int64) {
	q[e.pos].at = at
	if !q.up(int(e.pos)) {
		q.down(int(e.pos))
	}
}

func (q *queue[K, T]) remove(e *entry[K, T]) {
	h, i, last := *q, int(e.pos), len(*q)-1
	h[i] = h[last]
	h[i].e.pos = e.pos
	h[last] = slot[K, T]{}
	*q = shrunk(h[:last])
	if i < last {
		q.set((*q)[i].e, (*q)[i].at)
	}
	e.pos = -1
}

func (q queue[K, T]) up(i int) (moved bool) {
	s := q[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !s.before(q[parent]) {
			break
		}
		q[i] = q[parent]
		q[i].e.pos = int32(i)
		i, moved = parent, true
	}
	q[i] = s
	s.e.pos = int32(i)
	return moved
}

func (q queue[K, T]) down(i int) {
	s := q[i]
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(s) {
			break
		}
		q[i] = q[child]
		q[i].e.pos = int32(i)
		i = child
	}
	q[i] = s
	s.e.pos = int32(i)
}

// small is the number of elements below which memory is not freed.
const small = 1024

// shrunk returns s, copied to half the capacity if three quarters of it are unused.
func shrunk[S ~[]E, E any](s S) S {
	if cap(s) <= small || len(s) > cap(s)/4 {
		return s
	}
	return append(make(S, 0, cap(s)/2), s...)
}
