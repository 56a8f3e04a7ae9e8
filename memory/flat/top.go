package flat

// A top keeps the best k of many, in a heap whose first is the worst.
type top[T any] struct {
	k     int
	worse func(a, b T) bool
	items []T
}

func (t *top[T]) full() bool { return len(t.items) == t.k }

func (t *top[T]) add(x T) {
	switch {
	case !t.full():
		t.items = append(t.items, x)
		t.up(len(t.items) - 1)
	case t.worse(t.items[0], x):
		t.items[0] = x
		t.down()
	}
}

func (t *top[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !t.worse(t.items[i], t.items[parent]) {
			return
		}
		t.items[i], t.items[parent] = t.items[parent], t.items[i]
		i = parent
	}
}

func (t *top[T]) down() {
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t.items); c++ {
			if t.worse(t.items[c], t.items[worst]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.items[i], t.items[worst] = t.items[worst], t.items[i]
		i = worst
	}
}
