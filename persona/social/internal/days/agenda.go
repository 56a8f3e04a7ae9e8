package days

import (
	"context"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// An Agenda is what a being has set itself to do, and what became of it.
type Agenda struct {
	Timers           []schedule.Timer
	Planned          []schedule.Task
	Past             []schedule.Task
	Documents        []prompt.Document
	InnerState       string
	GlobalReflection string
}

// Agenda returns it, for the owner's eyes: the texts may come from any chat.
func (d *Days) Agenda(ctx context.Context) (a Agenda, err error) {
	if err := d.engine.Begun(ctx); err != nil {
		return a, err
	}
	a = Agenda{Timers: d.timers.List(everyone), Planned: d.schedule.List(everyone), Past: d.schedule.History()}
	if a.Documents, err = d.papers.all(ctx); err != nil {
		return a, err
	}
	parts, err := d.heard(ctx)
	if err != nil {
		return a, err
	}
	if len(parts) > 0 {
		a.Documents = append(a.Documents, prompt.Document{Name: self.HearsayNotes, Text: d.heardText(parts)})
	}
	inner, err := d.engine.Memory.Notes(memory.Owner).InnerState(ctx)
	if err != nil {
		return a, err
	}
	mind, err := d.engine.Memory.Notes(memory.Self).InnerState(ctx)
	a.InnerState, a.GlobalReflection = inner.Text, mind.Text
	return a, err
}
