package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
)

const maxPicture = 8 << 20

// pictures are those that may be sent: of the public web, and of one directory. Nothing else of this computer can be.
type pictures struct {
	root *os.Root // nil: none
	web  *fetch.Fetcher
}

func openPictures(dir string) (*pictures, error) {
	p := &pictures{}
	var err error
	if dir != "" {
		if p.root, err = os.OpenRoot(dir); err != nil {
			return nil, fmt.Errorf("--images: %w", err)
		}
	}
	p.web, err = fetch.New(nil)
	return p, err
}

func (p *pictures) close() {
	if p.root != nil {
		p.root.Close()
	}
}

// read gets a picture.
func (p *pictures) read(ctx context.Context, where string) ([]byte, error) {
	scheme, _, url := strings.Cut(strings.ToLower(where), "://")
	switch {
	case url && (scheme == "http" || scheme == "https"):
		file, err := p.web.Get(ctx, where)
		if err != nil {
			return nil, errors.Join(nit.Tell("没有取到这张图片：只能是公网上的图片"), err)
		}
		return file.Data, nil
	case url, p.root == nil:
		return nil, nit.Tell("image 应当是公网图片的 http 或 https 网址；本机的图片要先用启动参数 --images 指定目录")
	}
	data, err := p.file(where)
	if err != nil {
		return nil, errors.Join(nit.Tell("图片目录里没有这张图片，或者它不是能发的图片"), err)
	}
	return data, nil
}

// file reads below the directory. The root sees to it that no link leads out.
func (p *pictures) file(name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, errors.New("not below the directory")
	}
	info, err := p.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its other end
		return nil, fmt.Errorf("no regular file: %v", info.Mode())
	}
	f, err := p.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxPicture:
		return nil, fmt.Errorf("more than %d bytes", maxPicture)
	case !slices.Contains(fetch.Images(), fetch.Sniff(data)):
		return nil, errors.New("no picture")
	}
	return data, nil
}
