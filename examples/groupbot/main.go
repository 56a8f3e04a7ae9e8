// Groupbot is a bot for QQ groups.
//
// Without flags it starts a simulated QQ with a group of people who chat by a script, and a bot with an offline model of
// fixed rules. Your input is sent to the group:
//
//	go run ./examples/groupbot
//
// With flags it is a real bot over forward or reverse WebSocket, with any OpenAI-compatible model:
//
// It then takes commands at its terminal, such as /set, /mute, /say and /sessions. -init writes a configuration file for -config:
//
//	go run ./examples/groupbot -onebot ws://127.0.0.1:3001 -token … -name 小炉 -db xiaolu.db -model openai -model-name …
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona"
	"golang.org/x/sync/errgroup"
)

func main() {
	program.SmallHeap()
	program.Main("groupbot", run)
}

// run is main without the process. It ends when ctx ends, or after -for.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) (err error) {
	o, err := parse(args, diagnostics)
	defer func() { err = o.file.Wrap(err) }()
	if err != nil {
		return err
	}
	if o.file.Check {
		return checkStart(ctx, o, out)
	}
	ctx, stop := program.For(ctx, o.lasts)
	defer stop()
	if err := o.useCharacter(ctx); err != nil {
		return err
	}
	log := program.NewLog(diagnostics, o.file.Lang, slog.LevelWarn)
	s := newPrinter(out, o)

	if o.link.Enabled() {
		return runBot(ctx, o, nil, in, s, log)
	}
	w := newSimulation(o)
	defer w.Close()
	return runBot(ctx, o, w, in, s, log)
}

// runBot runs the bot on a real connection, or in a simulation if w is not nil.
func runBot(ctx context.Context, o options, w *simulation, in io.Reader, s *printer, log *slog.Logger) error {
	if o.simulated = w != nil; o.simulated && o.link.Forward == "" {
		o.link.Forward = w.Start()
	}
	if w != nil && len(o.owners) == 0 {
		o.owners = []persona.Account{{Platform: "qq", ID: fmt.Sprint(owner)}}
	}
	bot, end, err := newBot(ctx, o, s, log)
	if err != nil {
		return err
	}
	defer end()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bot.Run(ctx) })
	g.Go(func() error { return o.mcp.Run(ctx) })
	g.Go(func() error { return o.file.Watch(ctx, bot) })
	var talk func(string)
	if w != nil {
		g.Go(func() error { return w.playScript(ctx, o.speed) })
		talk = func(line string) {
			if w.WaitLink(ctx) == nil {
				w.say(hearthGroup, you, line)
			}
		}
	}
	go o.file.ReadCommands(ctx, bot, in, talk) // reading a terminal cannot be interrupted, so this goroutine ends with the process
	return g.Wait()
}
