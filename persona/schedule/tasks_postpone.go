package schedule

import (
	"context"
	"time"
)

// Postpone moves a task that waits to another time, and its OutdatedAt by the same duration. The task keeps its id. A
// [Grant] allows nothing at another time, so the task loses its Allowed. Postpone returns [ErrNotFound] if a turn with
// origin m cannot see the task, a [*TransitionError] if it has begun, has ended or was missed, and [ErrPast] if at is not
// after now.
func (s *Tasks) Postpone(ctx context.Context, now time.Time, m Origin, id string, at time.Time) (Task, error) {
	if !at.After(now) {
		return Task{}, ErrPast
	}
	var made Task
	err := s.table.change(ctx, func(c *tableChange[*task]) error {
		old, ok := c.find(id)
		switch {
		case !ok || !m.canSee(old.Origin):
			return ErrNotFound
		case s.isRunning(id) || old.Ended() || old.Status > TaskPending:
			return &TransitionError{id, old.Status, TaskScheduled, old.Ended()}
		}
		next := *old
		if !old.OutdatedAt.IsZero() {
			next.OutdatedAt = local(old.OutdatedAt.Add(at.Sub(old.ScheduledAt)), s.options.Location)
		}
		next.ScheduledAt, next.Status, next.Allowed = local(at, s.options.Location), TaskScheduled, Grant{}
		if err := next.check(now, s.options.MaxText); err != nil {
			return err
		}
		c.set(&next)
		made = next.Task
		return nil
	})
	if err != nil {
		return Task{}, err
	}
	return made, nil
}
