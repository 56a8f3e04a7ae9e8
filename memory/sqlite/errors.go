package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
)

// What callers may branch on.
var (
	ErrNewer    = errors.New("written by a newer version")
	ErrForeign  = errors.New("not a memory of this library")
	ErrReadOnly = errors.New("the file cannot be written")
	ErrFull     = errors.New("the disk is full")
	ErrClosed   = errors.New("sqlite: closed")
)

// Primary result codes of SQLite, www.sqlite.org/rescode.html.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeFull     = 13
	codeNotADB   = 26
)

// known adds the sentinel that an error of the driver or of the system stands for.
func known(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case codeReadOnly:
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case codeFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case codeNotADB:
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	return err
}

func isBusy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == codeBusy
}
