package days

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

// Days let the bot act though nobody spoke to it: timers, tasks, planning, reviews and reflections. Its methods may be called
// concurrently.
type Days struct {
	engine   *engine.Engine
	o        Options
	life     *schedule.Planner
	timers   *schedule.Timers
	schedule *schedule.Tasks
	call     prompt.Turn // for what is never said
	papers   papers
	slots    engine.Latch // held by the turns of wakes
	stirred  stirred
	beat     loop.Loop
	wakes    atomic.Int64

	mu     sync.Mutex
	undone map[persona.Chat]time.Time // when the owner was told that something could not be said there
}

const (
	wakesAtOnce = 16
	givesWay    = 3           // times that one talk of the background begins in vain: each costs a model call
	heldFor     = time.Minute // from one look whether a being may act by itself to the next
	lifeTimeout = 2 * time.Minute
	linkFirst   = time.Minute // after a start, until the link has brought something: what fired meanwhile could not be said
)

// New returns Days over the store, the model and the budget of an engine.
func New(e *engine.Engine, o Options) (*Days, error) {
	o.Timers.Location = cmp.Or(o.Timers.Location, e.Options.Location)
	o.Tasks.Location = cmp.Or(o.Tasks.Location, e.Options.Location)
	d := &Days{
		engine: e, o: o, timers: schedule.NewTimers(e.Options.Store, o.Timers), schedule: schedule.NewTasks(e.Options.Store, o.Tasks),
		call:   prompt.Turn{Model: e.Model, Timeout: cmp.Or(o.Timeout, lifeTimeout), Options: o.CallOptions},
		papers: papers{store: e.Options.Store, character: o.Character, turn: engine.NewLatch()}, slots: make(engine.Latch, wakesAtOnce),
		stirred: stirred{count: map[*engine.Chat]int{}}, undone: map[persona.Chat]time.Time{},
	}
	if o.Model != nil {
		d.call.Model = e.Meter(o.Model, nil)
	}
	var err error
	d.life, err = schedule.NewPlanner(e.Options.Store, d.timers, d.schedule, o.Planner)
	return d, err
}

// Wakes is how many wakes were done since the start.
func (d *Days) Wakes() int64 { return d.wakes.Load() }

// restore reads what was planned. What was under way when the program ended is interrupted, and told so.
func (d *Days) restore(ctx context.Context) error {
	broken, err := d.life.Restore(ctx, time.Now())
	for _, row := range broken {
		d.engine.Log.Error("a row of what was planned is unreadable, and left as it is", "err", row)
	}
	return err
}

// nextWake is when to look again, by the loop's clock: that one never goes back, while what is planned goes by the wall
// clock. What is planned is looked at every minute, so that a clock that was set, or a machine that was suspended, is
// noticed.
func (d *Days) nextWake() (time.Time, bool) {
	now := time.Now()
	at, ok := d.life.Next(now)
	if soon := now.Add(heldFor); ok && (at.After(soon) || d.held(now)) {
		at = soon
	}
	return d.beat.Now().Add(at.Sub(now)), ok
}

// held reports that it does nothing by itself now: it sleeps, or what is left of the budget is for what is said.
func (d *Days) held(now time.Time) bool {
	return d.engine.Options.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge || d.engine.Attention.State(now, d.engine.Self.ID) == heartflow.Offline
}

// end ends a wake, and tries until that is written down: what is under way holds up what comes after it.
func (d *Days) end(ctx context.Context, w schedule.Wake, failure error) {
	for wait := time.Second; ; wait = min(2*wait, heldFor) {
		err := d.life.Done(ctx, time.Now(), w.ID, failure)
		if err == nil || errors.Is(err, schedule.ErrNotFound) || ctx.Err() != nil {
			return
		}
		d.engine.Log.Error("that something is done was not kept", "wake", w.ID, "err", err)
		_ = loop.Sleep(ctx, wait)
	}
}

// toldEvery is how often the owner is told, at most, that nothing can be said in a chat.
const toldEvery = 24 * time.Hour

// mayTell reports whether the owner may be told of a chat: what is set there may fire every minute, and anybody may have
// set it.
func (d *Days) mayTell(now time.Time, chat persona.Chat) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.undone[chat]; ok && now.Sub(at) < toldEvery {
		return false
	}
	d.undone[chat] = now
	return true
}

// well notes that something could be said in a chat: the next time that it cannot is told again.
func (d *Days) well(chat persona.Chat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.undone, chat)
}

// made is when what a wake is about was made.
func made(w schedule.Wake) time.Time {
	switch w.Kind {
	case schedule.WakeTimer:
		return w.Timer.Timer.Created
	case schedule.WakeTask, schedule.WakeOutdated:
		return w.Task.CreatedAt
	}
	return w.Conversation.To
}

// archive ends the session of a talk: its scratch goes. What was said is in memory already.
func (d *Days) archive(ctx context.Context, w schedule.Wake) error {
	r, err := d.engine.ChatOfOrigin(ctx, w.Origin)
	if err != nil {
		return err
	}
	return d.engine.Memory.Notes(r.Space).EndSession(ctx, r.Session)
}

// missed tells memory of a task that came too late.
func (d *Days) missed(ctx context.Context, r *engine.Chat, t schedule.Task) error {
	text := "没赶上计划的事：" + t.Title
	if t.Result.Error == schedule.ErrorInterrupted {
		text = "计划的事做到一半被打断了：" + t.Title
	}
	rec := memory.Record{
		ID: fmt.Sprintf("task-%s-%d", t.ID, t.RescheduleCount), Space: r.Space, Kind: "task", Text: text, Person: t.Origin.Person.ID, Importance: .3, At: cmp.Or(t.StartedAt, t.ScheduledAt),
	}
	if l := engine.PlanLabel(t.Origin); l != rec.LabelOrDefault() {
		rec.Label = l
	}
	return d.keep(ctx, rec)
}

// keep remembers something. One that no index takes is there all the same.
func (d *Days) keep(ctx context.Context, r memory.Record) error {
	if err := d.engine.Memory.Put(ctx, r); !errors.Is(err, memory.ErrNotIndexed) {
		return err
	}
	return nil
}

// stirred are the rooms where something was said since the last reflection on them.
type stirred struct {
	mu    sync.Mutex
	count map[*engine.Chat]int
}
