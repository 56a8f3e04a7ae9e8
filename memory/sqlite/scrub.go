package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// Scrub implements [memory.Scrubber]: it writes the file anew and empties the write-ahead log into it, so that no byte of what was deleted is left in
// either. It takes about a second for 100 MB, and writers wait. [ErrBusy] means that somebody, in another process mostly, reads an older state of the file, and the
// log still holds what was there before; scrub again.
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
		if err := loop.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}
