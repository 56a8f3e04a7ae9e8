package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A writer is the one connection that writes. Its turn is a token, so that whoever waits for it can be cancelled.
type writer struct {
	turn                 chan struct{}
	db                   *sql.DB
	c                    *sql.Conn
	tries                int  // how often it waits for another process, busy each time
	full                 bool // synchronous=FULL is set
	put, del, set, unset *sql.Stmt
}

// busy is how long SQLite itself waits for a lock where it may be cancelled only in between.
const busy = 50 * time.Millisecond

// open opens the file that source names. Another process is waited for as long as wait.
func (w *writer) open(ctx context.Context, source string, wait time.Duration) (err error) {
	w.turn = make(chan struct{}, 1)
	w.tries = 1 + int(wait/busy)
	if w.db, err = sql.Open("sqlite", source); err != nil {
		return err
	}
	w.db.SetMaxOpenConns(1)
	if w.c, err = w.db.Conn(ctx); err != nil {
		return err
	}
	if err := migrate(ctx, w.c); err != nil {
		return err
	}
	var mode string
	if err := w.c.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" { // SQLite says so and goes on without
		return fmt.Errorf("this file system cannot do WAL (journal mode %q)", mode)
	}
	for _, pragma := range []string{
		"secure_delete=ON", "synchronous=NORMAL", "journal_size_limit=67108864", fmt.Sprint("busy_timeout=", busy.Milliseconds()),
		"fullfsync=ON", // on a Mac nothing less reaches the disk; elsewhere it means nothing
	} {
		if _, err := w.c.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return prepare(ctx, w.c, map[string]**sql.Stmt{putSQL: &w.put, deleteSQL: &w.del, setSQL: &w.set, unsetSQL: &w.unset})
}

// do runs f in one transaction, all or nothing. With full it is on the disk when do returns.
// Until f has begun ctx may cancel it; after that f itself asks ctx between its steps, and the commit is not broken off.
func (w *writer) do(ctx context.Context, full bool, f func(context.Context) error) error {
	return w.alone(ctx, func(ctx context.Context) (err error) {
		inner := context.WithoutCancel(ctx)
		if err := w.sync(inner, full); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				w.c.ExecContext(inner, "ROLLBACK") // fails where SQLite has rolled back already, or never began
			}
		}()
		if err := w.begin(ctx); err != nil { // which may have begun all the same, where ctx ended meanwhile
			return err
		}
		if err := f(inner); err != nil {
			return err
		}
		_, err = w.c.ExecContext(inner, "COMMIT")
		return err
	})
}

// alone waits for the turn and runs f on the connection, outside any transaction.
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

// begin waits for another process that writes to the file, in short waits since SQLite's own cannot be cancelled.
func (w *writer) begin(ctx context.Context) (err error) {
	for range w.tries {
		if _, err = w.c.ExecContext(ctx, "BEGIN IMMEDIATE"); err == nil || !isBusy(err) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return err
}

// sync sets how far a commit goes; it cannot be set within a transaction.
func (w *writer) sync(ctx context.Context, full bool) error {
	if w.full == full {
		return nil
	}
	level := "NORMAL"
	if full {
		level = "FULL"
	}
	if _, err := w.c.ExecContext(ctx, fmt.Sprint("PRAGMA synchronous=", level)); err != nil {
		return err
	}
	w.full = full
	return nil
}

func (w *writer) close() error {
	if w.db == nil {
		return nil
	}
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	if w.c != nil {
		for _, s := range []*sql.Stmt{w.put, w.del, w.set, w.unset} {
			if s != nil {
				s.Close() // before the connection: the driver leaks the connection otherwise, and its locks
			}
		}
		w.c.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)") // closing does it as well, unless somebody else has the file open
		w.c.Close()
		w.c = nil
	}
	return w.db.Close()
}

func (db *DB) open(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would let others read what a being was told
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	db.path = path
	ctx := context.Background()
	if err := db.w.open(ctx, name(path, db.wait), db.wait); err != nil {
		return err
	}
	if db.r, err = sql.Open("sqlite", name(path, db.wait, "query_only(1)")); err != nil {
		return err
	}
	db.r.SetMaxOpenConns(4)
	db.r.SetMaxIdleConns(4)
	return prepare(ctx, db.r, map[string]**sql.Stmt{getSQL: &db.get, skimSQL: &db.skim, scanSQL: &db.scan, tailSQL: &db.tail})
}
