package autonomy

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
	"github.com/hearth-bot/hearth/persona/trace"
	"golang.org/x/sync/errgroup"
)

// Part returns the callbacks for the engine.
func (a *Autonomy) Part() engine.Part {
	return engine.Part{Restore: a.restore, Tools: a.tools, Run: a.run, OwnerHistory: a.ownerHistory, Scene: a.scene, Done: a.turnDone, Due: dueOf(a)}
}

func (a *Autonomy) tools(_ context.Context, o *self.Options) error {
	o.Character, o.Schedule, o.Timers, o.Documents, o.Notify = character{a}, taskAdapter{a}, timerAdapter{a}, &a.documents, a.o.ShowNotification
	o.Heartbeat = heartbeatTool{&a.heartbeat}
	return nil
}

// perform executes a wake. If it has side effects, it runs at most once over all restarts. With yields, a background
// turn without side effects returns engine.ErrGivenBack when a user needs the chat.
func (a *Autonomy) perform(ctx context.Context, w schedule.Wake, yields bool) (res performed, err error) {
	switch w.Kind {
	case schedule.WakeArchive:
		return res, a.archive(ctx, w)
	case schedule.WakeReflect:
		res.Text, err = a.reflect(ctx)
		return res, err
	}
	c, err := a.engine.ChatOfOrigin(ctx, w.Origin)
	if err != nil || c.Off() {
		return res, err
	}
	j, run := a.wakeJob(c, &w, yields)
	res.Result, err = a.engine.Do(ctx, j)
	if errors.Is(err, jobs.ErrDone) {
		return performed{}, nil // completed before a crash; do not run it again
	}
	res.tools = run.tools
	return res, errors.Join(res.Err, err)
}

// performed is the outcome of a wake's turn.
type performed struct {
	engine.Result
	tools []string // tools that succeeded, in the order of their first call
}

// turnDone counts the messages of a conversation that the bot takes part in.
func (a *Autonomy) turnDone(ctx context.Context, c *engine.Chat, done engine.Done) {
	if done.Messages <= 0 {
		return
	}
	a.active.add(c, done.Messages)
	if err := a.planner.Observe(ctx, time.Now(), c.Origin, done.Messages); err != nil && ctx.Err() == nil {
		a.engine.Log.Error("could not record a conversation", "chat", c.ID, "err", err)
	}
	a.loop.Wake()
}

// notifyFailed notifies the owner that a timer or task could not send to its chat.
func (a *Autonomy) notifyFailed(ctx context.Context, w schedule.Wake, err error) {
	kind := prompt.KindOf(&w)
	if kind != prompt.Remind && kind != prompt.PerformTask || w.Origin.Chat == (persona.Chat{}) || errors.Is(err, errQuietHours) || errors.Is(err, engine.ErrUnclear) {
		return
	}
	if !a.mayNotify(time.Now(), w.Origin.Chat) {
		return
	}
	text := "该在 " + w.Origin.Chat.String() + " 做的一件事没做成"
	a.engine.NotifyOwner(ctx, engine.Notice{
		Private: text + "。", // without the plan: it may be erased while the message waits
		Text:    text + "：「" + clip.Bytes(engine.QuoteLine(cmp.Or(w.Task.Title, w.Timer.Timer.Payload)), 120) + "」", Label: engine.PlanLabel(w.Origin), Person: w.Origin.Person.ID,
	})
}

// runWake performs a wake and marks it as done. If ctx ends first, the wake is due again after the next start.
func (a *Autonomy) runWake(ctx context.Context, w schedule.Wake) {
	ended := a.wakes.begin(w)
	res, err := a.perform(ctx, w, true)
	for yielded := 1; errors.Is(err, engine.ErrReleased); yielded++ {
		res, err = a.perform(ctx, w, yielded < maxYields)
	}
	if err == nil && w.Kind == schedule.WakeReview && w.Origin.Mode == persona.Agent {
		if failed := a.writeHearsay(ctx, w.Conversation); ctx.Err() != nil {
			err = failed // the next start retries it
		} else if failed != nil {
			a.engine.Log.Warn("could not write the hearsay document", "wake", w.ID, "err", failed)
		}
	}
	text := res.Text
	ended(res, err)
	if ctx.Err() != nil {
		if err == nil {
			after, stop := engine.DetachedContext(ctx)
			defer stop()
			a.finish(after, w, nil)
		}
		return
	}
	a.runs.Add(1)
	if err != nil {
		a.engine.Log.Warn("an autonomous run failed", "wake", w.ID, "err", err)
		a.notifyFailed(ctx, w, err)
	} else if text != "" && !prompt.KindOf(&w).IsBackgroundTurn() {
		a.clearNotified(w.Origin.Chat)
	}
	a.finish(ctx, w, err)
	if w.Kind == schedule.WakeArchive || err != nil && !res.Executed {
		report(ctx, a.engine, w, "", err)
	}
	if w.Kind == schedule.WakeTask {
		if err := a.recordOutcome(ctx, w, res, err); err != nil && ctx.Err() == nil {
			a.engine.Log.Warn("could not record the outcome of a task", "wake", w.ID, "err", err)
		}
	}
	if a.o.OnWake != nil {
		a.o.OnWake(WakeResult{Wake: w, At: time.Now(), Text: text, Err: err})
	}
	a.loop.Wake()
}

// report tells the watchers of a wake. For a wake with a turn it is called before the turn ends, because an erasure waits for the
// turn and must come after it.
func report(ctx context.Context, e *engine.Engine, w schedule.Wake, text string, err error) {
	act := trace.Act{Kind: w.Kind.String(), Text: cmp.Or(w.Task.Title, w.Timer.Timer.Payload), Outcome: strings.Join(stream.Items(text), "\n"), Turn: w.ID, Late: w.Reason.Late}
	if w.Kind == schedule.WakeArchive {
		act.Text = strconv.Itoa(w.Conversation.Messages)
	}
	if err != nil {
		act.Failed = err.Error()
	}
	e.Watchers.Act(ctx, chatOf(w), act)
}

// chatOf returns the chat whose rights a wake has; the zero Chat is the bot itself.
func chatOf(w schedule.Wake) persona.Chat {
	if w.Origin.Mode == persona.Agent {
		return engine.OwnerConversation
	}
	return w.Origin.Chat
}

// dueOf returns a function that returns the time of the next wake.
func dueOf(a *Autonomy) func(context.Context, time.Time) (engine.Due, error) {
	return func(_ context.Context, now time.Time) (engine.Due, error) {
		d := engine.DueAt(a.planner.Next(now))
		if a.wakes.running() {
			d.Busy = "a task runs"
		}
		return d, nil
	}
}

// run performs due wakes until ctx ends, and returns after all of them have ended.
func (a *Autonomy) run(ctx context.Context) error {
	first := time.NewTimer(linkTimeout)
	defer first.Stop()
	select {
	case <-a.engine.Link.Ready:
	case <-first.C:
	case <-ctx.Done():
		return nil
	}
	var g errgroup.Group
	err := a.loop.Run(ctx, a.nextCheck, func(time.Time) {
		now := time.Now()
		if a.paused(now) {
			return
		}
		for w, err := range a.planner.Due(ctx, now) {
			if err != nil {
				if ctx.Err() == nil {
					a.engine.Log.Error("could not claim a due wake; it is retried", "err", err)
				}
				continue
			}
			g.Go(func() error { a.runWake(ctx, w); return nil })
		}
	})
	return errors.Join(err, g.Wait())
}
