package loop

import (
	"context"
	"time"
)

// Sleep waits for d or until ctx is done. It returns ctx.Err().
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
