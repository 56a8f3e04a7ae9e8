package engine

import (
	"context"
)

// A Latch is a mutex whose Lock takes a context. It works with testing/synctest.
type Latch chan struct{}

// NewLatch returns an unlocked Latch.
func NewLatch() Latch { return make(Latch, 1) }

// Lock locks the latch. It returns an error if ctx ends first.
func (l Latch) Lock(ctx context.Context) error {
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
func (l Latch) Unlock() { <-l }
