package hfc

import (
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// settle lets happen what is due, in the order of time.
func (c *chats[K]) settle() {
	b := c.being
	if b.mind.Decided == 0 {
		b.mind.begin(b.o.GlobalState, int64(b.now/minute))
		b.told = b.mind.State
		c.enforce(b.now, WhyLimit)
	}
	if b.decides() < b.now {
		b.mind.skip(int64(b.now / minute))
	}
	for {
		next := min(b.wakes(), b.decides())
		if len(c.live) > 0 {
			next = min(next, c.live[0].Due)
		}
		switch {
		case next > b.now:
			return
		case next == b.wakes():
			c.wake(next)
		case next == b.decides():
			was, why := b.mind.decide(b.o.GlobalState, &b.dice, len(c.in[Focused]))
			if b.mind.State != was {
				c.minds(next, why)
			}
		default:
			c.act(c.live[0], next)
		}
	}
}

// wake ends sleep.
func (c *chats[K]) wake(at tick.Tick) {
	b := c.being
	b.asleep, b.wakeAt = false, 0
	b.mind.begin(b.o.GlobalState, int64(at/minute))
	if b.mind.State != Offline {
		c.minds(at, heartflow.WhyWoke)
	}
}

// minds lets a new global state take effect.
func (c *chats[K]) minds(at tick.Tick, why heartflow.Code) {
	b := c.being
	b.why = why
	n := note[K]{all: true, at: at.Time(b.loc), why: []heartflow.Code{mindCodes[b.mind.State], why}}
	if b.asleep {
		n.state = heartflow.Offline
	}
	c.notes = append(c.notes, n)
	if why != heartflow.WhySlept {
		why = WhyLimit
	}
	c.enforce(at, why)
}

// act lets happen what is due in one chat.
func (c *chats[K]) act(s *sub[K], at tick.Tick) {
	if s.question.id != 0 && s.question.expires <= at {
		c.decided(s, at, false, WhyNoJudgement)
	}
	if s.Poll != 0 && s.Poll <= at {
		c.polled(s, at)
	}
	switch s.State {
	case Absent:
		if s.forgets() <= at {
			c.remove(s)
			return
		}
	case Chatting:
		c.quieted(s, at)
	case Focused:
		if c.ended(s, at); s.State == Focused && s.abandons() <= at {
			c.unfocus(s, at, WhyAbandoned)
		}
	}
	c.reschedule(s)
}

// polled draws whether s becomes Focused.
func (c *chats[K]) polled(s *sub[K], at tick.Tick) {
	s.Poll = 0
	chance := s.interest.Chance(s.time(at))
	if !s.shut(at) && c.room(Focused) && s.question.id == 0 && s.Wants != wantsFocus && chance > 0 {
		g := heartflow.Gate{Code: WhyInterest, Value: chance, Draw: pcg.Draw(&s.dice)}
		if g.Pass = g.Draw < chance; g.Pass {
			if !c.being.o.AskFocus {
				c.move(s, Focused, at, WhyInterest, g)
				return
			}
			c.want(s, wantsFocus)
		}
	}
	c.heat(s, at)
}

// quieted ends Chat where the being has said nothing for long.
func (c *chats[K]) quieted(s *sub[K], at tick.Tick) {
	if s.drifts() > at {
		return
	}
	if !c.being.o.Drift {
		c.move(s, Absent, at, WhyLongSilent)
		return
	}
	g := heartflow.Gate{Code: WhyLeftByChance, Value: hazard(s.Drifted), Draw: pcg.Draw(&s.dice)}
	s.Drifted++
	if g.Pass = g.Draw < g.Value; g.Pass {
		c.move(s, Absent, at, WhyLeftByChance, g)
	} else if s.Drifted >= driftMost {
		c.move(s, Absent, at, WhyLongSilent)
	}
}

// driftMost is the minute at which Chat ends without a chance.
const driftMost = 60

// hazard is the chance that Chat ends at the end of that minute, counted from 0.
func hazard(minute int) float64 {
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
