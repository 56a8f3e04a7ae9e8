// Companion is a personal bot of one owner. The owner talks to it in a terminal and over HTTP. It keeps a schedule and timers,
// plans and reflects in idle time, sees the owner's computer activity and takes notes about the owner. It is also a member of
// QQ groups and reports from them to its owner.
//
// Without flags it simulates a day in a minute and prints it, with an offline model of fixed rules and a simulated QQ. Your
// input is sent to it as its owner's:
//
//	go run ./examples/companion
//	tell 小明 lunch is ready
//	mute 老王 for 10 min in 炉边夜话
//	半小时后提醒我喝水
//	/plugins
//
// With flags it is real, with any OpenAI-compatible model:
//
//	go run ./examples/companion -persona ./xiaolu -db xiaolu.db -model openai -model-name … \
//	  -onebot ws://127.0.0.1:3001 -activity http://127.0.0.1:5600 -http 127.0.0.1:8090
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"golang.org/x/sync/errgroup"
)

func main() {
	program.SmallHeap()
	program.Main("companion", run)
}

// run is main without the process. It ends when ctx ends, after -for, or at the end of the input.
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
	if o.character, err = outside.Character(ctx, o.db, o.character, o.given); err != nil {
		return err
	}
	log := program.NewLog(diagnostics, o.file.Lang, slog.LevelWarn)
	if o.link.Enabled() {
		return runBot(ctx, o, nil, in, newEventLog(out, o.file.Lang, newClock(time.Now(), o.speed, false)), log)
	}
	w := newSimulation(o)
	defer w.Close()
	return runBot(ctx, o, w, in, newEventLog(out, o.file.Lang, newClock(time.Now(), o.speed, o.speed != 1)), log)
}

// runBot runs the bot on a real connection, or in a simulation if w is not nil.
func runBot(ctx context.Context, o options, w *simulation, in io.Reader, d *eventLog, log *slog.Logger) error {
	if w != nil && o.link.Forward == "" {
		o.link.Forward = w.Start()
	}
	c, err := newCompanion(ctx, o, w, d, log)
	if err != nil {
		return err
	}
	defer c.close()
	g, ctx := errgroup.WithContext(ctx)
	ctx, end := context.WithCancel(ctx)
	defer end()
	g.Go(func() error { return c.bot.Run(ctx) })
	g.Go(func() error { return o.mcp.Run(ctx) })
	g.Go(func() error { return o.file.Watch(ctx, c.bot) })
	g.Go(func() error { return c.pages.Run(ctx) })
	if w != nil {
		g.Go(func() error { return w.playScript(ctx, d.clock, c) })
	}
	if isTerminal(in) { // the owner sits there
		defer c.bot.AppOpened()()
	}
	go func() { // reading a terminal cannot be interrupted, so this goroutine ends with the process
		c.readInput(ctx, in)
		if !isNullInput(in) {
			end()
		}
	}()
	return g.Wait()
}

// isTerminal reports whether the input is a terminal.
func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok || isNullInput(in) {
		return false
	}
	is, err := f.Stat()
	return err == nil && is.Mode()&os.ModeCharDevice != 0
}

// isNullInput reports whether the input is the null device or closed. Then its end does not end the program.
func isNullInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	is, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(is, null)
}
