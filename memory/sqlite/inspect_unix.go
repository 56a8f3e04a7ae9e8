//go:build unix

package sqlite

import (
	"io"
	"os"
	"syscall"
)

// lockStart is the first of the bytes that SQLite locks, see www.sqlite.org/lockingv3.html.
const (
	lockStart = 1 << 30
	lockBytes = 512
)

// isLocked reports whether another process has locked the file, as SQLite does while it is open in WAL mode.
func isLocked(f *os.File) (bool, error) {
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: lockStart, Len: lockBytes}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l); err != nil {
		return false, err
	}
	return l.Type != syscall.F_UNLCK, nil
}
