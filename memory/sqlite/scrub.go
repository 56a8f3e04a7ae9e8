package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrBusy is that a reader of the file, in another process mostly, kept the write-ahead log from being emptied.
var ErrBusy = errors.New("somebody reads the file")

// Scrub implements [memory.Scrubber]: it writes the file anew and empties the write-ahead log into it, so that no byte of what was deleted is left in
// either. It takes about a second for 100 MB, and writers wait. [ErrBusy] means that the log still holds what was there before; scrub again.
func (db *DB) Scrub(ctx context.Context) error {
	return db.known(db.w.alone(ctx, func(ctx context.Context) error {
		if _, err := db.w.c.ExecContext(ctx, "VACUUM"); err != nil {
			return err
		}
		return db.w.checkpoint(ctx)
	}))
}

// checkpoint moves all of the log into the file. Reads that are going on end soon; it waits for them.
func (w *writer) checkpoint(ctx context.Context) error {
	for try := 0; ; try++ {
		var busy, log, moved int
		if err := w.c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil {
			return err
		}
		if busy == 0 {
			return nil
		}
		if try == 20 { // each has waited for busy_timeout
			return fmt.Errorf("sqlite: checkpoint: %w", ErrBusy)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// alone runs f on the connection that writes, outside any transaction.
func (w *writer) alone(ctx context.Context, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.turn }()
	if w.c == nil {
		return ErrClosed
	}
	return f(ctx)
}
