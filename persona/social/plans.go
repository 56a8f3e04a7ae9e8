package social

import (
	"context"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/autonomy"
)

// Agenda returns the bot's plans, for the owner only: the texts may come from any chat. It is empty without
// Options.Background.Autonomy. It waits until [Bot.Run] has started.
func (b *Bot) Agenda(ctx context.Context) (Agenda, error) {
	if b.days == nil {
		return Agenda{}, nil
	}
	a, err := b.days.Agenda(ctx)
	plans := Agenda{
		Timers: a.Timers, Planned: a.Planned, Past: a.Past, Documents: a.Documents, InnerState: a.InnerState, GlobalReflection: a.GlobalReflection, Conversations: a.Conversations,
	}
	for _, w := range a.Wakes {
		plans.Wakes = append(plans.Wakes, PastWake(w))
	}
	return plans, err
}

// CancelPlan cancels a timer or a task by its ID. A timer that is firing and a task that runs end as usual; the timer does not fire again. The
// error matches [schedule.ErrNotFound] for an unknown id, and is a [*schedule.TransitionError] for a task that runs or has
// ended. It waits until [Bot.Run] has started.
func (b *Bot) CancelPlan(ctx context.Context, id string) error {
	if b.days == nil {
		return ErrNoAutonomy
	}
	err := autonomy.CancelPlan(ctx, b.days, id)
	if err == nil {
		b.note(ctx, Change{Field: planField(id), Subject: id, New: "canceled"})
	}
	return err
}

// PostponeTask moves a task that waits to another time: see [schedule.Tasks.Postpone]. It waits until [Bot.Run] has started.
func (b *Bot) PostponeTask(ctx context.Context, id string, at time.Time) (schedule.Task, error) {
	if b.days == nil {
		return schedule.Task{}, ErrNoAutonomy
	}
	t, err := autonomy.PostponeTask(ctx, b.days, id, at)
	if err == nil {
		b.note(ctx, Change{Field: planField(id), Subject: id, New: t.ScheduledAt.Format(time.RFC3339)})
	}
	return t, err
}

// planField returns the field of a change of a timer or a task.
func planField(id string) string {
	if strings.HasPrefix(id, "t") {
		return "timer"
	}
	return "task"
}
