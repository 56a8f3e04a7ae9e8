package autonomy

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
)

// CancelPlan cancels a timer or a task for the host. It waits for the start.
func CancelPlan(ctx context.Context, a *Autonomy, id string) error {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return err
	}
	err := a.timers.Cancel(ctx, allOrigins, id)
	if errors.Is(err, schedule.ErrNotFound) {
		err = a.tasks.Cancel(ctx, time.Now(), allOrigins, id)
	}
	a.loop.Wake()
	return err
}

// PostponeTask moves a task for the host. It waits for the start.
func PostponeTask(ctx context.Context, a *Autonomy, id string, at time.Time) (schedule.Task, error) {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return schedule.Task{}, err
	}
	t, err := a.tasks.Postpone(ctx, time.Now(), allOrigins, id, at)
	a.loop.Wake()
	return t, err
}
