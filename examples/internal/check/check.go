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

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/memory/sqlite"
)

// Timeout limits each part.
const Timeout = 5 * time.Second

// A Report prints the lines.
type Report struct {
	out    io.Writer
	lang   lang.Language
	lines  int
	failed int
}

// NewReport returns a Report that prints to out.
func NewReport(out io.Writer, l lang.Language) *Report { return &Report{out: out, lang: l} }

// Part prints the line of one part.
func (r *Report) Part(what, found lang.Text, err error) {
	r.lines++
	if err != nil {
		r.failed++
		fmt.Fprintln(r.out, r.lang.Sprintf("✗ %s：%v", "✗ %s: %v", what, err))
		return
	}
	fmt.Fprintln(r.out, r.lang.Sprintf("✓ %s：%s", "✓ %s: %s", what, found))
}

// Err returns an error if a part failed.
func (r *Report) Err() error {
	if r.failed > 0 {
		return lang.Errorf("-check：%[2]d 项里有 %[1]d 项不行", "-check: %d of %d parts would fail", r.failed, r.lines)
	}
	return nil
}

// Config reports the configuration file, which has been read.
func (r *Report) Config(path string, chats int) {
	what := lang.T("配置 config", "config")
	if path == "" {
		r.Part(what, lang.T("只有命令行参数；-init 文件名 写一个配置文件", "only flags; -init FILE writes a file"), nil)
		return
	}
	r.Part(what, lang.T("%s，里面有 %d 个聊天的设置", "%s, with settings of %d chats", path, chats), nil)
}

// Store reports whether the file or the database of -db can be opened.
func (r *Report) Store(path string) {
	read := store
	if IsPostgres(path) {
		read = postgresStore
	}
	found, err := read(path)
	r.Part(lang.T("记忆 db", "db"), found, err)
}

func store(path string) (found lang.Text, err error) {
	if path == "" {
		return lang.T("没有：退出就全忘了；-db 文件名 让它记住", "none: everything is forgotten at exit; -db FILE keeps it"), nil
	}
	info, err := sqlite.Inspect(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if stat, err := os.Stat(filepath.Dir(path)); err != nil || !stat.IsDir() {
			return found, lang.Errorf("没有 %s 这个目录，建不了 %s", "%s is no directory, so %s cannot be created", filepath.Dir(path), path)
		}
		if err := creatable(filepath.Dir(path)); err != nil {
			return found, lang.Errorf("建不了 %s：%v", "%s cannot be created: %v", path, err)
		}
		return lang.T("会新建 %s", "%s will be created", path), nil
	case err != nil:
		return found, err
	case info.InUse != nil:
		return found, lang.Errorf("%s 正被另一个程序开着：先关掉它（%v）", "%s is in use: %v", path, info.InUse)
	case info.Version < info.Supported && info.Version > 0:
		return lang.T("%s，%d 字节，会从版本 %d 升到 %d", "%s, %d bytes, will be upgraded from version %d to %d", path, info.Bytes, info.Version, info.Supported), nil
	}
	return lang.T("%s，%d 字节", "%s, %d bytes", path, info.Bytes), nil
}

// creatable creates a file in a directory and removes it.
func creatable(dir string) error {
	f, err := os.CreateTemp(dir, ".hearth-check-*")
	if err != nil {
		if of := (*fs.PathError)(nil); errors.As(err, &of) {
			return of.Err // without the name, which the user does not know
		}
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Address reports whether an address is free to listen on.
func (r *Report) Address(what lang.Text, address string) {
	err := free(address)
	r.Part(what, lang.T("%s 空着", "%s is free", address), err)
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
func (r *Report) Directory(what lang.Text, path string) {
	if path == "" {
		return
	}
	stat, err := os.Stat(path)
	if err == nil && !stat.IsDir() {
		err = lang.Errorf("%s 不是目录", "%s is no directory", path)
	}
	r.Part(what, lang.T("%s", "%s", path), err)
}
