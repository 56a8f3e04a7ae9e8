package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/jackc/pgx/v5/pgconn"
)

// backoff is the pause before the first repetition. It doubles up to maxBackoff.
const (
	backoff    = 10 * time.Millisecond
	maxBackoff = 500 * time.Millisecond
)

// retry calls f until it succeeds, fails with an error that again does not accept, or Options.Timeout is over. f gets the
// limited context.
func (c *core) retry(ctx context.Context, again func(error) bool, f func(context.Context) error) error {
	caller := ctx
	ctx, cancel := c.limit(ctx)
	defer cancel()
	for pause := backoff; ; pause = min(2*pause, maxBackoff) {
		if c.closed.Load() {
			return ErrClosed
		}
		err := f(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil && again(err) && loop.Sleep(ctx, pause) == nil {
			continue
		}
		return blame(caller, ctx, err)
	}
}

// blame returns the error of a call whose limited context may have ended. If the caller's context has ended, it is that
// error. An unclear write stays unclear.
func blame(caller, limited context.Context, err error) error {
	switch {
	case errors.Is(err, ErrUnclear):
		return err
	case caller.Err() != nil:
		return caller.Err()
	case limited.Err() != nil:
		return errors.Join(context.Cause(limited), hideContext(err))
	}
	return err
}

// hideContext returns nil for the error of a context: nobody's context has ended, only the limit of the call.
func hideContext(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("last: %v", err)
	}
	return err
}

// isStarting reports whether the server is just starting.
func isStarting(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "57P03"
}
