package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
)

// Scrub implements [memory.Scrubber]. It rewrites the file and empties the write-ahead log, so that no deleted bytes
// remain. It takes about a second for 100 MB and blocks writers. [ErrBusy] means that a reader, usually in another
// process, still uses an older state, so the log may contain deleted bytes. Call Scrub again then.
func (db *DB) Scrub(ctx context.Context) error {
	return db.withSentinel(db.writer.exclusive(ctx, func(ctx context.Context) error {
		if _, err := db.writer.c.ExecContext(ctx, "VACUUM"); err != nil {
			return err
		}
		return db.writer.checkpoint(ctx)
	}))
}

// checkpoint moves the whole log into the file. It waits for running reads.
func (w *writer) checkpoint(ctx context.Context) error {
	for try := 0; ; try++ {
		var busy, log, moved int
		if err := w.c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil {
			return err
		}
		if busy == 0 {
			return nil
		}
		if try == 20 { // each try has waited for busy_timeout
			return fmt.Errorf("sqlite: checkpoint: %w", ErrBusy)
		}
		if err := loop.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}
