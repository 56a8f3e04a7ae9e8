package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A writer is the only connection that writes. Its lock is a channel, so that waiting can be cancelled.
type writer struct {
	token                chan struct{}
	db                   *sql.DB
	c                    *sql.Conn
	beginAttempts        int  // attempts to begin while another process writes; each waits for lockWait
	syncFull             bool // synchronous=FULL is set
	put, del, set, unset *sql.Stmt
}

// lockWait is SQLite's busy timeout. SQLite cannot be cancelled during it, so it is short.
const lockWait = 50 * time.Millisecond

// open opens the data source. It waits for other processes at most as long as wait. schema checks or upgrades the file.
func (w *writer) open(ctx context.Context, source string, wait time.Duration, schema func(context.Context, *sql.Conn) error) (err error) {
	w.token = make(chan struct{}, 1)
	w.beginAttempts = 1 + int(wait/lockWait)
	if w.db, err = sql.Open("sqlite", source); err != nil {
		return err
	}
	w.db.SetMaxOpenConns(1)
	if w.c, err = w.db.Conn(ctx); err != nil {
		return err
	}
	if err := schema(ctx, w.c); err != nil {
		return err
	}
	var mode string
	if err := w.c.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" { // SQLite silently continues in another mode
		return fmt.Errorf("the file system does not support WAL (journal mode %q)", mode)
	}
	for _, pragma := range []string{
		"secure_delete=ON", "synchronous=NORMAL", "journal_size_limit=67108864", fmt.Sprint("busy_timeout=", lockWait.Milliseconds()),
		"fullfsync=ON", // needed on macOS for real durability; no effect elsewhere
	} {
		if _, err := w.c.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return prepare(ctx, w.c, map[string]**sql.Stmt{putSQL: &w.put, deleteSQL: &w.del, setSQL: &w.set, unsetSQL: &w.unset})
}

// canWrite returns an error if the file is not writable: SQLite opens it nevertheless.
func (w *writer) canWrite(ctx context.Context) error {
	if err := w.begin(ctx); err != nil {
		return err
	}
	_, err := w.c.ExecContext(ctx, fmt.Sprint("PRAGMA user_version=", len(migrations))) // the version that it has
	_, ended := w.c.ExecContext(ctx, "ROLLBACK")
	return errors.Join(err, ended)
}

// transact runs f in one transaction. With full it is on the disk when transact returns. ctx can cancel it until f
// begins. Then f checks ctx between its steps, and nothing interrupts the commit.
func (w *writer) transact(ctx context.Context, full bool, f func(context.Context) error) error {
	return w.exclusive(ctx, func(ctx context.Context) (err error) {
		inner := context.WithoutCancel(ctx)
		if err := w.setSync(inner, full); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				w.c.ExecContext(inner, "ROLLBACK") // fails if SQLite has rolled back already or has not begun
			}
		}()
		if err := w.begin(ctx); err != nil { // may have begun anyway if ctx ended meanwhile
			return err
		}
		if err := f(inner); err != nil {
			return err
		}
		_, err = w.c.ExecContext(inner, "COMMIT")
		return err
	})
}

// exclusive waits for the lock and runs f on the connection without a transaction.
func (w *writer) exclusive(ctx context.Context, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.token <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.token }()
	if w.c == nil {
		return ErrClosed
	}
	return f(ctx)
}

// begin waits for a writer in another process. It uses short waits, because SQLite's wait cannot be cancelled.
func (w *writer) begin(ctx context.Context) (err error) {
	for range w.beginAttempts {
		if _, err = w.c.ExecContext(ctx, "BEGIN IMMEDIATE"); err == nil || !isBusy(err) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return err
}

// setSync sets the durability of commits. SQLite does not allow it within a transaction.
func (w *writer) setSync(ctx context.Context, full bool) error {
	if w.syncFull == full {
		return nil
	}
	level := "NORMAL"
	if full {
		level = "FULL"
	}
	if _, err := w.c.ExecContext(ctx, fmt.Sprint("PRAGMA synchronous=", level)); err != nil {
		return err
	}
	w.syncFull = full
	return nil
}

func (w *writer) close() error {
	if w.db == nil {
		return nil
	}
	w.token <- struct{}{}
	defer func() { <-w.token }()
	if w.c != nil {
		for _, s := range []*sql.Stmt{w.put, w.del, w.set, w.unset} {
			if s != nil {
				s.Close() // before the connection; otherwise the driver leaks the connection and its locks
			}
		}
		w.c.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)") // closing does this, too, unless another process has the file open
		w.c.Close()
		w.c = nil
	}
	return w.db.Close()
}

// maxReaders is the number of connections that read. Each needs about 600 kB.
const maxReaders = 2

func (db *DB) open(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	db.path = path
	if db.o.ReadOnly {
		err = db.openReadOnly()
	} else {
		err = db.openWriter()
	}
	if err != nil {
		return err
	}
	if db.readers, err = sql.Open("sqlite", dataSource(path, db.busyTimeout, "query_only(1)", "cache_size(-256)")); err != nil {
		return err
	}
	// Each connection has a cache of its own. The system caches the file, so that a small one is as fast.
	db.readers.SetMaxOpenConns(maxReaders)
	db.readers.SetMaxIdleConns(maxReaders)
	return prepare(context.Background(), db.readers, map[string]**sql.Stmt{getSQL: &db.get, getNoVectorsSQL: &db.getNoVectors, scanSQL: &db.scan, tailSQL: &db.tail})
}

// openWriter does not open and close a file that exists: that would end the locks of a reader in this process.
func (db *DB) openWriter() error {
	if _, err := os.Stat(db.path); errors.Is(err, fs.ErrNotExist) {
		f, err := os.OpenFile(db.path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would create a file that others may read
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	var err error
	if db.lock, err = lockFile(db.path); err != nil {
		return err
	}
	ctx := context.Background()
	if err = db.writer.open(ctx, dataSource(db.path, db.busyTimeout, "cache_size(-512)"), db.busyTimeout, migrate); err == nil {
		err = db.writer.canWrite(ctx)
	}
	if err == nil {
		return nil
	}
	f, denied := os.OpenFile(db.path, os.O_RDWR, 0) // its error says more than SQLite's
	if denied != nil {
		return denied
	}
	return errors.Join(err, f.Close())
}

func (db *DB) openReadOnly() error {
	if _, err := os.Stat(db.path); err != nil {
		return err
	}
	return db.writer.open(context.Background(), dataSource(db.path, db.busyTimeout, "query_only(1)"), db.busyTimeout, requireCurrent)
}
