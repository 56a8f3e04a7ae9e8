package main

import (
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// Additional steps of a bot with a Flow. Without a Flow they do nothing.

// runFlow runs what is due in the Flow. A turn that the Flow wants goes through the buffer like a message, so that each chat
// has one turn at a time.
func (r *simulator) runFlow(context.Context) error {
	for _, e := range r.flow.Due(r.now) {
		if e.Kind == hfc.TurnWanted {
			r.buffer.AddUrgent(r.now, e.Chat, &input{At: r.now, Chat: e.Chat, Wanted: e.Why})
		}
	}
	return nil
}

// messages returns the messages of a batch. The other items are turns that a Flow wants.
func messages(b buffer.Batch[string, *input]) []*input {
	return slices.DeleteFunc(slices.Clone(b.Items), func(a *input) bool { return a.Wanted != "" })
}

// wantedReason returns the reason for which a Flow wants the turn, or "" if it no longer does.
func (r *simulator) wantedReason(b buffer.Batch[string, *input]) heartflow.Code {
	for _, a := range b.Items {
		if a.Wanted != "" && (a.Wanted != hfc.WhyFocused || r.focused(b.Key)) {
			return a.Wanted
		}
	}
	return ""
}

func (r *simulator) focused(chat string) bool {
	return r.flow != nil && r.flow.ChatState(r.now, chat) == hfc.Focused
}

// cycleRest returns the time until the next cycle of a chat.
func (r *simulator) cycleRest(chat string) time.Duration {
	if r.flow == nil {
		return 0
	}
	return r.flow.RestTime(r.now, chat)
}

// state returns the state of a turn's chat and the interest in it.
func (r *simulator) state(t turn) (state string, level float64) {
	if r.flow == nil {
		return t.Verdict.State.String(), 0
	}
	level, _ = r.flow.Interest(r.now, t.Chat)
	return r.flow.ChatState(r.now, t.Chat).String(), level
}

// runCycle runs the cycle of a chat up to the reply, like a model that answers whenever there is a new message. id is the
// step of the reply. ok is false if there is no reply.
func (r *simulator) runCycle(t turn) (id uint64, ok bool) {
	unseen := len(t.Batch)
	for {
		ask, more := r.flow.NextStep(r.now, t.Chat)
		if !more {
			return 0, false
		}
		var did hfc.StepResult
		switch ask.Kind {
		case hfc.Act:
			return ask.ID, true
		case hfc.Think:
			unseen = max(unseen, ask.NewMessages)
		case hfc.MakePlan:
			did.Plan.Action = hfc.NoReply
			if unseen > 0 && slices.Contains(ask.Allowed, hfc.TextReply) {
				did.Plan.Action = hfc.TextReply
			}
		}
		r.flow.FinishStep(r.now, t.Chat, ask.ID, did)
	}
}

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
