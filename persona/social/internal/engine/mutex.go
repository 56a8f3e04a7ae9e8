package engine

import (
	"context"
)

// A Mutex is a mutex whose Lock takes a context. It works with testing/synctest.
type Mutex chan struct{}

// NewMutex returns an unlocked Latch.
func NewMutex() Mutex { return make(Mutex, 1) }

// Lock locks the latch. It returns an error if ctx ends first.
func (l Mutex) Lock(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	default:
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Unlock unlocks the latch. It must be locked.
func (l Mutex) Unlock() { <-l }
