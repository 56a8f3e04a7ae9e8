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
//
// With -record it keeps what it hears and says. -learn learns from that how people answer in its groups, for -attention learned:
//
//	go run ./examples/groupbot -db xiaolu.db -learn events.jsonl
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
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
	if o.learn != "" {
		return learn(ctx, o, out)
	}
	if err := o.useCharacter(ctx); err != nil {
		return err
	}
	log := program.NewLog(diagnostics, o.file.Lang, slog.LevelWarn)
	s := newPrinter(out, o)

	if o.isReal() {
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
	var current atomic.Pointer[social.Bot]
	var talk func(string)
	if w != nil {
		talk = func(line string) {
			if w.WaitLink(ctx) == nil {
				w.say(hearthGroup, you, line)
			}
		}
	}
	for first := true; ; first = false {
		b, err := start(ctx, o, s, log)
		if err != nil {
			return err
		}
		current.Store(b.Bot)
		if first { // reading a terminal cannot be interrupted, so this goroutine ends with the process
			go o.file.ReadCommands(ctx, func() config.LiveBot { return current.Load() }, in, talk)
		}
		err = b.run(ctx, o, w, s)
		b.end()
		var owner ownerFound
		if !errors.As(err, &owner) {
			return err
		}
		o.owners = append(o.owners, owner.Account)
	}
}

// run runs the bot until ctx ends, or until its owner is found.
func (b started) run(ctx context.Context, o options, w *simulation, s *printer) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.Run(ctx) })
	g.Go(func() error { return o.mcp.Run(ctx) })
	g.Go(func() error { return o.file.Watch(ctx, b.Bot) })
	g.Go(func() error { return b.pages.Run(ctx) })
	if b.pairing != nil {
		g.Go(func() error { return b.pairing.run(ctx, s) })
	}
	if w != nil {
		g.Go(func() error { return w.playScript(ctx, o.speed) })
	}
	return g.Wait()
}
