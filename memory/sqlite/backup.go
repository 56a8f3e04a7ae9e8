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

// Backup writes a copy of the whole file, as it is at one moment, to path; nobody waits for it, readers or writers. What is at path is replaced, in one step and
// only by a copy that is whole and on the disk; a file that is in use there, or was not closed, is [ErrBusy], the file of db itself above all.
// The copy is a file of this package: open it to restore.
//
// Progress, if that is not nil, is told how many bytes of how many are written: at the begin, now and then, and with done equal to total once the copy is in
// its place. The total is what the file held, so it is near what the copy comes to, and not exactly that.
func (db *DB) Backup(ctx context.Context, path string, progress func(done, total int64)) (err error) {
	if db.closed.Load() {
		return ErrClosed
	}
	fail := func(err error) error { return fmt.Errorf("sqlite: backup to %s: %w", path, db.known(err)) }
	if err := db.apart(path); err != nil {
		return fail(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // for its owner only
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
	r, err := sql.Open("sqlite", name(db.path, db.wait)) // the readers of db cannot write, to other files either
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	total, err := db.used(ctx, r)
	if err != nil {
		return fail(err)
	}
	stop := watch(part, total, progress)
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
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // so that the name outlives a power cut; Windows cannot
		dir.Sync()
		dir.Close()
	}
	if progress != nil {
		progress(total, total)
	}
	return nil
}

// used is how many bytes of the file hold something.
func (db *DB) used(ctx context.Context, r *sql.DB) (n int64, err error) {
	var pages, free, size int64
	err = r.QueryRowContext(ctx, "SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").Scan(&pages, &free, &size)
	return (pages - free) * size, err
}

const watchEvery = 200 * time.Millisecond

// watch tells how a file grows, up to less than total, until it is stopped. Nothing is told after that.
func watch(path string, total int64, progress func(done, total int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	progress(0, total)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
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

// apart refuses a path where a copy would take the file away from those who write to it, or would be read with the log of another.
func (db *DB) apart(path string) error {
	own, err := os.Stat(db.path)
	if err != nil {
		return err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(own, there) {
		return fmt.Errorf("the file itself: %w", ErrBusy)
	}
	if _, err := os.Lstat(path + "-wal"); err == nil {
		return fmt.Errorf("%s-wal is there: %w", path, ErrBusy)
	}
	return nil
}
