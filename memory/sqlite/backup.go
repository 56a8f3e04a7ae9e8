package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Backup writes a consistent copy of the file to path. It does not block readers or writers. A file at path is replaced
// atomically, after the copy is complete and on the disk. If path is in use, has a -wal file or is db's own file, the
// error matches [ErrBusy]. Open the copy to restore it.
//
// Backup calls progress with the number of written bytes and the estimated total, unless progress is nil. The first
// call has done 0. The last call has done equal to total, after the copy is in place.
func (db *DB) Backup(ctx context.Context, path string, progress func(done, total int64)) (err error) {
	if db.closed.Load() {
		return ErrClosed
	}
	fail := func(err error) error { return fmt.Errorf("sqlite: backup to %s: %w", path, db.withSentinel(err)) }
	if err := db.checkTarget(path); err != nil {
		return fail(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // readable by its owner only
	if err != nil {
		return fail(err)
	}
	part := f.Name()
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(part)
		}
	}()
	r, err := sql.Open("sqlite", dataSource(db.path, db.busyTimeout)) // db's read connections cannot write to any file
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	total, err := db.usedBytes(ctx, r)
	if err != nil {
		return fail(err)
	}
	stop := reportProgress(part, total, progress)
	_, err = r.ExecContext(ctx, "VACUUM INTO ?", part)
	stop()
	if err != nil {
		return fail(err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fail(err)
	}
	if err := os.Rename(part, path); err != nil {
		return fail(err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // makes the new name survive a power failure; fails on Windows
		dir.Sync()
		dir.Close()
	}
	if progress != nil {
		progress(total, total)
	}
	return nil
}

// usedBytes returns the size of all used pages.
func (db *DB) usedBytes(ctx context.Context, r *sql.DB) (n int64, err error) {
	var pages, free, size int64
	err = r.QueryRowContext(ctx, "SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &free, &size)
	return (pages - free) * size, err
}

const progressInterval = 200 * time.Millisecond

// reportProgress reports the growing size of a file until stop returns. It never reports total.
func reportProgress(path string, total int64, progress func(done, total int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	progress(0, total)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for last := int64(0); ; {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if info, err := os.Stat(path); err == nil && info.Size() > last && info.Size() < total {
				last = info.Size()
				progress(last, total)
			}
		}
	}()
	return func() { close(over); <-ended }
}

// checkTarget rejects a path that is db's own file, or that has the write-ahead log of an open file.
func (db *DB) checkTarget(path string) error {
	own, err := os.Stat(db.path)
	if err != nil {
		return err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(own, there) {
		return fmt.Errorf("the database itself: %w", ErrBusy)
	}
	if _, err := os.Lstat(path + "-wal"); err == nil {
		return fmt.Errorf("%s-wal exists: %w", path, ErrBusy)
	}
	return nil
}
