package main

import (
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// stateOf returns the new state of a chat in a trace, or "" if the trace is no change of state.
func (v variant) stateOf(t heartflow.Trace) string {
	switch {
	case t.Kind != heartflow.KindState:
		return ""
	case v.flow == nil:
		return t.State.String()
	case len(t.Why) > 0 && (t.Why[0] == hfc.WhyAbsent || t.Why[0] == hfc.WhyChat || t.Why[0] == hfc.WhyFocused):
		return string(t.Why[0])
	}
	return ""
}
