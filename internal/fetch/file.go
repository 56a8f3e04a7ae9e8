package fetch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// ErrNotImage is returned by [ReadImage] for a file that is not a usable picture.
var ErrNotImage = errors.New("fetch: not a usable picture")

// ReadImage reads a picture of at most that many bytes below root. The root prevents links from leading outside.
// Files other than regular files are not opened, because opening them may block.
func ReadImage(root *os.Root, name string, most int64) ([]byte, error) {
	// check before opening: opening a device may have effects
	if err := checkRegular(root.Stat(name)); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // O_NONBLOCK: a pipe would wait for its other end
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkRegular(f.Stat()); err != nil { // the file may have been replaced
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrNotImage, most)
	case !slices.Contains(Images(), Sniff(data)):
		return nil, fmt.Errorf("%w: %s", ErrNotImage, Sniff(data))
	}
	return data, nil
}

func checkRegular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %v", ErrNotImage, info.Mode())
	}
	return err
}
