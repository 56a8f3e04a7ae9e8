package heartflow

import "github.com/hearth-bot/hearth/heartflow/internal/enum"

// State is how a chat is perceived.
type State uint8

const (
	Observing State = iota // listening; the state of a chat that nothing happened in
	Addressed              // called, and the call is neither answered nor dropped nor too old
	Active                 // it spoke a short while ago and follows the talk
	Offline                // closed or asleep: it hears, and neither asks a model nor speaks
)

// String returns observing, summoned, active or offline.
func (s State) String() string {
	return enum.Name(s, "State", "observing", "summoned", "active", "offline")
}

// Decision is what a [Verdict] says to do.
type Decision uint8

const (
	Silent Decision = iota // nothing
	Ask                    // a model should decide, and may still choose silence
	Speak                  // say something; only how is open
)

// String returns silent, ask or speak.
func (d Decision) String() string {
	return enum.Name(d, "Decision", "silent", "ask", "speak")
}
