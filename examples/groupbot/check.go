package main

import (
	"context"
	"io"

	"github.com/hearth-bot/hearth/examples/internal/check"
)

// checkStart prints what a start would do.
func checkStart(ctx context.Context, o options, out io.Writer) error {
	r := check.NewReport(out)
	r.Config(o.file.Path, len(o.file.Chats))
	r.Part("名字 name", o.name, nil)
	r.Store(o.db)
	o.model.CheckStart(ctx, r)
	o.link.CheckStart(ctx, r)
	r.Directory("表情 stickers", o.stickers)
	return r.Err()
}
