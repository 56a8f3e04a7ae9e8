// Package check prints what a start of a program would do, one line for each part, and changes nothing.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/hearth-bot/hearth/memory/sqlite"
)

// Timeout limits each part.
const Timeout = 5 * time.Second

// A Report prints the lines.
type Report struct {
	out    io.Writer
	lines  int
	failed int
}

// NewReport returns a Report that prints to out.
func NewReport(out io.Writer) *Report { return &Report{out: out} }

// Part prints the line of one part. what names it in Chinese and English.
func (r *Report) Part(what, found string, err error) {
	r.lines++
	if err != nil {
		r.failed++
		fmt.Fprintf(r.out, "✗ %s: %v\n", what, err)
		return
	}
	fmt.Fprintf(r.out, "✓ %s: %s\n", what, found)
}

// Err returns an error if a part failed.
func (r *Report) Err() error {
	if r.failed > 0 {
		return fmt.Errorf("-check: %d of %d parts would fail", r.failed, r.lines)
	}
	return nil
}

// Config reports the configuration file, which has been read.
func (r *Report) Config(path string, chats int) {
	if path == "" {
		r.Part("配置 config", "only flags; -init FILE writes a file", nil)
		return
	}
	r.Part("配置 config", fmt.Sprintf("%s, with settings of %d chats", path, chats), nil)
}

// Store reports whether the file of -db can be opened.
func (r *Report) Store(path string) {
	found, err := store(path)
	r.Part("记忆 db", found, err)
}

func store(path string) (string, error) {
	if path == "" {
		return "none: everything is forgotten at exit; -db FILE keeps it", nil
	}
	info, err := sqlite.Inspect(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if stat, err := os.Stat(filepath.Dir(path)); err != nil || !stat.IsDir() {
			return "", fmt.Errorf("%s is no directory, so %s cannot be created", filepath.Dir(path), path)
		}
		return path + " will be created", nil
	case err != nil:
		return "", err
	case info.InUse != nil:
		return "", fmt.Errorf("%s is in use: %w", path, info.InUse)
	case info.Version < info.Supported && info.Version > 0:
		return fmt.Sprintf("%s, %d bytes, will be upgraded from version %d to %d", path, info.Bytes, info.Version, info.Supported), nil
	}
	return fmt.Sprintf("%s, %d bytes", path, info.Bytes), nil
}

// Address reports whether an address is free to listen on.
func (r *Report) Address(what, address string) {
	err := free(address)
	r.Part(what, address+" is free", err)
}

func free(address string) error {
	ctx, stop := context.WithTimeout(context.Background(), Timeout)
	defer stop()
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// Directory reports whether a directory exists. An empty path reports nothing.
func (r *Report) Directory(what, path string) {
	if path == "" {
		return
	}
	stat, err := os.Stat(path)
	if err == nil && !stat.IsDir() {
		err = fmt.Errorf("%s is no directory", path)
	}
	r.Part(what, path, err)
}
