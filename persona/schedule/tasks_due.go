package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Next returns the time of the next task or change of a status. The time may be in the past. During a conversation and
// while a task runs, only statuses change. ok is false if there is nothing to wait for. Next knows nothing before
// [Tasks.Restore].
func (s *Tasks) Next() (time.Time, bool) {
	next, start := s.next(atScheduledTime)
	start.add(next.at, next.ok)
	return start.at, start.ok
}

// A startFunc returns the time from which a task may be given out. ok is false if it must wait for something else.
type startFunc func(*task) (at time.Time, ok bool)

func atScheduledTime(t *task) (time.Time, bool) { return t.ScheduledAt, true }

// next returns the time of the next change of a status, and the time at which a task may be given out.
func (s *Tasks) next(start startFunc) (change, give earliest) {
	idle := s.idle()
	for _, t := range s.table.view() {
		if t.Ended() {
			break
		}
		change.add(t.nextStatusChange())
		if idle {
			give.add(start(t))
		}
		if t.Status == TaskScheduled {
			break // nothing happens earlier to the tasks behind it
		}
	}
	return change, give
}

// nextStatusChange returns the time at which the status of an open task changes without anybody's doing.
func (t *task) nextStatusChange() (time.Time, bool) {
	switch t.Status {
	case TaskScheduled:
		return t.ScheduledAt, true // never after OutdatedAt
	case TaskPending:
		return t.OutdatedAt, !t.OutdatedAt.IsZero()
	}
	return time.Time{}, false
}

// Due updates the statuses to now and returns the next task. It returns false if there is none, during a conversation,
// or if another task runs. A returned task is either running (run it) or outdated (report it). The change is durable.
// End the task with [Tasks.Done].
func (s *Tasks) Due(ctx context.Context, now time.Time) (Task, bool, error) {
	return s.due(ctx, now, func(*task) (at time.Time, ok bool) { return at, true })
}

// due is Due for the tasks that start permits.
func (s *Tasks) due(ctx context.Context, now time.Time, start startFunc) (Task, bool, error) {
	now = local(now, s.options.Location)
	var due *task
	err := s.table.change(ctx, func(c *tableChange[*task]) error {
		open := make([]*task, 0, len(c.all))
		for _, t := range c.all {
			if t.Ended() {
				break
			}
			if next := t.withStatusAt(now); next != t {
				c.set(next)
				t = next
			}
			if at, ok := start(t); ok && !at.After(now) {
				open = append(open, t)
			}
		}
		if !s.idle() {
			return nil
		}
		if due = s.pick(c, open, now); due != nil {
			s.setRunning(due.ID) // with the writer's token, so that no other task is picked
		}
		return nil
	})
	if err != nil && due != nil {
		s.mu.Lock()
		s.running, s.failedStart = "", due.ID
		s.mu.Unlock()
	}
	if err != nil {
		return Task{}, false, err
	}
	if due == nil {
		return Task{}, false, nil
	}
	return due.Task, true, nil
}

// withStatusAt returns the task with its status at now.
func (t *task) withStatusAt(now time.Time) *task {
	status := t.Status
	if status == TaskScheduled && !now.Before(t.ScheduledAt) {
		status = TaskPending
	}
	if status <= TaskPending && !t.OutdatedAt.IsZero() && !now.Before(t.OutdatedAt) {
		status = TaskOutdated
	}
	if status == t.Status {
		return t
	}
	next := *t
	_ = next.transition(status) // TaskScheduled may become any of these
	return &next
}

// pick returns the task to give out, after the change of its status.
func (s *Tasks) pick(c *tableChange[*task], open []*task, now time.Time) *task {
	if len(open) == 0 {
		return nil
	}
	first := slices.MinFunc(open, compareDue)
	next := *first
	switch first.Status {
	case TaskRunning: // a write failed, but the row was written
		return first
	case TaskOutdated:
		if next.TimesReported++; next.TimesReported >= maxStarts { // the last report: it is not returned again
			next.end(now, ResultOutdated, nil)
			s.finish(c, &next)
		}
	case TaskPending:
		_ = next.transition(TaskRunning)
		next.StartedAt = now
	default:
		return nil
	}
	c.set(&next)
	return &next
}

// compareDue is the order in which open tasks are given out.
func compareDue(a, b *task) int {
	if a.Status != b.Status {
		return cmp.Compare(statusRank[b.Status], statusRank[a.Status])
	}
	if a.Status == TaskOutdated {
		return cmp.Or(a.outdatedAt().Compare(b.outdatedAt()), a.compare(b))
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.compare(b))
}

var statusRank = [...]int{TaskRunning: 3, TaskOutdated: 2, TaskPending: 1, TaskScheduled: 0}

// outdatedAt returns the time at which the task became outdated.
func (t *task) outdatedAt() time.Time {
	if t.OutdatedAt.IsZero() {
		return t.ScheduledAt // interrupted by a crash
	}
	return t.OutdatedAt
}

// Done ends the task that Due returned. A running task becomes accomplished, with or without an error. An outdated task
// counts as reported. Done returns a [*TransitionError] for a task that Due did not return, and [ErrNotFound].
func (s *Tasks) Done(ctx context.Context, now time.Time, id string, failure error) error {
	err := s.table.change(ctx, func(c *tableChange[*task]) error {
		old, ok := c.find(id)
		out := s.isRunning(id)
		switch {
		case out && (!ok || old.Ended()): // forgotten while it ran, or reported for the last time
			return nil
		case !ok:
			return ErrNotFound
		case !out:
			return &TransitionError{id, old.Status, TaskAccomplished, old.Ended()}
		}
		next, result := *old, ResultOutdated
		if old.Status == TaskRunning {
			result = ResultExecuted
			_ = next.transition(TaskAccomplished)
		} else {
			failure = nil
		}
		next.end(local(now, s.options.Location), result, failure)
		s.finish(c, &next)
		return nil
	})
	if err == nil {
		s.clearRunning(id)
	}
	return err
}

const maxReschedules = 3

// Reschedule creates a new task from an outdated one, with the same texts, priority and rights. It is idempotent: a
// second call returns the same new task. It returns a [*TransitionError] if the task is not outdated. It returns
// [ErrTooMany] after three reschedules, and at the limits of [Tasks.Add].
func (s *Tasks) Reschedule(ctx context.Context, now time.Time, id string, at, outdatedAt time.Time) (Task, error) {
	var made Task
	err := s.table.change(ctx, func(c *tableChange[*task]) error {
		old, ok := c.find(id)
		switch {
		case !ok:
			return ErrNotFound
		case old.Status != TaskOutdated:
			return &TransitionError{id, old.Status, TaskScheduled, old.Ended()}
		case old.RescheduleCount >= maxReschedules:
			return fmt.Errorf("%w: task %s was rescheduled %d times", ErrTooMany, id, old.RescheduleCount)
		}
		if i := slices.IndexFunc(c.all, func(t *task) bool { return t.RescheduledFrom == id }); i >= 0 {
			made = c.all[i].Task
			return nil
		}
		made = s.newTask(old.Task, now, at, outdatedAt)
		made.RescheduledFrom, made.RescheduleCount = id, old.RescheduleCount+1
		if err := cmp.Or(made.check(now, s.options.MaxText), s.checkLimits(c.all, made.Origin)); err != nil {
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
