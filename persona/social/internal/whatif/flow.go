package whatif

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// newFlow returns a Flow for this chat alone. The global state of a bot depends on its other chats, so it is fixed. The chat
// becomes more active when it did in fact, or by the fixed state.
func (p *player) newFlow(o hfc.Options) (*hfc.Flow[string], error) {
	o.GlobalState = hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}
	o.AnswerQuestion = func(q hfc.Question) bool { return p.stateAt(p.sim.Now()) >= q.To }
	o.AskFocus, o.AskAgain, o.JudgeFor = true, time.Nanosecond, time.Hour
	o.Leave, o.Drift = 10*365*24*time.Hour, false
	if p.state == StateFocused {
		o.Interest = hfc.InterestOptions{Threshold: 1e-9, Rise: 100}
	}
	flow, err := hfc.New[string](o)
	if err != nil {
		return nil, err
	}
	noFocus := p.o.NoFocus || p.state == StateAbsent || p.state == StateChat
	return flow, flow.Configure(p.chat, hfc.Settings{Settings: p.o.Attention, SpeakLess: p.o.SpeakLess, NoFocus: noFocus})
}

// stateAt returns the state that the chat should have.
func (p *player) stateAt(now time.Time) hfc.ChatState {
	switch p.state {
	case StateAbsent:
		return hfc.Absent
	case StateChat:
		return hfc.Chatting
	case StateFocused:
		return hfc.Focused
	}
	state, known := hfc.Absent, false
	for _, t := range p.log.traces {
		is, ok := stateIn(t)
		if !ok {
			continue
		}
		if !t.At.After(now) {
			state, known = is, true
			continue
		}
		switch {
		case known:
		case t.Kind == heartflow.KindJudge:
			state = is
		case is != hfc.Chatting: // it was another one before
			state = hfc.Chatting
		}
		break
	}
	return state
}

// stateIn returns the state of the chat in a Flow that a trace tells of.
func stateIn(t heartflow.Trace) (s hfc.ChatState, ok bool) {
	if t.Chat == "" || len(t.Why) == 0 || t.Kind != heartflow.KindState && t.Kind != heartflow.KindJudge {
		return s, false
	}
	switch t.Why[0] {
	case hfc.WhyAbsent:
		return hfc.Absent, true
	case hfc.WhyChat, hfc.WhyWilling, hfc.WhyNotWilling:
		return hfc.Chatting, true
	case hfc.WhyFocused, hfc.WhyThinking, hfc.WhyResting:
		return hfc.Focused, true
	}
	return s, false
}

// leave makes the chat Absent, as it became in fact.
func (p *player) leave(at time.Time) {
	p.sim.RunUntil(at)
	p.core.Mute(at, p.chat, at.Add(1))
	p.core.Unmute(at.Add(1), p.chat)
}
