package engine

import (
	"sync"
)

// A queue holds what waits for a goroutine of the being. Adding never blocks.
type Queue[T any] struct {
	mu    sync.Mutex
	items []T
	Wake  chan struct{}
}

// NewQueue returns an empty queue.
func NewQueue[T any]() *Queue[T] { return &Queue[T]{Wake: make(chan struct{}, 1)} }

// Add appends an item, and wakes the goroutine that takes it. It never blocks.
func (q *Queue[T]) Add(item T) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	select {
	case q.Wake <- struct{}{}:
	default:
	}
}

// Take empties the queue.
func (q *Queue[T]) Take() (items []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, nil
	return items
}
