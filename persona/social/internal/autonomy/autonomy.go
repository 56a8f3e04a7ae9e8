// Package autonomy runs the bot's unprompted turns: timers, tasks, planning, reviews and reflections.
package autonomy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Autonomy runs the bot's unprompted turns: timers, tasks, planning, reviews and reflections. All methods may be called
// concurrently.
type Autonomy struct {
	engine    *engine.Engine
	o         Options
	planner   *schedule.Planner
	timers    *schedule.Timers
	tasks     *schedule.Tasks
	call      prompt.Turn // for calls whose text is never sent
	documents documents
	parts     ownerParts
	heartbeat heartbeat
	slots     engine.Mutex // limits the number of concurrent turns
	active    activeChats
	loop      loop.Loop
	runs      atomic.Int64
	wakes     pastWakes

	mu           sync.Mutex
	lastNotified map[persona.Chat]time.Time // time of the last notice that sending to a chat failed
}

const (
	maxConcurrent  = 16
	maxYields      = 3           // times that one background turn yields its chat; each costs a model call
	maxWait        = time.Minute // longest time between two checks for due work
	defaultTimeout = 2 * time.Minute
	linkTimeout    = time.Minute // after a start the first check waits this long for the link, because nothing can be sent before
)

// New returns an Autonomy that uses the store, the model and the budget of an engine.
func New(e *engine.Engine, o Options) (*Autonomy, error) {
	o.Timers.Location = cmp.Or(o.Timers.Location, e.Options.Location)
	o.Tasks.Location = cmp.Or(o.Tasks.Location, e.Options.Location)
	if o.Planner.IsOwner == nil {
		o.Planner.IsOwner = func(chat persona.Chat) bool {
			return chat.Kind == persona.Private && e.Router.IsOwner(persona.Account{Platform: chat.Platform, ID: chat.ID})
		}
	}
	a := &Autonomy{
		engine: e, o: o, timers: schedule.NewTimers(e.Options.Store, o.Timers), tasks: schedule.NewTasks(e.Options.Store, o.Tasks),
		call:  prompt.Turn{Model: e.Models.Background(o.Model), Timeout: cmp.Or(o.Timeout, defaultTimeout), Options: o.CallOptions},
		parts: ownerParts{e}, documents: documents{store: e.Options.Store, character: o.Character, lock: engine.NewMutex()}, slots: make(engine.Mutex, maxConcurrent),
		active: activeChats{count: map[*engine.Chat]int{}}, lastNotified: map[persona.Chat]time.Time{},
	}
	var err error
	if a.planner, err = schedule.NewPlanner(e.Options.Store, a.timers, a.tasks, o.Planner); err != nil {
		return nil, err
	}
	a.heartbeat = heartbeat{engine: e, planner: a.planner, changed: a.loop.Wake, noted: o.Changed, lock: engine.NewMutex()}
	a.heartbeat.now.Interval, a.heartbeat.now.Off = cmp.Or(max(0, o.Planner.TaskInterval), time.Minute), o.Planner.TaskInterval < 0
	return a, nil
}

// Wakes returns the number of completed wakes since the start.
func (a *Autonomy) Wakes() int64 { return a.runs.Load() }

// restore loads timers, tasks and the planner's state. Work that was running when the program ended is marked as
// interrupted.
func (a *Autonomy) restore(ctx context.Context) error {
	broken, err := a.planner.Restore(ctx, time.Now())
	for _, row := range broken {
		a.engine.Log.Error("skip an unreadable row of the schedule", "err", row)
	}
	if err = cmp.Or(err, a.heartbeat.restore(ctx)); err != nil {
		return err
	}
	return a.recordMissingOutcomes(ctx)
}

// nextCheck returns the time of the next check on the loop's clock, which never goes back. Schedules use the wall
// clock, so they are checked at least every maxWait: this notices a changed clock and a suspended machine.
func (a *Autonomy) nextCheck() (time.Time, bool) {
	now := time.Now()
	at, ok := a.planner.Next(now)
	if soon := now.Add(maxWait); ok && (at.After(soon) || a.paused(now)) {
		at = soon
	}
	return a.loop.Now().Add(at.Sub(now)), ok
}

// paused reports whether nothing runs unprompted now: the bot sleeps, or the rest of the budget is reserved for
// replies.
func (a *Autonomy) paused(now time.Time) bool {
	return a.engine.Options.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge || a.engine.Attention.State(now, a.engine.SelfChat.ID) == heartflow.Offline
}

// finish marks a wake as done and retries until that is written, because an unfinished wake blocks later ones.
func (a *Autonomy) finish(ctx context.Context, w schedule.Wake, failure error) {
	for wait := time.Second; ; wait = min(2*wait, maxWait) {
		err := a.planner.Done(ctx, time.Now(), w.ID, failure)
		if err == nil || errors.Is(err, schedule.ErrNotFound) || ctx.Err() != nil {
			return
		}
		a.engine.Log.Error("could not mark a wake as done", "wake", w.ID, "err", err)
		_ = loop.Sleep(ctx, wait)
	}
}

// notifyInterval is the least time between two notices to the owner that sending to one chat failed.
const notifyInterval = 24 * time.Hour

// mayNotify reports whether the owner may be notified about a chat again, and counts that as done. Without a limit,
// anybody could set a timer that fails every minute.
func (a *Autonomy) mayNotify(now time.Time, chat persona.Chat) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := a.lastNotified[chat]; ok && now.Sub(at) < notifyInterval {
		return false
	}
	a.lastNotified[chat] = now
	return true
}

// clearNotified records that sending to a chat succeeded. The next failure is reported again.
func (a *Autonomy) clearNotified(chat persona.Chat) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.lastNotified, chat)
}

// createdAt returns when the subject of a wake was created.
func createdAt(w schedule.Wake) time.Time {
	switch w.Kind {
	case schedule.WakeTimer:
		return w.Timer.Timer.Created
	case schedule.WakeTask, schedule.WakeOutdated:
		return w.Task.CreatedAt
	}
	return w.Conversation.To
}

// rememberMissed stores a memory of a task that was missed or interrupted.
func (a *Autonomy) rememberMissed(ctx context.Context, c *engine.Chat, t schedule.Task) error {
	text := "没赶上计划的事：" + t.Title
	if t.Result.Error == schedule.ErrorInterrupted {
		text = "计划的事做到一半被打断了：" + t.Title
	}
	rec := memory.Record{
		ID: fmt.Sprintf("task-%s-%d", t.ID, t.RescheduleCount), Space: c.Space, Kind: "task", Text: text, Person: t.Origin.Person.ID, Importance: .3, At: cmp.Or(t.StartedAt, t.ScheduledAt),
	}
	if l := engine.PlanLabel(t.Origin); l != rec.LabelOrDefault() {
		rec.Label = l
	}
	return a.put(ctx, rec)
}

// put stores a record. An indexing failure is not an error, because the record itself is stored.
func (a *Autonomy) put(ctx context.Context, r memory.Record) error {
	if err := a.engine.Memory.Put(ctx, r); !errors.Is(err, memory.ErrNotIndexed) {
		return err
	}
	return nil
}

// activeChats counts the new messages in each chat since the last reflection on it.
type activeChats struct {
	mu    sync.Mutex
	count map[*engine.Chat]int
}
