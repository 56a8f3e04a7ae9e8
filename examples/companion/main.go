// Companion is a being that lives with its owner: it listens at a terminal and over HTTP, keeps a schedule and timers,
// thinks when nobody talks to it, sees what the owner has been doing, writes down what it knows of them, and on the side
// lives in QQ groups, from where it reports.
//
// Bare, it lives a day of a minute with an offline model, which answers by rules, in a simulated QQ, and prints the day.
// What you type is said to it as its owner:
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

	"github.com/hearth-bot/hearth/examples/internal/program"
	"golang.org/x/sync/errgroup"
)

func main() { program.Main("companion", run) }

// run is main without the process: it ends when ctx does, after -for, or when nobody can type any more.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) error {
	o, err := parse(args, diagnostics)
	if err != nil {
		return err
	}
	ctx, stop := program.For(ctx, o.lasts)
	defer stop()
	log := slog.New(slog.NewTextHandler(diagnostics, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if o.link.Real() {
		return live(ctx, o, nil, in, newDiary(out, newClock(time.Now(), o.speed, false)), log)
	}
	w := newWorld(o)
	defer w.Close()
	return live(ctx, o, w, in, newDiary(out, newClock(time.Now(), o.speed, o.speed != 1)), log)
}

// live is the being's life: on a real link, or in a world, which is nil then.
func live(ctx context.Context, o options, w *world, in io.Reader, d *diary, log *slog.Logger) error {
	if w != nil && o.link.Forward == "" {
		o.link.Forward = w.Start()
	}
	h, err := newHome(ctx, o, w, d, log)
	if err != nil {
		return err
	}
	defer h.close()
	g, ctx := errgroup.WithContext(ctx)
	ctx, end := context.WithCancel(ctx)
	defer end()
	g.Go(func() error { return h.being.Run(ctx) })
	if h.web != nil {
		g.Go(func() error { return h.web.run(ctx) })
	}
	if w != nil {
		g.Go(func() error { return w.play(ctx, d.clock, h) })
	}
	go func() { // a read of the terminal can't be interrupted: this one ends with the process
		h.listen(ctx, in)
		if !deaf(in) {
			end()
		}
	}()
	return g.Wait()
}

// deaf reports that nobody was to type anything: the end of that is no wish to end.
func deaf(in io.Reader) bool {
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
