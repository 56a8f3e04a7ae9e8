package days

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// makerOf is the turn of a tool's principal as what it sets going carries it.
func makerOf(ctx context.Context, p nit.Principal) (persona.Maker, error) {
	switch {
	case p.Mode == nit.ModeAgent:
		t := engine.TurnFrom(ctx)
		shed := t == nil || t.Tools.Sees()&nit.L3 == 0 || t.Wake != nil && t.Wake.Maker.Shed
		return persona.Maker{Mode: persona.Agent, Shed: shed}, nil
	case p.Session == persona.SessionMaster && p.Mode != nit.ModePersona: // of the owner's side, in the background
		return persona.Maker{Mode: persona.Agent, Shed: true}, nil
	case p.Session == "":
		return persona.Maker{Shed: true}, nil
	}
	chat, err := persona.ParseSource(p.Platform, p.Session)
	m := persona.Maker{Chat: chat}
	if p.Person != "" {
		m.Person = persona.Account{Platform: p.Platform, ID: p.Person}
	}
	return m, err
}

// principalOf is the other way round, for tools that compare.
func principalOf(m persona.Maker) nit.Principal {
	switch {
	case m.Mode == persona.Agent:
		return nit.Principal{Mode: nit.ModeAgent, Session: persona.SessionMaster}
	case m.Chat == (persona.Chat{}):
		return nit.Principal{Mode: self.ModeLife}
	}
	return nit.Principal{Platform: m.Chat.Platform, Session: m.Chat.SourceID(), Person: m.Person.ID}
}

// told is err as the model is told it, where the tools have no words of their own.
func told(err error) error {
	switch {
	case errors.Is(err, persona.ErrTooLong):
		return errors.Join(nit.Tell("写得太长了"), err)
	case errors.Is(err, persona.ErrUnknown):
		return errors.Join(nit.Tell("没有这个 id"), err)
	}
	return err
}

// everyone's turn sees all.
var everyone = persona.Maker{Mode: persona.Agent}

// looking is as whom a tool's turn sees what was set going. Of these the tool knows which it may touch.
func looking(ctx context.Context) (persona.Maker, error) {
	p, _ := nit.PrincipalFrom(ctx)
	return makerOf(ctx, p)
}

// plans are the schedule as a tool's.
type plans struct{ *Days }

// Add implements [self.Schedule].
func (p plans) Add(ctx context.Context, t self.Task) (string, error) {
	maker, err := makerOf(ctx, t.For)
	if err != nil {
		return "", err
	}
	now := time.Now()
	task := persona.Task{Title: t.Title, Motivation: t.Motivation, Plan: t.Plan, ExpectedOutcome: t.Expected, Maker: maker, ScheduledAt: now.Add(t.In)}
	if t.Outdated > 0 {
		task.OutdatedAt = now.Add(t.Outdated)
	}
	task, err = p.schedule.Add(ctx, now, task)
	p.beat.Wake()
	return task.ID, told(err)
}

// Tasks implements [self.Schedule].
func (p plans) Tasks(ctx context.Context) (all []self.Task, _ error) {
	who, err := looking(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range p.schedule.List(who) {
		all = append(all, self.Task{ID: t.ID, For: principalOf(t.Maker), Title: t.Title})
	}
	return all, nil
}

// Delete implements [self.Schedule].
func (p plans) Delete(ctx context.Context, id string) error {
	who, err := looking(ctx)
	if err != nil {
		return err
	}
	err = p.schedule.Cancel(ctx, time.Now(), who, id)
	p.beat.Wake()
	var over *persona.TransitionError
	if errors.As(err, &over) {
		return errors.Join(nit.Tell("这件事已经开始做了，或者已经结束了"), err)
	}
	return told(err)
}

// alarms are the timers as a tool's.
type alarms struct{ *Days }

// Set implements [self.Timers].
func (a alarms) Set(ctx context.Context, t self.Timer) (self.Timer, error) {
	maker, err := makerOf(ctx, t.For)
	if err != nil {
		return t, err
	}
	set, err := a.timers.Set(ctx, time.Now(), maker, t.Spec, t.Text)
	a.beat.Wake()
	t.ID, t.Spec, t.Next = set.ID, set.Spec, set.Next
	return t, told(err)
}

// Timers implements [self.Timers].
func (a alarms) Timers(ctx context.Context) (all []self.Timer, _ error) {
	who, err := looking(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range a.timers.List(who) {
		if who.Mode == persona.Agent && t.Maker.Mode != persona.Agent {
			t.Payload = "" // strangers' words, perhaps
		}
		all = append(all, self.Timer{ID: t.ID, For: principalOf(t.Maker), Spec: t.Spec, Text: t.Payload, Next: t.Next})
	}
	return all, nil
}

// Cancel implements [self.Timers].
func (a alarms) Cancel(ctx context.Context, id string) error {
	who, err := looking(ctx)
	if err != nil {
		return err
	}
	err = a.timers.Cancel(ctx, who, id)
	a.beat.Wake()
	return told(err)
}
