package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/tmc/langchaingo/llms"
	"golang.org/x/sync/errgroup"
)

// A life is what comes of Options.Days.
type life struct {
	*Days
	core     *persona.Life
	timers   *persona.Timers
	schedule *persona.Schedule
	model    llms.Model // of what is never said
	papers   papers
	slots    Latch // held by the turns of wakes
	stirred  stirred
	beat     loop.Loop

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

func (b *Engine) newLife() error {
	if b.Options.Days == nil {
		return nil
	}
	o := *b.Options.Days
	o.Timers.Location = cmp.Or(o.Timers.Location, b.Options.Location)
	o.Schedule.Location = cmp.Or(o.Schedule.Location, b.Options.Location)
	o.Timeout = cmp.Or(o.Timeout, lifeTimeout)
	l := &life{Days: &o, timers: persona.NewTimers(b.Options.Store, o.Timers), schedule: persona.NewSchedule(b.Options.Store, o.Schedule), model: b.Model}
	l.slots = make(Latch, wakesAtOnce)
	l.papers = papers{store: b.Options.Store, character: o.Character, turn: NewLatch()}
	if o.Model != nil {
		l.model = b.Meter(o.Model, nil)
	}
	var err error
	l.core, err = persona.NewLife(b.Options.Store, l.timers, l.schedule, o.Life)
	b.life = l
	return err
}

// resumeLife reads what was planned. What was under way when the program ended is interrupted, and told so.
func (b *Engine) resumeLife(ctx context.Context) error {
	if b.life == nil {
		return nil
	}
	broken, err := b.life.core.Resume(ctx, time.Now())
	for _, row := range broken {
		b.Log.Error("a row of what was planned is unreadable, and left as it is", "err", row)
	}
	return err
}

// live lets it act by itself, until ctx ends. What it began is over when it returns.
func (b *Engine) live(ctx context.Context) error {
	first := time.NewTimer(linkFirst)
	defer first.Stop()
	select {
	case <-b.Linked:
	case <-first.C:
	case <-ctx.Done():
		return nil
	}
	var g errgroup.Group
	err := b.life.beat.Run(ctx, b.nextWake, func(time.Time) {
		now := time.Now()
		if b.held(now) {
			return
		}
		for w, err := range b.life.core.Due(ctx, now) {
			if err != nil {
				if ctx.Err() == nil {
					b.Log.Error("what is due could not be written down, and waits", "err", err)
				}
				continue
			}
			g.Go(func() error { b.wake(ctx, w); return nil })
		}
	})
	return errors.Join(err, g.Wait())
}

// nextWake is when to look again, by the loop's clock: that one never goes back, while what is planned goes by the wall
// clock. What is planned is looked at every minute, so that a clock that was set, or a machine that was suspended, is
// noticed.
func (b *Engine) nextWake() (time.Time, bool) {
	now := time.Now()
	at, ok := b.life.core.Next(now)
	if soon := now.Add(heldFor); ok && (at.After(soon) || b.held(now)) {
		at = soon
	}
	return b.life.beat.Now().Add(at.Sub(now)), ok
}

// held reports that it does nothing by itself now: it sleeps, or what is left of the budget is for what is said.
func (b *Engine) held(now time.Time) bool {
	return b.Options.Attention.Budget.Level(now, "") >= heartflow.LevelNoJudge || b.Attention.State(now, b.Self.ID) == heartflow.Offline
}

// wake does what a wake asks for, and ends it. Where ctx ends before it was done, it is given again after the next start.
func (b *Engine) wake(ctx context.Context, w persona.Wake) {
	text, err := b.act(ctx, w, true)
	for gaveWay := 1; errors.Is(err, ErrGivenBack); gaveWay++ {
		text, err = b.act(ctx, w, gaveWay < givesWay)
	}
	if ctx.Err() != nil {
		if err == nil {
			after, stop := Afterwards(ctx)
			defer stop()
			b.end(after, w, nil)
		}
		return
	}
	b.Counters.wakes.Add(1)
	if err != nil {
		b.Log.Warn("what it meant to do by itself failed", "wake", w.ID, "err", err)
		b.tellUndone(ctx, w, err)
	} else if text != "" && !w.Part().Background() {
		b.life.well(w.Maker.Chat)
	}
	b.end(ctx, w, err)
	if w.Kind == persona.WakeTask && err == nil && text != "" {
		if err := b.lookBack(ctx, w, text); err != nil && ctx.Err() == nil {
			b.Log.Warn("what came of a task was not written down", "wake", w.ID, "err", err)
		}
	}
	if b.life.Trace != nil {
		b.life.Trace(Lived{Wake: w, At: time.Now(), Text: text, Err: err})
	}
	b.life.beat.Wake()
}

// end ends a wake, and tries until that is written down: what is under way holds up what comes after it.
func (b *Engine) end(ctx context.Context, w persona.Wake, failure error) {
	for wait := time.Second; ; wait = min(2*wait, heldFor) {
		err := b.life.core.Done(ctx, time.Now(), w.ID, failure)
		if err == nil || errors.Is(err, persona.ErrUnknown) || ctx.Err() != nil {
			return
		}
		b.Log.Error("that something is done was not kept", "wake", w.ID, "err", err)
		pause := time.NewTimer(wait)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// toldEvery is how often the owner is told, at most, that nothing can be said in a chat.
const toldEvery = 24 * time.Hour

// mayTell reports whether the owner may be told of a chat: what is set there may fire every minute, and anybody may have
// set it.
func (l *life) mayTell(now time.Time, chat persona.Chat) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.undone[chat]; ok && now.Sub(at) < toldEvery {
		return false
	}
	if l.undone == nil {
		l.undone = map[persona.Chat]time.Time{}
	}
	l.undone[chat] = now
	return true
}

// well notes that something could be said in a chat: the next time that it cannot is told again.
func (l *life) well(chat persona.Chat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.undone, chat)
}

// tellUndone tells the owner of what was to be said in a chat and was not.
func (b *Engine) tellUndone(ctx context.Context, w persona.Wake, err error) {
	part := w.Part()
	if part != persona.Remind && part != persona.Perform || w.Maker.Chat == (persona.Chat{}) || errors.Is(err, errQuietHours) || errors.Is(err, ErrUnclear) {
		return
	}
	if !b.life.mayTell(time.Now(), w.Maker.Chat) {
		return
	}
	b.NotifyOwner(ctx, "该在 "+w.Maker.Chat.String()+" 做的一件事没做成：「"+ClipBytes(cmp.Or(w.Task.Title, w.Timer.Timer.Payload), 120)+"」")
}

// act does it, once over all starts where it has an effect. A talk of the background that yields gives errGivenBack when
// somebody waited for a turn there, before it had any.
func (b *Engine) act(ctx context.Context, w persona.Wake, yields bool) (text string, err error) {
	switch w.Kind {
	case persona.WakeArchive:
		return "", b.archive(ctx, w)
	case persona.WakeReflect:
		return b.reflect(ctx)
	}
	r, err := b.ChatOfOrigin(ctx, w.Maker)
	if err != nil || r.Off {
		return "", err
	}
	res, err := b.Do(ctx, b.wakeJob(r, &w, yields))
	if errors.Is(err, persona.ErrOver) {
		return "", nil // it was done before the program died, and is not done again
	}
	if err = errors.Join(res.Err, err); errors.Is(err, ErrGivenBack) {
		return "", err
	}
	return res.Text, err
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

// roomOfMaker is where something runs.
func (b *Engine) ChatOfOrigin(ctx context.Context, m persona.Maker) (*Chat, error) {
	switch {
	case m.Mode == persona.Agent:
		return b.Owners, nil
	case m.Chat == (persona.Chat{}):
		return b.Self, nil
	}
	return b.Chat(ctx, m.Chat)
}

// aloneRoom is the room of the persona by itself. No link ever hears from its chat.
func aloneRoom() *Chat {
	return newRoom(persona.Chat{Platform: "app", Kind: persona.Private, ID: "self"}, selfScope())
}

// talked tells of a talk that the being takes part in.
func (b *Engine) talked(ctx context.Context, r *Chat, messages int) {
	if b.life == nil || messages <= 0 {
		return
	}
	b.life.stirred.add(r, messages)
	if err := b.life.core.Heard(ctx, time.Now(), r.Origin, messages); err != nil && ctx.Err() == nil {
		b.Log.Error("that there was a talk was not kept", "chat", r.ID, "err", err)
	}
	b.life.beat.Wake()
}

// archive ends the session of a talk: its scratch goes. What was said is in memory already.
func (b *Engine) archive(ctx context.Context, w persona.Wake) error {
	r, err := b.ChatOfOrigin(ctx, w.Maker)
	if err != nil {
		return err
	}
	return b.Memory.Notes(r.Space).EndSession(ctx, r.Session)
}

// missed tells memory of a task that came too late.
func (b *Engine) missed(ctx context.Context, r *Chat, t persona.Task) error {
	text := "没赶上计划的事：" + t.Title
	if t.Result.Error == persona.Interrupted {
		text = "计划的事做到一半被打断了：" + t.Title
	}
	err := b.Memory.Keep(ctx, memory.Record{
		ID: fmt.Sprintf("task-%s-%d", t.ID, t.Round), Space: r.Space, Kind: "task", Text: text, Person: t.Maker.Person.ID, Importance: .3, At: cmp.Or(t.StartedAt, t.ScheduledAt),
	})
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}
