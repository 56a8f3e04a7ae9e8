package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// An InUseError is returned by [Open] if the file is open for writing already, in this or another process. It matches
// [ErrBusy].
type InUseError struct {
	Path string // of the memory file
	PID  int    // the process that has it open; 0 if not known
	Host string // the machine or container of that process; empty if not known
}

// Error names the process, and its machine if that is another one.
func (e *InUseError) Error() string {
	if e.PID == 0 {
		return "another process has the file open; only one may write it"
	}
	if host, _ := os.Hostname(); e.Host != "" && e.Host != host {
		return fmt.Sprintf("process %d on %s has the file open; only one may write it", e.PID, e.Host)
	}
	if e.PID == os.Getpid() {
		return fmt.Sprintf("this process (%d) has the file open already; only one DB may write it", e.PID)
	}
	return fmt.Sprintf("process %d has the file open; only one may write it", e.PID)
}

// Unwrap returns [ErrBusy].
func (e *InUseError) Unwrap() error { return ErrBusy }

// A fileLock keeps other writers away from a memory file. It is a lock of the operating system on a file beside it, so
// that it ends with the process. The lock file contains the id and the host of the process, for the error of the next one.
type fileLock struct{ f *os.File }

// lockSuffix is added to the path of the memory file. The lock is not on the memory file itself, because a process that
// closes a file loses SQLite's locks on it.
const lockSuffix = "-lock"

// lockAttempts times lockWait is how long a start waits for a process that is just ending.
const lockAttempts = 10

// lockFile locks the memory file at path, which exists. It returns an [InUseError] if another DB has locked it.
func lockFile(path string) (*fileLock, error) {
	path, err := filepath.EvalSymlinks(path) // as SQLite does, so that all names of the file have one lock
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		l, err := tryLockFile(path)
		if err != errLocked {
			return l, err
		}
		if attempt == lockAttempts {
			return nil, readHolder(path)
		}
		time.Sleep(lockWait)
	}
}

// readHolder returns the process that the lock file names.
func readHolder(path string) *InUseError {
	e := &InUseError{Path: path}
	text, _ := os.ReadFile(path + lockSuffix)
	pid, host, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	var err error
	if e.PID, err = strconv.Atoi(pid); err == nil {
		e.Host = host
	}
	return e
}

// errLocked means that another file descriptor has the lock.
var errLocked = errors.New("locked")

func tryLockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &fileLock{f}
	if err := tryLock(f); err != nil {
		f.Close()
		return nil, err
	}
	mine, err := f.Stat()
	if there, gone := os.Stat(f.Name()); err != nil || gone != nil || !os.SameFile(mine, there) { // the previous process has removed it meanwhile
		f.Close()
		return nil, errLocked
	}
	// The error of another process is less exact if this fails.
	host, _ := os.Hostname()
	f.Truncate(0)
	io.WriteString(f, fmt.Sprintln(os.Getpid(), host))
	return l, nil
}

// release removes the file and ends the lock.
func (l *fileLock) release() error {
	if l == nil {
		return nil
	}
	if removesOpenFiles {
		os.Remove(l.f.Name()) // before another process can lock it; if it stays, it does no harm
		return l.f.Close()
	}
	defer os.Remove(l.f.Name()) // fails if another process has opened it meanwhile
	return l.f.Close()
}

// holder returns who has the memory file at path open for writing, or nil.
func holder(path string) (*InUseError, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+lockSuffix, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // and unlocks it
	if err = tryLock(f); err == errLocked {
		return readHolder(path), nil
	}
	return nil, err
}
