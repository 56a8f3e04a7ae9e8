package days

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

// makerOf is the turn of a tool as what it sets going carries it, and as it sees what was set going. Of these the tool
// knows which it may touch.
func makerOf(ctx context.Context) (schedule.Origin, error) {
	l := engine.TurnFrom(ctx).Bear(engine.DatumPlan)
	m, err := originOf(ctx, l.IsTrusted())
	if l != engine.PlanLabel(m) {
		m.Label = l.String()
	}
	return m, err
}

// originOf is makerOf without the label.
func originOf(ctx context.Context, trusted bool) (schedule.Origin, error) {
	p, _ := nit.PrincipalFrom(ctx)
	switch {
	case p.Mode == nit.ModeAgent:
		t := engine.TurnFrom(ctx)
		shed := !trusted || t.Tools.Tiers()&nit.L3 == 0 || t.Wake != nil && t.Wake.Origin.Restricted
		return schedule.Origin{Mode: persona.Agent, Restricted: shed}, nil
	case p.Session == persona.OwnerSession && p.Mode != nit.ModePersona: // of the owner's side, in the background
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

// mayRead reports that a turn may be shown the words of a task, which it reads then.
func mayRead(t *engine.Turn, m schedule.Origin) bool {
	l := engine.PlanLabel(m)
	if !t.MayRead(engine.DatumPlan, l) {
		return false
	}
	t.Read(l)
	return true
}

// everyone's turn sees all.
var everyone = schedule.Origin{Mode: persona.Agent}

// as changes what is planned on behalf of a tool's turn.
func (d *Days) as(ctx context.Context, change func(who schedule.Origin) error) error {
	who, err := makerOf(ctx)
	if err != nil {
		return err
	}
	err = change(who)
	d.beat.Wake()
	return told(err)
}

// warn tells the owner at once that what they have set going will not be able to act on the computer: the turn that it comes
// from has read what others said, and a human refused the tools, or nobody could be asked.
func (d *Days) warn(ctx context.Context, what string, refused bool) {
	if refused || engine.TurnFrom(ctx).Disarmed() {
		d.engine.NotifyOwner(ctx, "「"+clip.Ellipsis(engine.Line(what), 40)+"」是看过别人的话之后定下的，到时候不能动电脑。要它能，就直接再说一遍。")
	}
}

// told is err as the model is told it, where the tools have no words of their own.
func told(err error) error {
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

// plans are the schedule as a tool's.
type plans struct{ *Days }

// Add implements [self.Schedule].
func (p plans) Add(ctx context.Context, t schedule.Task, tools []string) (schedule.Task, error) {
	var refused bool
	err := p.as(ctx, func(who schedule.Origin) (err error) {
		when := t.ScheduledAt.In(p.o.Tasks.Location).Format(time.DateTime)
		t.Origin = who
		t.Allowed.Tools, refused = p.allow(ctx, tools, when, t.Text())
		t, err = p.schedule.Add(ctx, time.Now(), t)
		return err
	})
	if err == nil {
		p.warn(ctx, t.Title, refused)
	}
	return t, err
}

// List implements [self.Schedule]. The turn is shown none of the words.
func (p plans) List(ctx context.Context) ([]schedule.Task, error) {
	who, err := makerOf(ctx)
	return p.schedule.List(who), err
}

// Cancel implements [self.Schedule].
func (p plans) Cancel(ctx context.Context, id string) error {
	return p.as(ctx, func(who schedule.Origin) error { return p.schedule.Cancel(ctx, time.Now(), who, id) })
}

// alarms are the timers as a tool's.
type alarms struct{ *Days }

// Set implements [self.Timers].
func (a alarms) Set(ctx context.Context, spec, payload string, tools []string) (t schedule.Timer, err error) {
	var refused bool
	err = a.as(ctx, func(who schedule.Origin) (err error) {
		tools, refused = a.allow(ctx, tools, spec, payload)
		t, err = a.timers.Set(ctx, time.Now(), who, spec, payload, tools...)
		return err
	})
	if err == nil {
		a.warn(ctx, payload, refused)
	}
	return t, err
}

// List implements [self.Timers]. Of what the turn may not be shown it tells that it is there.
func (a alarms) List(ctx context.Context) ([]schedule.Timer, error) {
	who, err := makerOf(ctx)
	list := a.timers.List(who)
	for i := range list {
		if t := engine.TurnFrom(ctx); t != nil && !mayRead(t, list[i].Origin) {
			list[i].Payload = engine.Closed(engine.PlanLabel(list[i].Origin))
		}
	}
	return list, err
}

// Cancel implements [self.Timers].
func (a alarms) Cancel(ctx context.Context, id string) error {
	return a.as(ctx, func(who schedule.Origin) error { return a.timers.Cancel(ctx, who, id) })
}
