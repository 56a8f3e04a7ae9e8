package engine

import (
	"context"
	"time"
)

// A latch is a lock that a wait can give up on, and that a virtual clock can pass.
type Latch chan struct{}

// NewLatch returns a latch that nobody holds.
func NewLatch() Latch { return make(Latch, 1) }

// Lock waits for the latch. It gives up when ctx ends.
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

// Unlock releases the latch, which must be held.
func (l Latch) Unlock() { <-l }

// Afterwards is for what must be written down even when ctx has ended, within a bound.
func Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
}
