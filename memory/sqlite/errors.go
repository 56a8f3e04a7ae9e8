package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
)

// Errors for callers that branch.
var (
	ErrNewerVersion  = errors.New("written by a newer version")
	ErrNotMemoryFile = errors.New("not a memory file")
	ErrReadOnly      = errors.New("the file is not writable")
	ErrDiskFull      = errors.New("the disk is full")
	ErrBusy          = errors.New("another process or connection uses the file")
	ErrCorrupt       = errors.New("the file is corrupt")
	ErrClosed        = errors.New("sqlite: closed")
)

// Result codes of SQLite, from www.sqlite.org/rescode.html. All except the last are primary codes.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeNotADB   = 26
	codeShmSize  = 10 | 19<<8 // no disk space for the shared memory file
)

var sentinels = [...]struct {
	code int
	err  error
}{{codeBusy, ErrBusy}, {codeReadOnly, ErrReadOnly}, {codeCorrupt, ErrCorrupt}, {codeFull, ErrDiskFull}, {codeNotADB, ErrNotMemoryFile}, {codeShmSize, ErrDiskFull}}

// withSentinel wraps an error of the driver or the system with its sentinel.
func withSentinel(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, s := range sentinels {
		if e.Code()&0xff == s.code || e.Code() == s.code {
			return fmt.Errorf("%w: %w", s.err, err)
		}
	}
	return err
}

func isBusy(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code()&0xff == codeBusy
}
