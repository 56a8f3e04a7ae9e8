package engine

import (
	"sync"
)

// A Queue holds items for a goroutine.
type Queue[T any] struct {
	mu    sync.Mutex
	items []T
	Wake  chan struct{} // receives a value after Add
}

// NewQueue returns an empty queue.
func NewQueue[T any]() *Queue[T] { return &Queue[T]{Wake: make(chan struct{}, 1)} }

// Add appends an item and wakes the goroutine. It never blocks.
func (q *Queue[T]) Add(item T) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	select {
	case q.Wake <- struct{}{}:
	default:
	}
}

// Take returns the items and empties the queue.
func (q *Queue[T]) Take() (items []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, nil
	return items
}
