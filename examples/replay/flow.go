package main

import (
	"context"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// What a live bot does beside, where its heart is a Flow. All of it is for nothing where there is none.

// flowDue lets happen what is due in the Flow. What it wants done goes through the buffer, like a message, so that a
// chat is dealt with by one at a time.
func (r *rooms) flowDue(context.Context) error {
	for _, e := range r.flow.Due(r.now) {
		if e.Kind == hfc.TurnWanted {
			r.gather.AddUrgent(r.now, e.Chat, &arrival{At: r.now, Chat: e.Chat, Look: e.Why})
		}
	}
	return nil
}

// messages are what was heard; the rest of a batch is what a Flow wants.
func messages(b buffer.Batch[string, *arrival]) []*arrival {
	return slices.DeleteFunc(slices.Clone(b.Items), func(a *arrival) bool { return a.Look != "" })
}

// look is why a Flow wants the turn; empty: it does not any more.
func (r *rooms) look(b buffer.Batch[string, *arrival]) heartflow.Code {
	for _, a := range b.Items {
		if a.Look != "" && (a.Look != hfc.WhyFocused || r.focused(b.Key)) {
			return a.Look
		}
	}
	return ""
}

func (r *rooms) focused(chat string) bool {
	return r.flow != nil && r.flow.ChatState(r.now, chat) == hfc.Focused
}

// rests is how long the cycle of a chat rests from now on.
func (r *rooms) rests(chat string) time.Duration {
	if r.flow == nil {
		return 0
	}
	return r.flow.RestTime(r.now, chat)
}

// state is how the chat of a turn is perceived, and the interest in it.
func (r *rooms) state(t turn) (state string, level float64) {
	if r.flow == nil {
		return t.Verdict.State.String(), 0
	}
	level, _ = r.flow.Interest(r.now, t.Chat)
	return r.flow.ChatState(r.now, t.Chat).String(), level
}

// steps does what the cycle of a chat wants, up to the words, as a model that has something to say whenever there is
// something new: id is the step that wants them; ok is false where nothing is to be said.
func (r *rooms) steps(t turn) (id uint64, ok bool) {
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

// stateOf is what a chat became, by a trace of it; empty: the trace tells of something else.
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
