package hfc

import (
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// advance applies what is due, in the order of time.
func (c *chats[K]) advance() {
	b := c.shared
	if b.global.Decided == 0 {
		b.global.begin(b.o.GlobalState, int64(b.now/minute))
		b.reported = b.global.State
		c.enforceLimits(b.now, WhyLimit)
	}
	if b.nextDecision() < b.now {
		b.global.skip(int64(b.now / minute))
	}
	for {
		next := min(b.wakeTime(), b.nextDecision())
		if len(c.timers) > 0 {
			next = min(next, c.timers[0].Due)
		}
		switch {
		case next > b.now:
			c.leaveOverBudget(b.now)
			return
		case next == b.wakeTime():
			c.wake(next)
		case next == b.nextDecision():
			was, why := b.global.decide(b.o.GlobalState, &b.dice, len(c.byState[Focused]))
			if b.global.State != was {
				c.applyGlobalState(next, why)
			}
		default:
			c.advanceChat(c.timers[0], next)
		}
	}
}

// wake ends sleep.
func (c *chats[K]) wake(at tick.Tick) {
	b := c.shared
	b.asleep, b.wakeAt = false, 0
	b.global.begin(b.o.GlobalState, int64(at/minute))
	if b.global.State != Offline {
		c.applyGlobalState(at, heartflow.WhyWoke)
	}
}

// applyGlobalState enforces the limits of a new global state and records a trace.
func (c *chats[K]) applyGlobalState(at tick.Tick, why heartflow.Code) {
	b := c.shared
	b.why = why
	n := pendingTrace[K]{all: true, at: b.tempo.tickTime(at, b.loc), why: []heartflow.Code{globalCodes[b.global.State], why}}
	if b.asleep {
		n.state = heartflow.Offline
	}
	c.traces = append(c.traces, n)
	if why != heartflow.WhySlept {
		why = WhyLimit
	}
	c.enforceLimits(at, why)
}

// advanceChat applies what is due in one chat.
func (c *chats[K]) advanceChat(s *chat[K], at tick.Tick) {
	if s.question.id != 0 && s.question.expires <= at {
		c.finishQuestion(s, at, false, WhyNoJudgement)
	}
	if s.Poll != 0 && s.Poll <= at {
		c.poll(s, at)
	}
	switch s.State {
	case Absent:
		if s.forgetTime() <= at {
			c.remove(s)
			return
		}
	case Chatting:
		c.checkSilence(s, at)
	case Focused:
		if c.checkCycle(s, at); s.State == Focused && s.abandonTime() <= at {
			c.endFocus(s, at, WhyAbandoned)
		}
	}
	c.reschedule(s)
}

// poll draws whether s becomes Focused.
func (c *chats[K]) poll(s *chat[K], at tick.Tick) {
	s.Poll = 0
	chance := s.interest.Chance(s.time(at))
	if !s.blocked(at) && c.hasCapacity(Focused) && !c.overBudget(at, s.key) && s.question.id == 0 && s.Wants != pendingFocusQuestion && chance > 0 {
		g := heartflow.Gate{Code: WhyInterest, Value: chance, Draw: pcg.Draw(&s.dice)}
		if g.Pass = g.Draw < chance; g.Pass {
			if !c.shared.o.AskFocus {
				c.setState(s, Focused, at, WhyInterest, g)
				return
			}
			c.setPending(s, pendingFocusQuestion)
		}
	}
	c.startPolling(s, at)
}

// checkSilence ends Chatting after a long time without an own message.
func (c *chats[K]) checkSilence(s *chat[K], at tick.Tick) {
	if s.silenceDue() > at {
		return
	}
	if !c.shared.o.Drift {
		c.setState(s, Absent, at, WhyLongSilent)
		return
	}
	g := heartflow.Gate{Code: WhyLeftByChance, Value: leaveChance(s.Drifted), Draw: pcg.Draw(&s.dice)}
	s.Drifted++
	if g.Pass = g.Draw < g.Value; g.Pass {
		c.setState(s, Absent, at, WhyLeftByChance, g)
	} else if s.Drifted >= maxDrift {
		c.setState(s, Absent, at, WhyLongSilent)
	}
}

// maxDrift is the minute that ends Chatting without a draw.
const maxDrift = 60

// leaveChance is the chance that Chatting ends at the end of that minute, counted from 0.
func leaveChance(minute int) float64 {
	switch {
	case minute < 5:
		return .01
	case minute < 15:
		return .02
	case minute < 30:
		return .04
	}
	return .08
}
