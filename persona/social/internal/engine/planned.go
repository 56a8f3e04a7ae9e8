package engine

import (
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
)

// PlanLabel is the label of the words of a task or a timer. Those of a chat are never trusted, whatever the row says.
func PlanLabel(m persona.Maker) memory.Label {
	var l memory.Label
	if l.UnmarshalText([]byte(m.Label)) != nil {
		return memory.OwnerOnly()
	}
	least := memory.Untrusted()
	switch {
	case m.Mode == persona.Agent && !l.IsZero():
		return l
	case m.Mode == persona.Agent && !m.Shed:
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

// wakeLabel is the label of a turn that was set going. Where a human has seen what it is to do, and allowed tools for it, the
// words are endorsed.
func wakeLabel(w *persona.Wake) memory.Label {
	l := PlanLabel(w.Maker)
	if w.Maker.Mode == persona.Agent && len(w.Allowed()) > 0 {
		_ = l.UnmarshalText([]byte("T" + l.String()[1:])) // of a label that is set: it cannot fail
	}
	return l
}
