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
	r.Part(lang.T("人设 persona", "persona"), lang.T("%s", "%s", o.character.Profile.Name), nil)
	r.Store(o.db)
	o.model.CheckStart(ctx, r)
	o.model.CheckPurposes(ctx, r)
	o.link.CheckStart(ctx, r)
	if o.pages.Address != "" {
		r.Address(lang.T("网页 http", "http"), o.pages.Address)
	}
	return r.Err()
}
