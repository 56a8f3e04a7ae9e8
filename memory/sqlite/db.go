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

// Options says how a file is kept. The zero value is what a bot wants.
type Options struct {
	SyncMessages bool // waits for the disk at every message too, some ten times as long; see the package comment
}

// A DB is one open file. All methods may be called concurrently.
type DB struct {
	o      Options
	path   string        // absolute
	wait   time.Duration // for another process that has the file
	w      writer
	r      *sql.DB // connections that read
	get    *sql.Stmt
	skim   *sql.Stmt
	scan   *sql.Stmt
	tail   *sql.Stmt
	closed atomic.Bool
}

var (
	_ memory.Store            = (*DB)(nil)
	_ memory.VectorlessGetter = (*DB)(nil)
	_ memory.Tailer           = (*DB)(nil)
	_ memory.DerivedFinder    = (*DB)(nil)
	_ memory.Scrubber         = (*DB)(nil)
	_ memory.State            = (*DB)(nil)

	_ memory.Transactor = (*DB)(nil)
)

// Open opens the file at path, and creates it where there is none. The directory must exist.
// A file of a newer version of this package gives [ErrNewerVersion], one that is no memory [ErrNotMemoryFile]; neither is touched. One that another process
// keeps locked gives [ErrBusy] after ten seconds, here and wherever the file is used.
func Open(path string, o Options) (*DB, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, fmt.Errorf("sqlite: open %q: a file is needed; memory.NewStore keeps records in memory", path)
	}
	db := &DB{o: o, wait: 10 * time.Second}
	if err := db.open(path); err != nil {
		db.Close()
		return nil, fmt.Errorf("sqlite: open %s: %w", path, known(err))
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

// name makes a data source of a path that may hold any character.
func name(path string, wait time.Duration, pragmas ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	q := url.Values{"_pragma": append(pragmas, fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())), "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// Close ends the writing that goes on, empties the write-ahead log into the file and closes it. Calls that come later give [ErrClosed].
// To close again is no error.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	var errs []error
	for _, s := range []*sql.Stmt{db.get, db.skim, db.scan, db.tail} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if db.r != nil {
		errs = append(errs, db.r.Close())
	}
	return known(errors.Join(append(errs, db.w.close())...))
}

// CheckIntegrity reads the whole file and reports the first thing that is wrong with it, as an [ErrCorrupt].
func (db *DB) CheckIntegrity(ctx context.Context) error {
	var said string
	if err := db.r.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return db.known(err)
	}
	if said != "ok" {
		return fmt.Errorf("sqlite: check: %w: %s", ErrCorrupt, said)
	}
	return nil
}

// known adds the sentinel that an error stands for; a call that Close overtook was closed, whatever it saw of it.
func (db *DB) known(err error) error {
	if err != nil && db.closed.Load() {
		return ErrClosed
	}
	return known(err)
}
