package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

const (
	minute = tick.Tick(time.Minute)

	// unattended is how long a Focused chat whose steps nobody does stays so.
	unattended = 10 * time.Minute
)

// settle lets happen what is due, in the order of time.
func (f *Flow[K]) settle(out *outbox[K]) {
	if f.mind.Decided == 0 {
		f.mind.begin(f.o.Mind, int64(f.now/minute))
		f.toldMind = f.mind.State
		f.enforce(f.now, WhyLimit, out)
	}
	if late := f.minded(); late < f.now {
		f.mind.skip(int64(f.now / minute))
	}
	for {
		next, kind := f.wakes(), 0
		if t := f.minded(); t < next {
			next, kind = t, 1
		}
		if len(f.live) > 0 && f.live[0].Due < next {
			next, kind = f.live[0].Due, 2
		}
		switch {
		case next > f.now:
			return
		case kind == 0:
			f.wake(next, out)
		case kind == 1:
			f.think(out)
		default:
			f.act(f.live[0], next, out)
		}
	}
}

// wakes is when sleep ends by itself.
func (f *Flow[K]) wakes() tick.Tick {
	if f.asleep {
		return f.wakeAt
	}
	return tick.Forever
}

// minded is when the global state is decided next.
func (f *Flow[K]) minded() tick.Tick {
	if f.asleep || f.o.Mind.Fixed != Offline {
		return tick.Forever
	}
	return tick.Tick(f.mind.next()) * minute
}

// think decides the global state for one minute.
func (f *Flow[K]) think(out *outbox[K]) {
	was, why := f.mind.decide(f.o.Mind, &f.dice, len(f.in[Focused]))
	if f.mind.State != was {
		f.minds(tick.Tick(f.mind.Decided)*minute, why, out)
	}
}

// minds lets a new global state take effect.
func (f *Flow[K]) minds(at tick.Tick, why heartflow.Code, out *outbox[K]) {
	f.whyMind = why
	n := note[K]{all: true, at: at.Time(f.loc), why: []heartflow.Code{mindCodes[f.mind.State], why}}
	if f.asleep {
		n.state = heartflow.Offline
	}
	out.notes = append(out.notes, n)
	if why != heartflow.WhySlept {
		why = WhyLimit
	}
	f.enforce(at, why, out)
}

// enforce makes chats Absent until no more are in Focused and in Chat than the global state allows.
func (f *Flow[K]) enforce(at tick.Tick, why heartflow.Code, out *outbox[K]) {
	for _, state := range []ChatState{Focused, Chat} {
		for len(f.in[state]) > f.limit(state) {
			f.turn(f.stalest(state), Absent, at, why, nil, out)
		}
	}
}

// stalest is the chat in that state in which nobody has said anything for longest.
func (f *Flow[K]) stalest(state ChatState) *sub[K] {
	s := f.in[state][0]
	for _, other := range f.in[state] {
		if other.heard < s.heard {
			s = other
		}
	}
	return s
}

// act lets happen what is due in one chat.
func (f *Flow[K]) act(s *sub[K], at tick.Tick, out *outbox[K]) {
	if s.question.id != 0 && s.question.expires <= at {
		f.decided(s, at, false, WhyNoJudgement, out)
	}
	if s.poll != 0 && s.poll <= at {
		f.polled(s, at, out)
	}
	switch s.state {
	case Absent:
		if f.forgets(s) <= at {
			f.remove(s)
			return
		}
	case Chat:
		f.quieted(s, at, out)
	case Focused:
		f.attended(s, at, out)
	}
	f.reschedule(s)
}

// polled draws whether s becomes Focused.
func (f *Flow[K]) polled(s *sub[K], at tick.Tick, out *outbox[K]) {
	s.poll = 0
	chance := s.interest.Chance(at.Time(f.loc))
	if !f.shut(s, at) && f.room(Focused) && s.question.id == 0 && s.wants != wantsFocus && chance > 0 {
		g := heartflow.Gate{Code: WhyInterest, Value: chance, Draw: pcg.Draw(&s.dice)}
		if g.Pass = g.Draw < chance; g.Pass {
			if !f.o.AskFocus {
				f.turn(s, Focused, at, WhyInterest, []heartflow.Gate{g}, out)
				return
			}
			f.want(s, wantsFocus)
		}
	}
	f.heat(s, at)
}

// forgets is when an Absent chat is let go of.
func (f *Flow[K]) forgets(s *sub[K]) tick.Tick {
	return max(max(s.since, s.heard).Add(f.o.Forget), s.muted)
}

// quieted ends Chat where the being has said nothing for long.
func (f *Flow[K]) quieted(s *sub[K], at tick.Tick, out *outbox[K]) {
	if f.drifts(s) > at {
		return
	}
	if !f.o.Drift {
		f.turn(s, Absent, at, WhyLongSilent, nil, out)
		return
	}
	g := heartflow.Gate{Code: WhyDrifted, Value: hazard(s.drifted), Draw: pcg.Draw(&s.dice)}
	s.drifted++
	if g.Pass = g.Draw < g.Value; g.Pass {
		f.turn(s, Absent, at, WhyDrifted, []heartflow.Gate{g}, out)
	} else if s.drifted >= driftMost {
		f.turn(s, Absent, at, WhyLongSilent, nil, out)
	}
}

// drifts is when quieted has to look at s next.
func (f *Flow[K]) drifts(s *sub[K]) tick.Tick {
	from := max(s.since, s.spoke)
	if !f.o.Drift {
		return from.Add(f.o.Leave)
	}
	return from.Add(time.Duration(s.drifted+1) * time.Minute)
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

// attended looks after the cycle of a Focused chat.
func (f *Flow[K]) attended(s *sub[K], at tick.Tick, out *outbox[K]) {
	f.ended(s, at, out)
	if s.state == Focused && f.abandons(s) <= at {
		f.unfocus(s, at, WhyAbandoned, out)
	}
}

// abandons is when the focus on s ends because nobody does its steps.
func (f *Flow[K]) abandons(s *sub[K]) tick.Tick {
	if s.cycle.open || s.cycle.quiet != 0 {
		return tick.Forever
	}
	return max(s.stepped, s.cycle.wake).Add(unattended)
}

// reschedule brings s's place in live up to date.
func (f *Flow[K]) reschedule(s *sub[K]) {
	due := tick.Forever
	switch s.state {
	case Absent:
		due = f.forgets(s)
	case Chat:
		due = f.drifts(s)
	case Focused:
		due = f.abandons(s)
		if at, ok := s.cycle.Next(); ok && (s.cycle.open || s.cycle.quiet != 0) {
			due = min(due, tick.Of(at))
		}
	}
	if s.poll != 0 {
		due = min(due, s.poll)
	}
	if s.question.id != 0 {
		due = min(due, s.question.expires)
	}
	if due == tick.Forever {
		f.live.Remove(s)
		return
	}
	f.live.Set(s, due)
}
