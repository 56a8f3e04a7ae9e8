package heartflow

import "github.com/hearth-bot/hearth/heartflow/internal/enum"

// State is the bot's attention to a chat.
type State uint8

const (
	Observing State = iota // the default: the bot only listens
	Addressed              // a message to the bot is neither answered nor dropped nor stale
	Active                 // the bot spoke recently and follows the conversation
	Offline                // asleep: the bot receives messages, but neither asks a model nor speaks
)

// String returns observing, summoned, active or offline. Addressed is summoned, because prompts and logs use that
// name.
func (s State) String() string {
	return enum.Name(s, "State", "observing", "summoned", "active", "offline")
}

// Decision is the action of a [Verdict].
type Decision uint8

const (
	Silent Decision = iota // do nothing
	Ask                    // let a model decide; it may choose silence
	Speak                  // send a reply; a model decides only about its text
)

// String returns silent, ask or speak.
func (d Decision) String() string {
	return enum.Name(d, "Decision", "silent", "ask", "speak")
}
