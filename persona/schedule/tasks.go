package schedule

import (
	"cmp"
	"context"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"sync"
	"time"
)

// A Schedule is what the being means to do. [Schedule.Add] plans a task, [Schedule.Due] gives the one to see to now,
// [Schedule.Done] ends it:
//
//   - one task at a time is out, and none while a talk is going ([Schedule.Busy]);
//   - what came too late is given first, as [TaskOutdated], the oldest in front: not to be done, but to be told to
//     memory, and put off by [Schedule.Again] if it still makes sense. Then what is pending, by priority, the oldest first;
//   - one found running after a crash is outdated, "interrupted". It never runs again by itself.
//
// A task is a row "task/<id>" of a [State], and every change is durable before it shows: a task is running on disk
// before it is given out. What is to be told is told again when the program dies before [Schedule.Done], by the same
// task, three times at most. Tasks that are over are the history, which is bounded; see [Schedule.Condense].
//
// All methods may be called concurrently. One Schedule at a time may use a State. When writing fails it is not known
// whether it was written: the next call reads the rows anew and goes by them.
//
// A task goes by the time of its plan, whatever the clock did before: a clock that jumps ahead makes it due, or
// outdated, and one that goes back undoes nothing.
type Schedule struct {
	shelf  shelf[*task]
	limits ScheduleOptions

	mu    sync.Mutex
	busy  bool
	out   string // the id of the task that was given out
	tried string // the id of a task that was to be given out when writing failed: it was not, so it may still run
}

// ScheduleOptions are how many tasks there may be. The zero value is ready for use.
type ScheduleOptions struct {
	Location     *time.Location // for the times shown; nil means [time.Local]
	PerPrincipal int            // open tasks on behalf of one person, or of a session where it is nobody's; 0 means 20
	All          int            // open tasks of all persona turns together, the agent's as many again; 0 means 200
	Text         int            // characters of a task's four texts together, and of a reflection; 0 means 2000
	History      int            // tasks that are over and kept; 0 means 100
	Condense     int            // characters of the history from which on it is to be condensed; 0 means 8000
}

// A task is a row as it is kept in memory.
type task struct{ Task }

func (t *task) key() string { return t.ID }
func (t *task) row() any    { return &t.Task }

// compare puts what is open in front, by the time it is to be done, and then what is over, by the time it ended.
func (t *task) compare(u *task) int {
	if t.Over() != u.Over() {
		if t.Over() {
			return 1
		}
		return -1
	}
	at, than := t.ScheduledAt, u.ScheduledAt
	if t.Over() {
		at, than = t.FinishedAt, u.FinishedAt
	}
	return cmp.Or(at.Compare(than), cmp.Compare(len(t.ID), len(u.ID)), cmp.Compare(t.ID, u.ID))
}

// NewSchedule keeps tasks in s. It reads nothing yet; call [Schedule.Resume] before anything else.
func NewSchedule(s persona.State, o ScheduleOptions) *Schedule {
	o.Location = cmp.Or(o.Location, time.Local)
	o.PerPrincipal, o.All, o.Text = cmp.Or(o.PerPrincipal, 20), cmp.Or(o.All, 200), cmp.Or(o.Text, 2000)
	o.History, o.Condense = cmp.Or(o.History, 100), cmp.Or(o.Condense, 8000)
	c := &Schedule{limits: o}
	c.shelf = shelf[*task]{state: s, prefix: "task/", letter: "s", read: c.read, writer: make(chan struct{}, 1)}
	return c
}

// Resume reads the rows, makes what was running outdated, and tells of rows that cannot be read.
func (s *Schedule) Resume(ctx context.Context) ([]*RowError, error) {
	return s.shelf.resume(ctx)
}

// Add plans a task for the turn that asks for it, its Maker. A zero ScheduledAt means now; what [Schedule] keeps is
// set by it. Of Allowed the Tools count: a human was shown the time and [Task.Words], and allowed them. It gives
// [ErrTooMany], [ErrTooLong], and [ErrPast] for a task that would be outdated before it can be done.
func (s *Schedule) Add(ctx context.Context, now time.Time, t Task) (Task, error) {
	made := s.planned(t, now, t.ScheduledAt, t.OutdatedAt)
	if made.ScheduledAt.IsZero() {
		made.ScheduledAt = made.CreatedAt
	}
	made.Allowed = grant(t.Allowed.Tools, made.when(), made.Words())
	if err := made.check(now, s.limits.Text); err != nil {
		return Task{}, err
	}
	err := s.shelf.change(ctx, func(c *shelving[*task]) error {
		if err := s.room(c.all, made.Maker); err != nil {
			return err
		}
		made.ID = c.newID()
		c.set(&task{made})
		return nil
	})
	if err != nil {
		return Task{}, err
	}
	return made, nil
}

// planned is a new task to do what t is about.
func (s *Schedule) planned(t Task, now, at, outdatedAt time.Time) Task {
	loc := s.limits.Location
	return Task{
		Title: t.Title, Motivation: t.Motivation, Plan: t.Plan, ExpectedOutcome: t.ExpectedOutcome,
		Priority: t.Priority, Maker: t.Maker, ScheduledAt: local(at, loc), OutdatedAt: local(outdatedAt, loc), CreatedAt: local(now, loc),
	}
}

func (s *Schedule) room(all []*task, m Maker) error {
	own, mode := 0, 0
	for _, other := range all {
		switch {
		case other.Over():
			continue
		case other.Maker.who() == m.who():
			own++
		}
		if other.Maker.Mode == m.Mode {
			mode++
		}
	}
	switch {
	case own >= s.limits.PerPrincipal:
		return fmt.Errorf("%w: %d tasks of one principal", ErrTooMany, own)
	case mode >= s.limits.All:
		return fmt.Errorf("%w: %d tasks", ErrTooMany, mode)
	}
	return nil
}

// Cancel takes a task back. It gives [ErrUnknown] where there is none that m's turn may see, and a [*TransitionError]
// for one that is out or over.
func (s *Schedule) Cancel(ctx context.Context, now time.Time, m Maker, id string) error {
	return s.shelf.change(ctx, func(c *shelving[*task]) error {
		old, ok := c.find(id)
		if !ok || !m.sees(old.Maker) {
			return ErrUnknown
		}
		next := *old
		if s.isOut(id) {
			return &TransitionError{id, old.Status, TaskCanceled, old.Over()}
		}
		if err := next.move(TaskCanceled); err != nil {
			return err
		}
		next.end(local(now, s.limits.Location), CanceledResult, nil)
		s.finish(c, &next)
		return nil
	})
}

// List gives the open tasks that m's turn may see, by the time they are to be done: the agent's turn sees all, a
// persona's those made in its chat. It knows nothing before [Schedule.Resume].
func (s *Schedule) List(m Maker) []Task {
	var list []Task
	for _, t := range s.shelf.view() {
		if !t.Over() && m.sees(t.Maker) {
			list = append(list, t.Task)
		}
	}
	return list
}

// Lookup gives a task that is known. It knows nothing before [Schedule.Resume].
func (s *Schedule) Lookup(id string) (Task, bool) {
	for _, t := range s.shelf.view() {
		if t.ID == id {
			return t.Task, true
		}
	}
	return Task{}, false
}

// Busy says whether a talk is going. While one is, nothing is due.
func (s *Schedule) Busy(talking bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = talking
}

// free reports whether a task may be given out.
func (s *Schedule) free() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.busy && s.out == ""
}

func (s *Schedule) isOut(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out == id
}

// giveOut notes that a task is out.
func (s *Schedule) giveOut(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out, s.tried = id, ""
}

// giveBack notes that a task is out no more.
func (s *Schedule) giveBack(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == id {
		s.out = ""
	}
}
