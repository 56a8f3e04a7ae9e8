package main

import (
	"context"
	"errors"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/memory/postgres"
)

// forgetBeing deletes the bot with this name from its database.
func forgetBeing(ctx context.Context, from, to, name string, say func(lang.Text)) error {
	if to != "" {
		return lang.Errorf("-forget 不搬东西，不要写 -to", "-forget moves nothing: leave out -to")
	}
	if !check.IsPostgres(from) {
		return lang.Errorf("-forget 用在数据库上：-from 写 postgres://…?being=%s；SQLite 的机器人删掉文件就行", "-forget is for a database: -from is postgres://…?being=%s; delete the file of a bot in SQLite", name)
	}
	if err := checkSource(ctx, from); err != nil {
		return err
	}
	o, err := check.PostgresOptions("-from", from)
	if err != nil {
		return err
	}
	if o.Being != name {
		return lang.Errorf("-from 里的机器人是 %s，-forget 写的是 %s：没有删", "the bot in -from is %s, and -forget says %s: nothing is deleted", o.Being, name)
	}
	db, err := postgres.Open(ctx, o)
	if err != nil {
		return check.PostgresError("-from", err)
	}
	defer db.Close()
	if last, err := db.LastSeq(ctx); err != nil {
		return check.PostgresError("-from", err)
	} else if rows, err := db.Load(ctx, ""); err != nil {
		return check.PostgresError("-from", err)
	} else if last == 0 && len(rows) == 0 {
		return lang.Errorf("-from：数据库里没有 %s 这个机器人", "-from: the database has no bot %s", name)
	}
	var held *postgres.HeldError
	switch err := db.Forget(ctx); {
	case errors.As(err, &held):
		return lang.Errorf("%s 还在跑（%s）：先关掉它，没有删", "%s is still running (%s): end it first; nothing is deleted", name, held.Lease.Owner)
	case err != nil:
		return check.PostgresError("-from", err)
	}
	if err := db.Scrub(ctx); err != nil {
		return check.PostgresError("-from", err)
	}
	say(lang.T("%s 已经从数据库里删掉了。预写日志和备份里的，到期才会没有。", "%s is deleted from the database. The write-ahead log and backups keep it until they expire.", name))
	return nil
}
