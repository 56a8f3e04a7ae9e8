// Package best keeps the K best of a stream of items.
package best

// A Heap keeps the best K of the added items. Items[0] is the worst of them.
type Heap[T any] struct {
	K     int
	Worse func(a, b T) bool
	Items []T
}

// Full reports whether a better item replaces another.
func (h *Heap[T]) Full() bool { return len(h.Items) == h.K }

// Add keeps x if it is one of the K best so far.
func (h *Heap[T]) Add(x T) {
	switch {
	case !h.Full():
		h.Items = append(h.Items, x)
		h.up(len(h.Items) - 1)
	case h.Worse(h.Items[0], x):
		h.Items[0] = x
		h.down()
	}
}

func (h *Heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.Worse(h.Items[i], h.Items[parent]) {
			return
		}
		h.Items[i], h.Items[parent] = h.Items[parent], h.Items[i]
		i = parent
	}
}

func (h *Heap[T]) down() {
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h.Items); c++ {
			if h.Worse(h.Items[c], h.Items[worst]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h.Items[i], h.Items[worst] = h.Items[worst], h.Items[i]
		i = worst
	}
}
