package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
)

const maxPicture = 8 << 20

// pictures reads pictures from the public web and from one directory. It reads nothing else on this computer.
type pictures struct {
	root *os.Root // nil means none
	web  *fetch.Fetcher
}

func openPictures(dir string) (*pictures, error) {
	p := &pictures{}
	var err error
	if dir != "" {
		if p.root, err = os.OpenRoot(dir); err != nil {
			return nil, lang.Errorf("--images 打不开：%v", "--images: %v", err)
		}
	}
	p.web, err = fetch.New(fetch.Options{})
	return p, err
}

func (p *pictures) close() {
	if p.root != nil {
		p.root.Close()
	}
}

// read returns a picture.
func (p *pictures) read(ctx context.Context, where string) ([]byte, error) {
	scheme, _, url := strings.Cut(strings.ToLower(where), "://")
	switch {
	case url && (scheme == "http" || scheme == "https"):
		file, err := p.web.Get(ctx, where)
		if err != nil {
			return nil, errors.Join(nit.ModelError("没有取到这张图片：只能是公网上的图片"), err)
		}
		return file.Data, nil
	case url, p.root == nil:
		return nil, nit.ModelError("image 应当是公网图片的 http 或 https 网址；本机的图片要先用启动参数 --images 指定目录")
	}
	data, err := p.file(where)
	if err != nil {
		return nil, errors.Join(nit.ModelError("图片目录里没有这张图片，或者它不是能发的图片"), err)
	}
	return data, nil
}

// file reads a file below the directory.
func (p *pictures) file(name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, errors.New("not below the directory")
	}
	return fetch.ReadImage(p.root, name, maxPicture)
}
