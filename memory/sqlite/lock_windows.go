package sqlite

import (
	"os"

	"golang.org/x/sys/windows"
)

const removesOpenFiles = false

// lockedByte is behind the text, because nobody else can read a byte that is locked.
const lockedByte = 1 << 20

// tryLock locks an open file until it is closed.
func tryLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{Offset: lockedByte})
	switch err {
	case nil:
		return nil
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		return errLocked
	}
	return &os.PathError{Op: "LockFileEx", Path: f.Name(), Err: err}
}
