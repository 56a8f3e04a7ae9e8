package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Next says when there is something to do next, a time that may be past. It is false when there is nothing, or when
// something has to end first: a talk, or the task that is out. It knows nothing before [Tasks.Restore].
func (s *Tasks) Next() (time.Time, bool) {
	all := s.shelf.view()
	if !s.free() || len(all) == 0 || all[0].Ended() {
		return time.Time{}, false
	}
	return all[0].ScheduledAt, true // never after its OutdatedAt
}

// Due moves the tasks on to now and gives the one to see to, if there is one and nothing else is going on: a running
// one, to be done, or an outdated one, to be told. What it gives is durable. End it by [Tasks.Done].
func (s *Tasks) Due(ctx context.Context, now time.Time) (Task, bool, error) {
	now = local(now, s.limits.Location)
	var due *task
	err := s.shelf.change(ctx, func(c *shelving[*task]) error {
		if !s.free() {
			return nil
		}
		open := make([]*task, 0, len(c.all))
		for _, t := range c.all {
			if t.Ended() {
				break
			}
			if next := t.at(now); next != t {
				c.set(next)
				t = next
			}
			open = append(open, t)
		}
		if due = s.pick(c, open, now); due != nil {
			s.giveOut(due.ID) // with the shelf's token, so that no other is picked meanwhile
		}
		return nil
	})
	if err != nil && due != nil {
		s.mu.Lock()
		s.out, s.tried = "", due.ID
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

// at gives the task as time has made it.
func (t *task) at(now time.Time) *task {
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
	_ = next.move(status) // scheduled may become any of these
	return &next
}

// pick gives the task that is to be given out, as it is then.
func (s *Tasks) pick(c *shelving[*task], open []*task, now time.Time) *task {
	if len(open) == 0 {
		return nil
	}
	first := slices.MinFunc(open, earlier)
	next := *first
	switch first.Status {
	case TaskRunning: // writing failed, and yet it was written
		return first
	case TaskOutdated:
		if next.TimesReported++; next.TimesReported >= maxStarts { // the last try: it is not told again
			next.end(now, ResultOutdated, nil)
			s.finish(c, &next)
		}
	case TaskPending:
		_ = next.move(TaskRunning)
		next.StartedAt = now
	default:
		return nil
	}
	c.set(&next)
	return &next
}

// earlier is the order in which open tasks are given out.
func earlier(a, b *task) int {
	if a.Status != b.Status {
		return cmp.Compare(urgency[b.Status], urgency[a.Status])
	}
	if a.Status == TaskOutdated {
		return cmp.Or(a.outdated().Compare(b.outdated()), a.compare(b))
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.compare(b))
}

var urgency = [...]int{TaskRunning: 3, TaskOutdated: 2, TaskPending: 1, TaskScheduled: 0}

// outdated is when an outdated task became so.
func (t *task) outdated() time.Time {
	if t.OutdatedAt.IsZero() {
		return t.ScheduledAt // it was interrupted
	}
	return t.OutdatedAt
}

// Done ends the task that is out: a running one is accomplished, with an error or without, an outdated one has been
// told. It gives a [*TransitionError] for a task that is not out, and [ErrNotFound].
func (s *Tasks) Done(ctx context.Context, now time.Time, id string, failure error) error {
	err := s.shelf.change(ctx, func(c *shelving[*task]) error {
		old, ok := c.find(id)
		out := s.isOut(id)
		switch {
		case out && (!ok || old.Ended()): // forgotten meanwhile, or it had its last try
			return nil
		case !ok:
			return ErrNotFound
		case !out:
			return &TransitionError{id, old.Status, TaskAccomplished, old.Ended()}
		}
		next, result := *old, ResultOutdated
		if old.Status == TaskRunning {
			result = ResultExecuted
			_ = next.move(TaskAccomplished)
		} else {
			failure = nil
		}
		next.end(local(now, s.limits.Location), result, failure)
		s.finish(c, &next)
		return nil
	})
	if err == nil {
		s.giveBack(id)
	}
	return err
}

const maxRounds = 3

// Reschedule plans an outdated task anew, with the texts, the priority and the rights that it had. Of one task it does so
// once: asked again, it gives what it made. It gives a [*TransitionError] for a task that is not outdated, and
// [ErrTooMany] for one that has been taken up three times, or as [Tasks.Add] does.
func (s *Tasks) Reschedule(ctx context.Context, now time.Time, id string, at, outdatedAt time.Time) (Task, error) {
	var made Task
	err := s.shelf.change(ctx, func(c *shelving[*task]) error {
		old, ok := c.find(id)
		switch {
		case !ok:
			return ErrNotFound
		case old.Status != TaskOutdated:
			return &TransitionError{id, old.Status, TaskScheduled, old.Ended()}
		case old.RescheduleCount >= maxRounds:
			return fmt.Errorf("%w: task %s was taken up %d times", ErrTooMany, id, old.RescheduleCount)
		}
		if i := slices.IndexFunc(c.all, func(t *task) bool { return t.RescheduledFrom == id }); i >= 0 {
			made = c.all[i].Task
			return nil
		}
		made = s.planned(old.Task, now, at, outdatedAt)
		made.RescheduledFrom, made.RescheduleCount = id, old.RescheduleCount+1
		if err := cmp.Or(made.check(now, s.limits.MaxText), s.room(c.all, made.Origin)); err != nil {
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
