// Groupbot is a bot that lives in QQ groups.
//
// Bare, it starts a simulated QQ with a group of people who chat by a script, and a bot with an offline model that
// answers by rules. What you type is said in the group:
//
//	go run ./examples/groupbot
//
// With flags it is a real bot, over forward or reverse WebSocket, with any OpenAI-compatible model:
//
//	go run ./examples/groupbot -onebot ws://127.0.0.1:3001 -token … -name 小炉 -db xiaolu.db -model openai -model-name …
package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"golang.org/x/sync/errgroup"
)

func main() { program.Main("groupbot", run) }

// run is main without the process: it ends when ctx does, or after -for.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	ctx, stop := program.For(ctx, o.lasts)
	defer stop()
	log := slog.New(slog.NewTextHandler(diagnostics, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s := newShow(out, o)

	if o.link.Real() {
		return live(ctx, o, nil, in, s, log)
	}
	w := newWorld(o)
	defer w.Close()
	return live(ctx, o, w, in, s, log)
}

// live is the bot's life: on a real link, or in a world, which is nil then.
func live(ctx context.Context, o options, w *world, in io.Reader, s *show, log *slog.Logger) error {
	if o.simulated = w != nil; o.simulated && o.link.Forward == "" {
		o.link.Forward = w.Start()
	}
	being, end, err := wire(o, s, log)
	if err != nil {
		return err
	}
	defer end()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return being.Run(ctx) })
	if w != nil {
		g.Go(func() error { return w.play(ctx, o.speed) })
		go w.listen(ctx, in) // a read of the terminal can't be interrupted: this one ends with the process
	}
	return g.Wait()
}
