package engine

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
)

// PlanLabel is the label of the words of a task or a timer. Those of a chat are never trusted, whatever the row says.
func PlanLabel(m schedule.Origin) memory.Label {
	var l memory.Label
	if l.UnmarshalText([]byte(m.Label)) != nil {
		return memory.OwnerOnly()
	}
	least := memory.Untrusted()
	switch {
	case m.Mode == persona.Agent && !l.IsZero():
		return l
	case m.Mode == persona.Agent && !m.Restricted:
		return memory.Trusted(memory.Owner)
	case m.Mode == persona.Agent:
		return memory.Untrusted(memory.Owner)
	case m.Chat != (persona.Chat{}):
		least = memory.Untrusted(memory.Space(m.Chat.String()))
	}
	if l.IsZero() {
		return least
	}
	return l.Join(least)
}

// granted reports that a human has seen what a turn of the owner's was set going for, and allowed tools for it.
func (j *Job) granted() bool {
	return j.Wake != nil && j.Wake.Origin.Mode == persona.Agent && len(j.Wake.AllowedTools()) > 0
}

// endorsed is a label of the same spaces that is trusted.
func endorsed(l memory.Label) memory.Label {
	_ = l.UnmarshalText([]byte("T" + l.String()[1:])) // of a label that is set: it cannot fail
	return l
}
