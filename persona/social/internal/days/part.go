package days

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Part is what the engine calls.
func (d *Days) Part() engine.Part {
	return engine.Part{Restore: d.restore, Tools: d.tools, Run: d.live, Scene: d.scene, Done: d.done}
}

func (d *Days) tools(_ context.Context, o *self.Options) error {
	o.Character, o.Schedule, o.Timers, o.Documents, o.Notify = character{d}, plans{d}, alarms{d}, &d.papers, d.o.ShowNotification
	return nil
}

// act does it, once over all starts where it has an effect. A talk of the background that yields gives errGivenBack when
// somebody waited for a turn there, before it had any.
func (d *Days) act(ctx context.Context, w schedule.Wake, yields bool) (res engine.Result, err error) {
	switch w.Kind {
	case schedule.WakeArchive:
		return res, d.archive(ctx, w)
	case schedule.WakeReflect:
		res.Text, err = d.reflect(ctx)
		return res, err
	}
	r, err := d.engine.ChatOfOrigin(ctx, w.Origin)
	if err != nil || r.Off {
		return res, err
	}
	res, err = d.engine.Do(ctx, d.wakeJob(r, &w, yields))
	if errors.Is(err, jobs.ErrDone) {
		return engine.Result{}, nil // it was done before the program died, and is not done again
	}
	return res, errors.Join(res.Err, err)
}

// done counts a talk that the bot takes part in.
func (d *Days) done(ctx context.Context, c *engine.Chat, done engine.Done) {
	if done.Messages <= 0 {
		return
	}
	d.stirred.add(c, done.Messages)
	if err := d.life.Observe(ctx, time.Now(), c.Origin, done.Messages); err != nil && ctx.Err() == nil {
		d.engine.Log.Error("that there was a talk was not kept", "chat", c.ID, "err", err)
	}
	d.beat.Wake()
}

// tellUndone tells the owner of what was to be said in a chat and was not.
func (d *Days) tellUndone(ctx context.Context, w schedule.Wake, err error) {
	part := prompt.KindOf(&w)
	if part != prompt.Remind && part != prompt.PerformTask || w.Origin.Chat == (persona.Chat{}) || errors.Is(err, errQuietHours) || errors.Is(err, engine.ErrUnclear) {
		return
	}
	if !d.mayTell(time.Now(), w.Origin.Chat) {
		return
	}
	d.engine.NotifyOwner(ctx, "该在 "+w.Origin.Chat.String()+" 做的一件事没做成：「"+clip.Bytes(engine.Line(cmp.Or(w.Task.Title, w.Timer.Timer.Payload)), 120)+"」")
}

// wake does what a wake asks for, and ends it. Where ctx ends before it was done, it is given again after the next start.
func (d *Days) wake(ctx context.Context, w schedule.Wake) {
	res, err := d.act(ctx, w, true)
	for gaveWay := 1; errors.Is(err, engine.ErrGivenBack); gaveWay++ {
		res, err = d.act(ctx, w, gaveWay < givesWay)
	}
	if err == nil && w.Kind == schedule.WakeReview && w.Origin.Mode == persona.Agent {
		if failed := d.hear(ctx, w.Conversation); ctx.Err() != nil {
			err = failed // the next start does it
		} else if failed != nil {
			d.engine.Log.Warn("what others said was not written down", "wake", w.ID, "err", failed)
		}
	}
	text := res.Text
	if ctx.Err() != nil {
		if err == nil {
			after, stop := engine.Afterwards(ctx)
			defer stop()
			d.end(after, w, nil)
		}
		return
	}
	d.wakes.Add(1)
	if err != nil {
		d.engine.Log.Warn("what it meant to do by itself failed", "wake", w.ID, "err", err)
		d.tellUndone(ctx, w, err)
	} else if text != "" && !prompt.KindOf(&w).IsBackgroundTurn() {
		d.well(w.Origin.Chat)
	}
	d.end(ctx, w, err)
	mayTell := w.Origin.Mode != persona.Agent || d.engine.OwnersAlone(res.Label) // what came of it stands beside tools that act
	if w.Kind == schedule.WakeTask && err == nil && text != "" && mayTell {
		if err := d.lookBack(ctx, w, text); err != nil && ctx.Err() == nil {
			d.engine.Log.Warn("what came of a task was not written down", "wake", w.ID, "err", err)
		}
	}
	if d.o.OnWake != nil {
		d.o.OnWake(WakeResult{Wake: w, At: time.Now(), Text: text, Err: err})
	}
	d.beat.Wake()
}

// live lets it act by itself, until ctx ends. What it began is over when it returns.
func (d *Days) live(ctx context.Context) error {
	first := time.NewTimer(linkFirst)
	defer first.Stop()
	select {
	case <-d.engine.Linked:
	case <-first.C:
	case <-ctx.Done():
		return nil
	}
	var g errgroup.Group
	err := d.beat.Run(ctx, d.nextWake, func(time.Time) {
		now := time.Now()
		if d.held(now) {
			return
		}
		for w, err := range d.life.Due(ctx, now) {
			if err != nil {
				if ctx.Err() == nil {
					d.engine.Log.Error("what is due could not be written down, and waits", "err", err)
				}
				continue
			}
			g.Go(func() error { d.wake(ctx, w); return nil })
		}
	})
	return errors.Join(err, g.Wait())
}
