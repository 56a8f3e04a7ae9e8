package main

import (
	"context"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/hearth-bot/hearth/onebot/remote"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

const (
	maxGrace = 30 * time.Second // a bot that was woken and hears nothing sleeps again after this time
	minSleep = time.Minute      // a shorter sleep is not worth a start
)

// An activity knows when something last happened to a bot. Its methods may be called concurrently.
type activity struct {
	mu    sync.Mutex
	last  time.Time
	heard bool
}

// note notes an event.
func (a *activity) note(e persona.Event) {
	switch e.(type) {
	case persona.Connected, persona.Disconnected:
	default:
		a.now()
	}
}

func (a *activity) now() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last, a.heard = time.Now(), true
}

// quietAt returns when the bot has been quiet for long enough.
func (a *activity) quietAt(enough time.Duration) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.heard {
		enough = min(enough, maxGrace)
	}
	return a.last.Add(enough)
}

// runUntilQuiet runs a bot until nothing has happened for a while and it has nothing to do. Then it returns the error of
// [owner.SleepUntil].
func (o options) runUntilQuiet(ctx context.Context, bot *social.Bot, source *remote.Source, a *activity) error {
	a.last = time.Now()
	inside, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(inside) }()
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-look.C:
		}
		now := time.Now()
		quiet := a.quietAt(o.sleep)
		if quiet.After(now) {
			look.Reset(quiet.Sub(now))
			continue
		}
		if _, sleeps := mayStop(inside, bot); !sleeps {
			look.Reset(min(o.sleep, maxGrace) / 4)
			continue
		}
		stop()
		if err := <-ended; err != nil || ctx.Err() != nil {
			return err
		}
		return sleepNow(context.WithoutCancel(ctx), bot, source)
	}
}

// mayStop reports whether a bot has nothing to do until a time; the zero time: until an event comes.
func mayStop(ctx context.Context, bot *social.Bot) (until time.Time, sleeps bool) {
	d, err := social.NextDue(ctx, bot)
	return d.At, err == nil && d.Busy == "" && (d.At.IsZero() || time.Until(d.At) > minSleep)
}

// sleepNow returns how long a bot sleeps that has just ended. It starts again at once if something came while it ended.
func sleepNow(ctx context.Context, bot *social.Bot, source *remote.Source) error {
	until, sleeps := mayStop(ctx, bot)
	if !sleeps || !source.Announced() {
		until = time.Now()
	}
	return owner.SleepUntil(until)
}
