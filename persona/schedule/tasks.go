package schedule

import (
	"cmp"
	"context"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"sync"
	"time"
)

// A Tasks is what the being means to do. [Tasks.Add] plans a task, [Tasks.Due] gives the one to see to now,
// [Tasks.Done] ends it:
//
//   - one task at a time is out, and none while a talk is going ([Tasks.SetBusy]);
//   - what came too late is given first, as [TaskOutdated], the oldest in front: not to be done, but to be told to
//     memory, and put off by [Tasks.Reschedule] if it still makes sense. Then what is pending, by priority, the oldest first;
//   - one found running after a crash is outdated, "interrupted". It never runs again by itself.
//
// A task is a row "task/<id>" of a [State], and every change is durable before it shows: a task is running on disk
// before it is given out. What is to be told is told again when the program dies before [Tasks.Done], by the same
// task, three times at most. Tasks that are over are the history, which is bounded; see [Tasks.ToCondense].
//
// All methods may be called concurrently. One Schedule at a time may use a State. When writing fails it is not known
// whether it was written: the next call reads the rows anew and goes by them.
//
// A task goes by the time of its plan, whatever the clock did before: a clock that jumps ahead makes it due, or
// outdated, and one that goes back undoes nothing.
type Tasks struct {
	shelf  shelf[*task]
	limits TaskOptions

	mu    sync.Mutex
	busy  bool
	out   string // the id of the task that was given out
	tried string // the id of a task that was to be given out when writing failed: it was not, so it may still run
}

// TaskOptions are how many tasks there may be. The zero value is ready for use.
type TaskOptions struct {
	Location        *time.Location // for the times shown; nil means [time.Local]
	MaxPerPrincipal int            // open tasks on behalf of one person, or of a session where it is nobody's; 0 means 20
	MaxTotal        int            // open tasks of all persona turns together, the agent's as many again; 0 means 200
	MaxText         int            // characters of a task's four texts together, and of a reflection; 0 means 2000
	MaxHistory      int            // tasks that are over and kept; 0 means 100
	CondenseAt      int            // characters of the history from which on it is to be condensed; 0 means 8000
}

// A task is a row as it is kept in memory.
type task struct{ Task }

func (t *task) key() string { return t.ID }
func (t *task) row() any    { return &t.Task }

// compare puts what is open in front, by the time it is to be done, and then what is over, by the time it ended.
func (t *task) compare(u *task) int {
	if t.Ended() != u.Ended() {
		if t.Ended() {
			return 1
		}
		return -1
	}
	at, than := t.ScheduledAt, u.ScheduledAt
	if t.Ended() {
		at, than = t.FinishedAt, u.FinishedAt
	}
	return cmp.Or(at.Compare(than), cmp.Compare(len(t.ID), len(u.ID)), cmp.Compare(t.ID, u.ID))
}

// NewTasks keeps tasks in s. It reads nothing yet; call [Tasks.Restore] before anything else.
func NewTasks(s persona.State, o TaskOptions) *Tasks {
	o.Location = cmp.Or(o.Location, time.Local)
	o.MaxPerPrincipal, o.MaxTotal, o.MaxText = cmp.Or(o.MaxPerPrincipal, 20), cmp.Or(o.MaxTotal, 200), cmp.Or(o.MaxText, 2000)
	o.MaxHistory, o.CondenseAt = cmp.Or(o.MaxHistory, 100), cmp.Or(o.CondenseAt, 8000)
	c := &Tasks{limits: o}
	c.shelf = shelf[*task]{state: s, prefix: "task/", letter: "s", read: c.read, writer: make(chan struct{}, 1)}
	return c
}

// Restore reads the rows, makes what was running outdated, and tells of rows that cannot be read.
func (s *Tasks) Restore(ctx context.Context) ([]*RowError, error) {
	return s.shelf.resume(ctx)
}

// Add plans a task for the turn that asks for it, its Maker. A zero ScheduledAt means now; what [Tasks] keeps is
// set by it. Of Allowed the Tools count: a human was shown the time and [Task.Text], and allowed them. It gives
// [ErrTooMany], [ErrTooLong], and [ErrPast] for a task that would be outdated before it can be done.
func (s *Tasks) Add(ctx context.Context, now time.Time, t Task) (Task, error) {
	made := s.planned(t, now, t.ScheduledAt, t.OutdatedAt)
	if made.ScheduledAt.IsZero() {
		made.ScheduledAt = made.CreatedAt
	}
	made.Allowed = grant(t.Allowed.Tools, made.when(), made.Text())
	if err := made.check(now, s.limits.MaxText); err != nil {
		return Task{}, err
	}
	err := s.shelf.change(ctx, func(c *shelving[*task]) error {
		if err := s.room(c.all, made.Origin); err != nil {
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
func (s *Tasks) planned(t Task, now, at, outdatedAt time.Time) Task {
	loc := s.limits.Location
	return Task{
		Title: t.Title, Motivation: t.Motivation, Plan: t.Plan, ExpectedOutcome: t.ExpectedOutcome,
		Priority: t.Priority, Origin: t.Origin, ScheduledAt: local(at, loc), OutdatedAt: local(outdatedAt, loc), CreatedAt: local(now, loc),
	}
}

func (s *Tasks) room(all []*task, m Origin) error {
	own, mode := 0, 0
	for _, other := range all {
		switch {
		case other.Ended():
			continue
		case other.Origin.who() == m.who():
			own++
		}
		if other.Origin.Mode == m.Mode {
			mode++
		}
	}
	switch {
	case own >= s.limits.MaxPerPrincipal:
		return fmt.Errorf("%w: %d tasks of one principal", ErrTooMany, own)
	case mode >= s.limits.MaxTotal:
		return fmt.Errorf("%w: %d tasks", ErrTooMany, mode)
	}
	return nil
}

// Cancel takes a task back. It gives [ErrNotFound] where there is none that m's turn may see, and a [*TransitionError]
// for one that is out or over.
func (s *Tasks) Cancel(ctx context.Context, now time.Time, m Origin, id string) error {
	return s.shelf.change(ctx, func(c *shelving[*task]) error {
		old, ok := c.find(id)
		if !ok || !m.sees(old.Origin) {
			return ErrNotFound
		}
		next := *old
		if s.isOut(id) {
			return &TransitionError{id, old.Status, TaskCanceled, old.Ended()}
		}
		if err := next.move(TaskCanceled); err != nil {
			return err
		}
		next.end(local(now, s.limits.Location), ResultCanceled, nil)
		s.finish(c, &next)
		return nil
	})
}

// List gives the open tasks that m's turn may see, by the time they are to be done: the agent's turn sees all, a
// persona's those made in its chat. It knows nothing before [Tasks.Restore].
func (s *Tasks) List(m Origin) []Task {
	var list []Task
	for _, t := range s.shelf.view() {
		if !t.Ended() && m.sees(t.Origin) {
			list = append(list, t.Task)
		}
	}
	return list
}

// Lookup gives a task that is known. It knows nothing before [Tasks.Restore].
func (s *Tasks) Lookup(id string) (Task, bool) {
	for _, t := range s.shelf.view() {
		if t.ID == id {
			return t.Task, true
		}
	}
	return Task{}, false
}

// SetBusy says whether a talk is going. While one is, nothing is due.
func (s *Tasks) SetBusy(talking bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = talking
}

// free reports whether a task may be given out.
func (s *Tasks) free() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.busy && s.out == ""
}

func (s *Tasks) isOut(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out == id
}

// giveOut notes that a task is out.
func (s *Tasks) giveOut(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out, s.tried = id, ""
}

// giveBack notes that a task is out no more.
func (s *Tasks) giveBack(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == id {
		s.out = ""
	}
}
