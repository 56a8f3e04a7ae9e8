package autonomy

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// turnOrigin returns the origin of the calling turn. New timers and tasks store it, and it selects the ones that the
// turn can see. A tool's implementation decides which of these the turn may change.
func turnOrigin(ctx context.Context) (schedule.Origin, error) {
	l := engine.TurnFrom(ctx).LabelFor(engine.DatumPlan)
	m, err := principalOrigin(ctx, l.IsTrusted())
	if l != engine.PlanLabel(m) {
		m.Label = l.String()
	}
	return m, err
}

// principalOrigin is turnOrigin without the label.
func principalOrigin(ctx context.Context, trusted bool) (schedule.Origin, error) {
	p, _ := nit.PrincipalFrom(ctx)
	switch {
	case p.Mode == nit.ModeAgent:
		t := engine.TurnFrom(ctx)
		restricted := !trusted || t.Tools.Tiers()&nit.L3 == 0 || t.Wake != nil && t.Wake.Origin.Restricted
		return schedule.Origin{Mode: persona.Agent, Restricted: restricted}, nil
	case p.Session == persona.OwnerSession && p.Mode != nit.ModePersona: // the owner's side, in the background
		return schedule.Origin{Mode: persona.Agent, Restricted: true}, nil
	case p.Session == "":
		return schedule.Origin{Restricted: true}, nil
	}
	chat, err := persona.ParseSource(p.Platform, p.Session)
	m := schedule.Origin{Chat: chat}
	if p.Person != "" {
		m.Person = persona.Account{Platform: p.Platform, ID: p.Person}
	}
	return m, err
}

// readPlan reports whether a turn may be shown the text of a plan, and if so marks the plan's label as read.
func readPlan(t *engine.Turn, m schedule.Origin) bool {
	l := engine.PlanLabel(m)
	if !t.MayRead(engine.DatumPlan, l) {
		return false
	}
	t.MarkRead(l)
	return true
}

// allOrigins is an origin that sees all timers and tasks.
var allOrigins = schedule.Origin{Mode: persona.Agent}

// change runs a change to timers or tasks with the origin of the calling turn.
func (a *Autonomy) change(ctx context.Context, change func(who schedule.Origin) error) error {
	who, err := turnOrigin(ctx)
	if err != nil {
		return err
	}
	err = change(who)
	a.loop.Wake()
	return modelError(err)
}

// warnRestricted notifies the owner at once that a new timer or task will have no tools with side effects: the turn had
// read text of others, and a human refused the tools or nobody could be asked.
func (a *Autonomy) warnRestricted(ctx context.Context, what string, refused bool) {
	if refused || engine.TurnFrom(ctx).HasLostTools() {
		a.engine.NotifyOwner(ctx, engine.Notice{Text: "「" + clip.Ellipsis(engine.QuoteLine(what), 40) + "」是看过别人的话之后定下的，到时候不能动电脑。要它能，就直接再说一遍。"})
	}
}

// modelError adds a message for the model to errors that the tools do not explain.
func modelError(err error) error {
	var begun *schedule.TransitionError
	switch {
	case errors.Is(err, schedule.ErrTooLong):
		return errors.Join(nit.ModelError("写得太长了"), err)
	case errors.Is(err, schedule.ErrNotFound):
		return errors.Join(nit.ModelError("没有这个 id"), err)
	case errors.As(err, &begun):
		return errors.Join(nit.ModelError("这件事已经开始做了，或者已经结束了"), err)
	}
	return err
}

// taskAdapter implements self.Schedule.
type taskAdapter struct{ *Autonomy }

func (p taskAdapter) Add(ctx context.Context, t schedule.Task, tools []string) (schedule.Task, error) {
	var refused bool
	err := p.change(ctx, func(who schedule.Origin) (err error) {
		if who.Mode != persona.Agent {
			t.Priority = min(t.Priority, 0) // nobody else overtakes the owner's tasks
		}
		when := t.ScheduledAt.In(p.o.Tasks.Location).Format(time.DateTime)
		t.Origin = who
		t.Allowed.Tools, refused = p.confirmTools(ctx, tools, when, t.Text())
		t, err = p.tasks.Add(ctx, time.Now(), t)
		return err
	})
	if err == nil {
		p.warnRestricted(ctx, t.Title, refused)
	}
	return t, err
}

// errNotThisTask is the error for tasks that the calling turn does not report as missed.
var errNotThisTask = errors.Join(nit.ModelError("只有这一轮说的没赶上的那件事能原样改期"), schedule.ErrNotFound)

// Reschedule implements [self.Schedule]. The new task has the texts, the origin and therefore the rights of the missed
// task. Tools that a human allowed are lost, because the permission holds for one time only. If the turn has read more
// than the task's own label covers, the new task is an ordinary one with the rights and the label of this turn.
func (p taskAdapter) Reschedule(ctx context.Context, id string, at, outdatedAt time.Time) (made schedule.Task, err error) {
	t := engine.TurnFrom(ctx)
	if t == nil || t.Wake == nil || t.Wake.Kind != schedule.WakeOutdated || t.Wake.Task.ID != id {
		return made, errNotThisTask
	}
	old := t.Wake.Task
	label := engine.PlanLabel(old.Origin)
	if label.Join(t.LabelFor(engine.DatumPlan)) != label {
		old.ScheduledAt, old.OutdatedAt, old.Allowed = at, outdatedAt, schedule.Grant{}
		return p.Add(ctx, old, nil)
	}
	err = p.change(ctx, func(schedule.Origin) (err error) {
		made, err = p.tasks.Reschedule(ctx, time.Now(), id, at, outdatedAt)
		return err
	})
	if err == nil && len(old.Allowed.Tools) > 0 {
		p.engine.NotifyOwner(ctx, engine.Notice{Text: "「" + clip.Ellipsis(engine.QuoteLine(old.Title), 40) + "」没赶上，改到了后面。原来批准的工具只对原来的时间有效，到时候用不了；要用，就再说一遍。"})
	}
	return made, err
}

// List returns the tasks. The tool only looks up ids in them and shows no text.
func (p taskAdapter) List(ctx context.Context) ([]schedule.Task, error) {
	who, err := turnOrigin(ctx)
	return p.tasks.List(who), err
}

func (p taskAdapter) Cancel(ctx context.Context, id string) error {
	return p.change(ctx, func(who schedule.Origin) error { return p.tasks.Cancel(ctx, time.Now(), who, id) })
}

// timerAdapter implements self.Timers.
type timerAdapter struct{ *Autonomy }

func (a timerAdapter) Set(ctx context.Context, spec, payload string, tools []string) (t schedule.Timer, err error) {
	var refused bool
	err = a.change(ctx, func(who schedule.Origin) (err error) {
		tools, refused = a.confirmTools(ctx, tools, spec, payload)
		t, err = a.timers.Set(ctx, time.Now(), who, spec, payload, tools...)
		return err
	})
	if err == nil {
		a.warnRestricted(ctx, payload, refused)
	}
	return t, err
}

// List returns the timers. Text that the turn may not read is replaced by a stub.
func (a timerAdapter) List(ctx context.Context) ([]schedule.Timer, error) {
	who, err := turnOrigin(ctx)
	list := a.timers.List(who)
	for i := range list {
		if t := engine.TurnFrom(ctx); t != nil && !readPlan(t, list[i].Origin) {
			list[i].Payload = engine.Placeholder(engine.PlanLabel(list[i].Origin))
		}
	}
	return list, err
}

func (a timerAdapter) Cancel(ctx context.Context, id string) error {
	return a.change(ctx, func(who schedule.Origin) error { return a.timers.Cancel(ctx, who, id) })
}
