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
	ErrNewerVersion  = errors.New("written by a newer version")
	ErrNotMemoryFile = errors.New("not a memory of this library")
	ErrReadOnly      = errors.New("the file cannot be written")
	ErrDiskFull      = errors.New("the disk is full")
	ErrBusy          = errors.New("somebody else uses the file")
	ErrCorrupt       = errors.New("the file is damaged")
	ErrClosed        = errors.New("sqlite: closed")
)

// Result codes of SQLite, www.sqlite.org/rescode.html; primary ones but for the last.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeNotADB   = 26
	codeShmSize  = 10 | 19<<8 // no room for the file that readers and the writer share
)

var sentinels = [...]struct {
	code int
	err  error
}{{codeBusy, ErrBusy}, {codeReadOnly, ErrReadOnly}, {codeCorrupt, ErrCorrupt}, {codeFull, ErrDiskFull}, {codeNotADB, ErrNotMemoryFile}, {codeShmSize, ErrDiskFull}}

// known adds the sentinel that an error of the driver or of the system stands for.
func known(err error) error {
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
