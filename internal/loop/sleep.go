package loop

import (
	"context"
	"time"
)

// Sleep waits for d, or until ctx ends: then it returns the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}
