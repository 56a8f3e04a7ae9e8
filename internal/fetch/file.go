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

// ErrUnfit is what [ReadImage] finds and does not give.
var ErrUnfit = errors.New("fetch: not a picture that can be sent")

// ReadImage reads a picture of at most so many bytes below a root, which sees to it that no link leads out. What is no
// regular file is not opened, nor waited for.
func ReadImage(root *os.Root, name string, most int64) ([]byte, error) {
	// before it is opened, for opening a device may do something
	if err := regular(root.Stat(name)); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for its other end
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := regular(f.Stat()); err != nil { // it may be another one by now
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrUnfit, most)
	case !slices.Contains(Images(), Sniff(data)):
		return nil, fmt.Errorf("%w: %s", ErrUnfit, Sniff(data))
	}
	return data, nil
}

func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %v", ErrUnfit, info.Mode())
	}
	return err
}
