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
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"golang.org/x/sync/errgroup"
)

// Days let the bot act though nobody spoke to it: timers, tasks, planning, reviews and reflections. Its methods may be called
// concurrently.
type Days struct {
	engine   *engine.Engine
	o        Options
	life     *persona.Life
	timers   *persona.Timers
	schedule *persona.Schedule
	call     persona.Turn // for what is never said
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
	o.Schedule.Location = cmp.Or(o.Schedule.Location, e.Options.Location)
	d := &Days{
		engine: e, o: o, timers: persona.NewTimers(e.Options.Store, o.Timers), schedule: persona.NewSchedule(e.Options.Store, o.Schedule),
		call:   persona.Turn{Model: e.Model, Timeout: cmp.Or(o.Timeout, lifeTimeout), Options: o.Options},
		papers: papers{store: e.Options.Store, character: o.Character, turn: engine.NewLatch()}, slots: make(engine.Latch, wakesAtOnce),
		stirred: stirred{count: map[*engine.Chat]int{}}, undone: map[persona.Chat]time.Time{},
	}
	if o.Model != nil {
		d.call.Model = e.Meter(o.Model, nil)
	}
	var err error
	d.life, err = persona.NewLife(e.Options.Store, d.timers, d.schedule, o.Life)
	return d, err
}

// Part is what the engine calls.
func (d *Days) Part() engine.Part {
	return engine.Part{Restore: d.restore, Tools: d.tools, Run: d.live, Scene: d.scene, Done: d.done}
}

// Wakes is how many wakes were done since the start.
func (d *Days) Wakes() int64 { return d.wakes.Load() }

// restore reads what was planned. What was under way when the program ended is interrupted, and told so.
func (d *Days) restore(ctx context.Context) error {
	broken, err := d.life.Resume(ctx, time.Now())
	for _, row := range broken {
		d.engine.Log.Error("a row of what was planned is unreadable, and left as it is", "err", row)
	}
	return err
}

func (d *Days) tools(_ context.Context, o *self.Options) error {
	o.Character, o.Schedule, o.Timers, o.Documents, o.Notify = character{d}, plans{d}, alarms{d}, &d.papers, d.o.Notice
	return nil
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

// wake does what a wake asks for, and ends it. Where ctx ends before it was done, it is given again after the next start.
func (d *Days) wake(ctx context.Context, w persona.Wake) {
	text, err := d.act(ctx, w, true)
	for gaveWay := 1; errors.Is(err, engine.ErrGivenBack); gaveWay++ {
		text, err = d.act(ctx, w, gaveWay < givesWay)
	}
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
	} else if text != "" && !w.Part().Background() {
		d.well(w.Maker.Chat)
	}
	d.end(ctx, w, err)
	if w.Kind == persona.WakeTask && err == nil && text != "" {
		if err := d.lookBack(ctx, w, text); err != nil && ctx.Err() == nil {
			d.engine.Log.Warn("what came of a task was not written down", "wake", w.ID, "err", err)
		}
	}
	if d.o.Trace != nil {
		d.o.Trace(Lived{Wake: w, At: time.Now(), Text: text, Err: err})
	}
	d.beat.Wake()
}

// end ends a wake, and tries until that is written down: what is under way holds up what comes after it.
func (d *Days) end(ctx context.Context, w persona.Wake, failure error) {
	for wait := time.Second; ; wait = min(2*wait, heldFor) {
		err := d.life.Done(ctx, time.Now(), w.ID, failure)
		if err == nil || errors.Is(err, persona.ErrUnknown) || ctx.Err() != nil {
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

// tellUndone tells the owner of what was to be said in a chat and was not.
func (d *Days) tellUndone(ctx context.Context, w persona.Wake, err error) {
	part := w.Part()
	if part != persona.Remind && part != persona.Perform || w.Maker.Chat == (persona.Chat{}) || errors.Is(err, errQuietHours) || errors.Is(err, engine.ErrUnclear) {
		return
	}
	if !d.mayTell(time.Now(), w.Maker.Chat) {
		return
	}
	d.engine.NotifyOwner(ctx, "该在 "+w.Maker.Chat.String()+" 做的一件事没做成：「"+clip.Bytes(cmp.Or(w.Task.Title, w.Timer.Timer.Payload), 120)+"」")
}

// act does it, once over all starts where it has an effect. A talk of the background that yields gives errGivenBack when
// somebody waited for a turn there, before it had any.
func (d *Days) act(ctx context.Context, w persona.Wake, yields bool) (text string, err error) {
	switch w.Kind {
	case persona.WakeArchive:
		return "", d.archive(ctx, w)
	case persona.WakeReflect:
		return d.reflect(ctx)
	}
	r, err := d.engine.ChatOfOrigin(ctx, w.Maker)
	if err != nil || r.Off {
		return "", err
	}
	res, err := d.engine.Do(ctx, d.wakeJob(r, &w, yields))
	if errors.Is(err, persona.ErrOver) {
		return "", nil // it was done before the program died, and is not done again
	}
	return res.Text, errors.Join(res.Err, err)
}

// made is when what a wake is about was made.
func made(w persona.Wake) time.Time {
	switch w.Kind {
	case persona.WakeTimer:
		return w.Timer.Timer.Created
	case persona.WakeTask, persona.WakeOutdated:
		return w.Task.CreatedAt
	}
	return w.Talk.To
}

// done counts a talk that the bot takes part in.
func (d *Days) done(ctx context.Context, c *engine.Chat, done engine.Done) {
	if done.Messages <= 0 {
		return
	}
	d.stirred.add(c, done.Messages)
	if err := d.life.Heard(ctx, time.Now(), c.Origin, done.Messages); err != nil && ctx.Err() == nil {
		d.engine.Log.Error("that there was a talk was not kept", "chat", c.ID, "err", err)
	}
	d.beat.Wake()
}

// archive ends the session of a talk: its scratch goes. What was said is in memory already.
func (d *Days) archive(ctx context.Context, w persona.Wake) error {
	r, err := d.engine.ChatOfOrigin(ctx, w.Maker)
	if err != nil {
		return err
	}
	return d.engine.Memory.Notes(r.Space).EndSession(ctx, r.Session)
}

// missed tells memory of a task that came too late.
func (d *Days) missed(ctx context.Context, r *engine.Chat, t persona.Task) error {
	text := "没赶上计划的事：" + t.Title
	if t.Result.Error == persona.Interrupted {
		text = "计划的事做到一半被打断了：" + t.Title
	}
	return d.keep(ctx, memory.Record{
		ID: fmt.Sprintf("task-%s-%d", t.ID, t.Round), Space: r.Space, Kind: "task", Text: text, Person: t.Maker.Person.ID, Importance: .3, At: cmp.Or(t.StartedAt, t.ScheduledAt),
	})
}

// keep remembers something. One that no index takes is there all the same.
func (d *Days) keep(ctx context.Context, r memory.Record) error {
	if err := d.engine.Memory.Keep(ctx, r); !errors.Is(err, memory.ErrNotIndexed) {
		return err
	}
	return nil
}
