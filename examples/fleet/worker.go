package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/hearth-bot/hearth/persona"
	"github.com/jackc/pgx/v5/pgxpool"
)

// poolSize is the number of connections of a process to the database, if -db does not set it by pool_max_conns.
const poolSize = 8

// work runs one process of the fleet until ctx ends, and then hands its bots over.
func work(ctx context.Context, o options, in io.Reader, diagnostics io.Writer) error {
	log := program.NewLog(diagnostics, o.lang, slog.LevelWarn)
	links, names, err := readBeings(o.beings)
	if err != nil {
		return err
	}
	pool, err := connect(ctx, o.db, o.id)
	if err != nil {
		return check.PostgresError("-db", err)
	}
	defer pool.Close()
	if o.attached {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		go func() { // ends with the process
			io.Copy(io.Discard, in)
			stop()
		}()
	}
	gate, err := o.openGateway(ctx, pool, links)
	if err != nil {
		return err
	}
	defer gate.close()
	return owner.Run(ctx, owner.Options{
		ID: o.id, Beings: names, Group: group, Timing: owner.Timing{Valid: o.lease},
		Database: postgres.Options{Pool: pool},
		Act: func(ctx context.Context, db *postgres.DB) error {
			return o.act(ctx, db, gate, links[db.Being()], log.With("being", db.Being()))
		},
		OnError: (&complaints{log: log}).add,
	})
}

// act runs a bot until ctx ends or it may sleep.
func (o options) act(ctx context.Context, db *postgres.DB, gate *gateway, address string, log *slog.Logger) error {
	link, source, err := gate.link(db, address)
	if err != nil {
		return err
	}
	var a activity
	link = outside.LinkTap{Link: link, OnSent: func(persona.Chat, string, persona.Outgoing) { a.now() }, OnEvent: func(e persona.Event) {
		if _, ok := e.(persona.Connected); ok {
			owner.Ready(ctx)
		}
		a.note(e)
	}}
	sleeps := source != nil && o.sleep > 0
	bot, err := o.assemble(ctx, db, link, sleeps, log)
	if err != nil {
		return err
	}
	if sleeps {
		return o.runUntilQuiet(ctx, bot, source, &a)
	}
	return bot.Run(ctx)
}

// complainEvery is the time between two log lines about the same error of a bot.
const complainEvery = time.Minute

// complaints log the errors of bots, the same one of a bot once a minute. The bots try again about each second.
type complaints struct {
	log  *slog.Logger
	mu   sync.Mutex
	last map[complaint]time.Time
}

type complaint struct{ being, text string }

func (c *complaints) add(being string, err error) {
	now := time.Now()
	c.mu.Lock()
	maps.DeleteFunc(c.last, func(_ complaint, at time.Time) bool { return now.Sub(at) >= complainEvery })
	if c.last == nil {
		c.last = map[complaint]time.Time{}
	}
	one := complaint{being, err.Error()}
	_, known := c.last[one]
	if !known {
		c.last[one] = now
	}
	c.mu.Unlock()
	if !known {
		c.log.Warn("a bot of the fleet does not run, and is tried again", "being", being, "err", err)
	}
}

// group is the group of the processes.
const group = "fleet"

// connect returns connections to the database. process is shown in pg_stat_activity.
func connect(ctx context.Context, address, process string) (*pgxpool.Pool, error) {
	o, err := check.PostgresOptions("-db", address)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(o.DSN)
	if err != nil {
		return nil, lang.Errorf("不是正确的地址", "it is no valid address") // the driver's error may contain parts of a password
	}
	if !strings.Contains(o.DSN, "pool_max_conns") {
		config.MaxConns = poolSize
	}
	config.ConnConfig.RuntimeParams["application_name"] = process
	return pgxpool.NewWithConfig(ctx, config)
}

// readBeings reads the list of the bots.
func readBeings(file string) (links map[string]string, names []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, lang.Errorf("-beings 读不了：%v", "-beings: %v", err)
	}
	defer f.Close()
	links = map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 || links[fields[0]] != "" {
			return nil, nil, lang.Errorf("-beings 第 %d 行：一行写「名字 ws://地址」，名字不能重", "-beings, line %d: a line has NAME ws://ADDRESS, and each name once", n)
		}
		if _, isAccount := accountOf(fields[1]); !isAccount {
			if err := program.CheckWS("-beings", fields[1]); err != nil {
				return nil, nil, err
			}
		}
		links[fields[0]] = fields[1]
		names = append(names, fields[0])
	}
	if err := lines.Err(); err != nil {
		return nil, nil, lang.Errorf("-beings 读不了：%v", "-beings: %v", err)
	}
	if len(names) == 0 {
		return nil, nil, lang.Errorf("-beings %s 是空的：一行写一个「名字 ws://地址」", "-beings %s is empty: write NAME ws://ADDRESS, one a line", file)
	}
	return links, names, nil
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }
