package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// Options configures a DB. The zero value suits most bots.
type Options struct {
	SyncMessages bool // wait for the disk on every message, too; about ten times slower; see the package comment
	ReadOnly     bool // read a file that exists and has the newest schema, also while another process writes it; all writes return ErrReadOnly
}

// A DB is an open file. All methods may be called concurrently.
type DB struct {
	o            Options
	path         string        // absolute
	lock         *fileLock     // nil with ReadOnly
	busyTimeout  time.Duration // for locks of other processes
	writer       writer
	readers      *sql.DB // read connections
	get          *sql.Stmt
	getNoVectors *sql.Stmt
	scan         *sql.Stmt
	tail         *sql.Stmt
	closed       atomic.Bool
}

var (
	_ memory.Store            = (*DB)(nil)
	_ memory.VectorlessGetter = (*DB)(nil)
	_ memory.Tailer           = (*DB)(nil)
	_ memory.DerivedFinder    = (*DB)(nil)
	_ memory.Scrubber         = (*DB)(nil)
	_ memory.State            = (*DB)(nil)
	_ memory.Transactor       = (*DB)(nil)
	_ memory.Restorer         = (*DB)(nil)
)

// Open opens the file at path or creates it. The directory must exist. If the file has a newer version, the error
// matches [ErrNewerVersion]; if it is no memory file, [ErrNotMemoryFile]. Open changes neither of them.
//
// If another DB has the file open for writing, in this or another process, Open returns an [InUseError] with the id of that
// process after half a second. Options.ReadOnly opens it nevertheless. If a foreign program keeps the file locked for ten
// seconds, Open and all other methods return [ErrBusy].
func Open(path string, o Options) (*DB, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, fmt.Errorf("sqlite: open %q: a file name is needed; for a store in memory use memory.NewMemStore", path)
	}
	db := &DB{o: o, busyTimeout: 10 * time.Second}
	if err := db.open(path); err != nil {
		db.Close()
		return nil, fmt.Errorf("sqlite: open %s: %w", path, withSentinel(err))
	}
	return db, nil
}

func prepare(ctx context.Context, db interface {
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}, texts map[string]**sql.Stmt) (err error) {
	for text, to := range texts {
		if *to, err = db.PrepareContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// dataSource returns the data source name of a path with arbitrary characters.
func dataSource(path string, wait time.Duration, pragmas ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive letter
	}
	q := url.Values{"_pragma": append(pragmas, fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())), "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// Close waits for a running write, moves the write-ahead log into the file and closes it. Later calls return
// [ErrClosed]. Closing twice is no error.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	var errs []error
	for _, s := range []*sql.Stmt{db.get, db.getNoVectors, db.scan, db.tail} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if db.readers != nil {
		errs = append(errs, db.readers.Close())
	}
	return withSentinel(errors.Join(append(errs, db.writer.close(), db.lock.release())...))
}

// CheckIntegrity reads the whole file and returns the first error as an [ErrCorrupt].
func (db *DB) CheckIntegrity(ctx context.Context) error {
	var said string
	if err := db.readers.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return db.withSentinel(err)
	}
	if said != "ok" {
		return fmt.Errorf("sqlite: check: %w: %s", ErrCorrupt, said)
	}
	return nil
}

// withSentinel wraps an error with its sentinel. After Close, each error is [ErrClosed].
func (db *DB) withSentinel(err error) error {
	if err != nil && db.closed.Load() {
		return ErrClosed
	}
	return withSentinel(err)
}
