package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a copy of the whole file, as it is at one moment, to path; nobody waits for it, readers or writers. What is at path is replaced, in one step and
// only by a copy that is whole and on the disk. The copy is a file of this package: open it to restore.
func (db *DB) Backup(ctx context.Context, path string) (err error) {
	if db.closed.Load() {
		return ErrClosed
	}
	fail := func(err error) error { return fmt.Errorf("sqlite: backup to %s: %w", path, db.known(err)) }
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
	r, err := sql.Open("sqlite", name(db.path)) // the readers of db cannot write, to other files either
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	if _, err := r.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
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
	return nil
}
