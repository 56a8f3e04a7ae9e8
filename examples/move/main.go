// Move copies the memory of a bot from a SQLite file into a PostgreSQL database, or back:
//
//	go run ./examples/move -from xiaolu.db -to 'postgres://hearth@db/hearth?being=xiaolu'
//
// End the bot first. Move copies everything, reads both sides again, compares them, and says how to start the bot then. It
// changes nothing in the source, except that the schema of an older version is upgraded as by a start of the bot. It refuses a
// target that has contents and a source that a program is using.
//
// A move that did not end leaves a half copy, with which no program starts. Move -restart empties it and begins again.
//
// Move -forget NAME deletes the bot NAME from a database with many bots, and copies nothing:
//
//	go run ./examples/move -from 'postgres://hearth@db/hearth?being=xiaolu' -forget xiaolu
//
// The records are copied in batches. The rows of the state are read at once. The tables of a vector index are not copied: an
// index fills itself from the records.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/sqlite"
)

func main() { program.Main("move", run) }

var help = program.Help{
	About: lang.T("move 把一个机器人的记忆从 SQLite 文件搬到 PostgreSQL，或者搬回来。先关掉机器人。\n",
		"move copies the memory of a bot from a SQLite file into PostgreSQL, or back. End the bot first.\n"),
	Examples: []program.Example{
		{Command: "move -from xiaolu.db -to 'postgres://hearth@127.0.0.1/hearth?being=xiaolu'", Meaning: lang.T("搬到数据库；密码放 PGPASSWORD 或 ~/.pgpass", "into a database; the password is in PGPASSWORD or ~/.pgpass")},
		{Command: "move -from 'postgres://hearth@127.0.0.1/hearth?being=xiaolu' -to back.db", Meaning: lang.T("搬回文件", "back into a file")},
		{Command: "move -from 'postgres://hearth@127.0.0.1/hearth?being=xiaolu' -forget xiaolu", Meaning: lang.T("从数据库里删掉这个机器人", "delete this bot from the database")},
	},
	Chinese: func(name string) string { return chinese[name] },
}

var chinese = map[string]string{
	"from":    "现在的 -db：SQLite 文件，或者 postgres://用户@主机/数据库?being=名字；它不会变",
	"to":      "以后的 -db：还没有的文件，或者数据库里还没有的 being",
	"restart": "上次没搬完：清空 -to 里那一半，从头搬",
	"forget":  "不搬，把 -from 里这个名字的机器人从数据库里删掉；名字要写对",
	"lang":    "显示的语言：zh 或者 en（默认跟随系统）",
}

// run is main without the process.
func run(ctx context.Context, args []string, _ io.Reader, out, diagnostics io.Writer) error {
	f := flag.NewFlagSet("move", flag.ContinueOnError)
	from := f.String("from", "", "the present -db: a SQLite `file`, or postgres://USER@HOST/DATABASE?being=NAME; it does not change")
	to := f.String("to", "", "the -db to come: a `file` that does not exist, or a being that the database does not have")
	restart := f.Bool("restart", false, "the last move did not end: empty its half copy in -to and begin again")
	forget := f.String("forget", "", "move nothing, and delete the bot of this `name` in -from from its database")
	l := lang.Of(args)
	f.Func("lang", "`language` of the output: zh or en; by default that of the system", func(s string) error { return lang.Language(s).Check() })
	if err := program.Parse(f, help, args, diagnostics); err != nil {
		return err
	}
	if err := program.NoArguments(f); err != nil {
		return err
	}
	say := func(t lang.Text) { fmt.Fprintln(out, l.Text(t)) }
	if *forget != "" {
		return forgetBeing(ctx, *from, *to, *forget, say)
	}
	if *from == "" || *to == "" {
		return lang.Errorf("要写 -from 和 -to：从哪里搬到哪里（-h 有例子）", "-from and -to are needed; -h has examples")
	}
	if *from == *to {
		return lang.Errorf("-from 和 -to 是同一个", "-from and -to are the same")
	}
	return moveBetween(ctx, *from, *to, *restart, &mover{batch: 256, every: 10_000, say: say})
}

// moveBetween opens both stores and moves.
func moveBetween(ctx context.Context, from, to string, restart bool, m *mover) error {
	if err := checkSource(ctx, from); err != nil {
		return err
	}
	source, end, err := open(ctx, "-from", from)
	if err != nil {
		return err
	}
	defer end()
	if err := m.checkSource(ctx, source, from); err != nil {
		return err
	}
	target, end, err := open(ctx, "-to", to)
	if err != nil {
		return err
	}
	defer end()
	if err := m.prepareTarget(ctx, target, to, restart); err != nil {
		return err
	}
	if err := m.move(ctx, source, target); err != nil {
		return lang.Errorf("没搬完：%[1]v\n%[2]s 没有变，照旧可以用。要再搬一次就加上 -restart，它先清空 %[3]s 里的一半", "not moved: %[1]v\n%[2]s is unchanged and can be used as before; to move again add -restart, which first empties the half copy in %[3]s",
			err, from, to)
	}
	m.say(lang.T("搬好了。以后启动机器人时写 -db '%s'（写在配置文件里的也要改）。\n%s 没有变，可以留作备份；别用它再启动同一个机器人。",
		"Moved. From now on start the bot with -db '%s', also in a configuration file.\n%s is unchanged and may stay as a backup; do not start the same bot with it.", to, from))
	return nil
}

// open opens a store and holds it, so that no other program writes it.
func open(ctx context.Context, name, address string) (store, func(), error) {
	opened, end, err := outside.OpenStore(ctx, name, address)
	if err != nil {
		return nil, nil, err
	}
	return opened.(store), end, nil // both kinds are one
}

// checkSource returns an error if opening the source would create it.
func checkSource(ctx context.Context, from string) error {
	if !check.IsPostgres(from) {
		if _, err := sqlite.Inspect(from); errors.Is(err, fs.ErrNotExist) {
			return lang.Errorf("-from：没有 %s 这个文件", "-from: there is no file %s", from)
		} else if err != nil {
			return check.StoreError("-from", from, err)
		}
		return nil
	}
	o, err := check.PostgresOptions("-from", from)
	if err != nil {
		return err
	}
	info, err := postgres.Inspect(ctx, o)
	if err != nil {
		return check.PostgresError("-from", err)
	}
	if info.Version == 0 {
		return lang.Errorf("-from：这个数据库里没有机器人的记忆", "-from: this database has no memory of a bot")
	}
	return nil
}
