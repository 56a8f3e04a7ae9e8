package sqlite

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// Info describes a memory file.
type Info struct {
	Version   int         // of the schema; 0 for an empty file, or if it is not yet in the file itself but in its write-ahead log
	Supported int         // the newest version that this package supports
	Bytes     int64       // size of the file
	InUse     *InUseError // says which process has the file open for writing; nil: none
}

// Inspect reads the header of a memory file. It changes nothing and creates nothing: a missing file is fs.ErrNotExist.
// The other errors match those of [Open]. Use it before Open only: on Unix a file that this process has open would lose
// its locks.
func Inspect(path string) (info Info, err error) {
	if info, err = inspect(path); err != nil {
		return info, fmt.Errorf("sqlite: inspect %s: %w", path, withSentinel(err))
	}
	return info, nil
}

// The header of a file, see www.sqlite.org/fileformat.html.
const (
	magic         = "SQLite format 3\x00"
	headerBytes   = 100
	versionOffset = 60
	appIDOffset   = 68
)

func inspect(path string) (info Info, err error) {
	info.Supported = len(migrations)
	f, err := os.OpenFile(path, os.O_RDWR, 0) // fails for a file that is not writable
	if err != nil {
		return info, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return info, err
	}
	if !stat.Mode().IsRegular() {
		return info, ErrNotMemoryFile
	}
	if info.Bytes = stat.Size(); info.Bytes == 0 {
		return info, nil
	}
	if info.InUse, err = holder(path); err != nil {
		return info, err
	}
	var header [headerBytes]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[:len(magic)]) != magic {
		return info, ErrNotMemoryFile
	}
	app := binary.BigEndian.Uint32(header[appIDOffset:])
	info.Version = int(binary.BigEndian.Uint32(header[versionOffset:]))
	_, err = os.Stat(path + "-wal")
	switch {
	case info.Version > len(migrations):
		return info, fmt.Errorf("%w: schema %d, supported up to %d", ErrNewerVersion, info.Version, len(migrations))
	case app != applicationID && (app != 0 || info.Version != 0 || err != nil): // a log may have the rest
		return info, ErrNotMemoryFile
	}
	return info, nil
}
