package autonomy

import (
	"context"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// An Agenda holds the timers, tasks, documents and inner states of the bot, and what it did by itself. It is documented in
// package social.
type Agenda struct {
	Timers           []schedule.Timer
	Planned          []schedule.Task
	Past             []schedule.Task
	Documents        []prompt.Document
	InnerState       string
	GlobalReflection string
	Conversations    []schedule.Conversation
	Wakes            []PastWake
}

// Agenda returns the current agenda. Its texts may come from any chat, so only the owner may see them.
func (a *Autonomy) Agenda(ctx context.Context) (agenda Agenda, err error) {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return agenda, err
	}
	agenda = Agenda{Timers: a.timers.List(allOrigins), Planned: a.tasks.List(allOrigins), Past: a.tasks.History(), Conversations: a.planner.Conversations(), Wakes: a.wakes.list()}
	if agenda.Documents, err = a.documents.all(ctx); err != nil {
		return agenda, err
	}
	parts, err := a.hearsay(ctx)
	if err != nil {
		return agenda, err
	}
	if len(parts) > 0 {
		agenda.Documents = append(agenda.Documents, prompt.Document{Name: self.HearsayNotes, Text: a.hearsayText(parts)})
	}
	inner, err := a.engine.Memory.Notes(memory.Owner).InnerState(ctx)
	if err != nil {
		return agenda, err
	}
	mind, err := a.engine.Memory.Notes(memory.Self).InnerState(ctx)
	agenda.InnerState, agenda.GlobalReflection = inner.Text, mind.Text
	return agenda, err
}
