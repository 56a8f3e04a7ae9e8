package schedule

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// Tasks are the planned tasks of the bot. [Tasks.Add] plans a task, [Tasks.Due] returns the next task to run, and
// [Tasks.Done] ends it:
//
//   - One task runs at a time, and none starts during a conversation ([Tasks.SetBusy]). The statuses change all the same:
//     a task that waits too long becomes outdated.
//   - Missed tasks come first, oldest first, with the status [TaskOutdated]. Do not run them. Report them to the bot, and call
//     [Tasks.Reschedule] if they are still useful.
//   - Pending tasks follow by priority, oldest first.
//   - A task that ran when the program crashed becomes outdated with the error "interrupted". It never runs again without
//     Reschedule.
//
// A task is a row "task/<id>" of the [persona.State]. Every change is durable before it takes effect. A task has the
// status running on disk before Due returns it. An outdated task is returned again if the program ends before
// [Tasks.Done], at most three times. Ended tasks form a history of limited size: see [Tasks.ToCondense].
//
// All methods may be called concurrently. Use only one Tasks for each State at a time. After a failed write the outcome
// of the write is unknown. The next call then reads all rows again.
//
// Only the planned time of a task counts. If the clock jumps ahead, tasks become due or outdated. If it goes back, no
// status changes back.
type Tasks struct {
	table   table[*task]
	options TaskOptions

	mu          sync.Mutex
	busy        bool
	running     string // id of the running task
	failedStart string // id of a task that could not be started because the write failed; its row may say running
}

// TaskOptions limit the number and size of tasks. The zero value is ready for use.
type TaskOptions struct {
	Location        *time.Location // for displayed times; nil means [time.Local]
	MaxPerPrincipal int            // open tasks of one person, or of one chat if there is no person; 0 means 20
	MaxTotal        int            // open tasks of all persona turns, and separately of the agent; 0 means 200
	MaxText         int            // characters of the four texts of a task, and of a reflection; 0 means 2000
	MaxHistory      int            // ended tasks to keep; 0 means 100
	CondenseAt      int            // size of the history in characters that requires condensing; 0 means 8000
}

// A task is the copy of a row in memory.
type task struct{ Task }

func (t *task) key() string { return t.ID }
func (t *task) row() any    { return &t.Task }

// compare sorts open tasks first, by ScheduledAt. Ended tasks follow, by FinishedAt.
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

// NewTasks returns tasks that are stored in s. It reads nothing. Call [Tasks.Restore] before any other method.
func NewTasks(s persona.State, o TaskOptions) *Tasks {
	o.Location = cmp.Or(o.Location, time.Local)
	o.MaxPerPrincipal, o.MaxTotal, o.MaxText = cmp.Or(o.MaxPerPrincipal, 20), cmp.Or(o.MaxTotal, 200), cmp.Or(o.MaxText, 2000)
	o.MaxHistory, o.CondenseAt = cmp.Or(o.MaxHistory, 100), cmp.Or(o.CondenseAt, 8000)
	c := &Tasks{options: o}
	c.table = table[*task]{state: s, prefix: "task/", idPrefix: "s", read: c.read, writer: make(chan struct{}, 1)}
	return c
}

// Restore reads the rows and marks running tasks as outdated. It returns the rows that cannot be parsed.
func (s *Tasks) Restore(ctx context.Context) ([]*RowError, error) {
	return s.table.restore(ctx)
}

// Add plans a task with the rights of its Origin. A zero ScheduledAt means now. Add sets the fields from CreatedAt on.
// A human has approved the tools in Allowed.Tools for this time and [Task.Text]. Add returns [ErrTooMany] or
// [ErrTooLong] if a limit is exceeded, and [ErrPast] if the task would be outdated before it can run.
func (s *Tasks) Add(ctx context.Context, now time.Time, t Task) (Task, error) {
	made := s.newTask(t, now, t.ScheduledAt, t.OutdatedAt)
	if made.ScheduledAt.IsZero() {
		made.ScheduledAt = made.CreatedAt
	}
	made.Allowed = newGrant(t.Allowed.Tools, made.when(), made.Text())
	if err := made.check(now, s.options.MaxText); err != nil {
		return Task{}, err
	}
	err := s.table.change(ctx, func(c *tableChange[*task]) error {
		if err := s.checkLimits(c.all, made.Origin); err != nil {
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

// newTask returns a new task with the content of t.
func (s *Tasks) newTask(t Task, now, at, outdatedAt time.Time) Task {
	loc := s.options.Location
	return Task{
		Title: t.Title, Motivation: t.Motivation, Plan: t.Plan, ExpectedOutcome: t.ExpectedOutcome,
		Priority: t.Priority, Origin: t.Origin, ScheduledAt: local(at, loc), OutdatedAt: local(outdatedAt, loc), CreatedAt: local(now, loc),
	}
}

func (s *Tasks) checkLimits(all []*task, m Origin) error {
	own, mode := 0, 0
	for _, other := range all {
		switch {
		case other.Ended():
			continue
		case other.Origin.principalKey() == m.principalKey():
			own++
		}
		if other.Origin.Mode == m.Mode {
			mode++
		}
	}
	switch {
	case own >= s.options.MaxPerPrincipal:
		return fmt.Errorf("%w: %d tasks of one person or chat", ErrTooMany, own)
	case mode >= s.options.MaxTotal:
		return fmt.Errorf("%w: %d tasks", ErrTooMany, mode)
	}
	return nil
}

// Cancel cancels a task. It returns [ErrNotFound] if a turn with origin m cannot see the task. It returns a
// [*TransitionError] if the task is running or has ended.
func (s *Tasks) Cancel(ctx context.Context, now time.Time, m Origin, id string) error {
	return s.table.change(ctx, func(c *tableChange[*task]) error {
		old, ok := c.find(id)
		if !ok || !m.canSee(old.Origin) {
			return ErrNotFound
		}
		next := *old
		if s.isRunning(id) {
			return &TransitionError{id, old.Status, TaskCanceled, old.Ended()}
		}
		if err := next.transition(TaskCanceled); err != nil {
			return err
		}
		next.end(local(now, s.options.Location), ResultCanceled, nil)
		s.finish(c, &next)
		return nil
	})
}

// List returns the open tasks that a turn with origin m can see, by ScheduledAt. The agent sees all tasks, and a
// persona turn those of its chat. List returns nothing before [Tasks.Restore].
func (s *Tasks) List(m Origin) []Task {
	var list []Task
	for _, t := range s.table.view() {
		if !t.Ended() && m.canSee(t.Origin) {
			list = append(list, t.Task)
		}
	}
	return list
}

// Lookup returns a known task. It returns false before [Tasks.Restore].
func (s *Tasks) Lookup(id string) (Task, bool) {
	for _, t := range s.table.view() {
		if t.ID == id {
			return t.Task, true
		}
	}
	return Task{}, false
}

// SetBusy sets whether a conversation is active. No task is given out during a conversation.
func (s *Tasks) SetBusy(talking bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = talking
}

// idle reports whether a task may start.
func (s *Tasks) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.busy && s.running == ""
}

func (s *Tasks) isRunning(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running == id
}

// setRunning marks a task as running.
func (s *Tasks) setRunning(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.failedStart = id, ""
}

// clearRunning marks a task as no longer running.
func (s *Tasks) clearRunning(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == id {
		s.running = ""
	}
}
