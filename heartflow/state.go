package heartflow

import "strconv"

// State is how a chat is perceived.
type State uint8

const (
	Observing State = iota // listening; the state of a chat that nothing happened in
	Summoned               // called, and the call is neither answered nor dropped nor too old
	Active                 // it spoke a short while ago and follows the talk
	Offline                // closed or asleep: it hears, and neither asks a model nor speaks
)

var stateNames = [...]string{"observing", "summoned", "active", "offline"}

// String returns observing, summoned, active or offline.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// Decision is what a [Verdict] says to do.
type Decision uint8

const (
	Silent Decision = iota // nothing
	Ask                    // a model should decide, and may still choose silence
	Speak                  // say something; only how is open
)

var decisionNames = [...]string{"silent", "ask", "speak"}

// String returns silent, ask or speak.
func (d Decision) String() string {
	if int(d) < len(decisionNames) {
		return decisionNames[d]
	}
	return "Decision(" + strconv.Itoa(int(d)) + ")"
}
