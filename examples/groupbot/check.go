package main

import (
	"context"
	"io"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
)

// checkStart prints what a start would do.
func checkStart(ctx context.Context, o options, out io.Writer) error {
	r := check.NewReport(out, o.file.Lang)
	r.Config(o.file.Path, len(o.file.Chats))
	r.Part(lang.T("名字 name", "name"), lang.T("%s", "%s", o.name), nil)
	r.Store(o.db)
	o.checkWeights(r)
	o.model.CheckStart(ctx, r)
	o.model.CheckPurposes(ctx, r)
	if o.link.Enabled() || !o.qqbot.Enabled() {
		o.link.CheckStart(ctx, r)
	}
	o.qqbot.CheckStart(ctx, r)
	if o.pages.Address != "" {
		r.Address(lang.T("网页 http", "pages http"), o.pages.Address)
	}
	r.Directory(lang.T("表情 stickers", "stickers"), o.stickers)
	return r.Err()
}
