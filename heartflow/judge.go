package heartflow

import (
	"math"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Judge gives a verdict on what was heard in chat since the last one. Where the bot may not speak now (the chat is off
// or muted, the bot is offline, a cap is reached, the budget is used up, it is quiet for all) the verdict is Silent and
// no policy is asked. Otherwise it is the policy's, or Silent where a quiet hour or the [Level] of the budget does not
// allow what that wants.
//
// Ask and Speak open a turn: for MaxAge from now, [Attention.Speak] is allowed within the caps. Whoever then says
// nothing closes it by [Attention.Skip]. A chat has one turn: the next Judge ends the one before.
func (a *Attention[K]) Judge(now time.Time, chat K) Verdict { return a.JudgeTo(now, chat, "") }

// JudgeTo is Judge of what was heard up to the message with that id: what came after it waits for its own verdict. So
// a call that arrives while a batch is on its way from the buffer is judged with the batch that it is in. When no
// message that waits has the id, all that was heard is judged.
func (a *Attention[K]) JudgeTo(now time.Time, chat K, last string) Verdict {
	m, policy := a.moment(now, chat, "", last)
	var v Verdict
	if m.shut != "" {
		v.Why = []Code{m.shut}
	} else if v = policy.Judge(m); v.Do > Speak {
		v.Do = Silent // least, of what it does not know
	} else if m.Quiet || m.Level != LevelFull {
		v = m.govern(m.hush(v))
	}
	return a.conclude(now, chat, m, v)
}

// Begin opens a turn for which nothing was heard: a timer, a task, an order of the owner. The same gates are tested
// as by Judge; no policy is asked. What was heard and not judged stays so. It ends the turn before it.
func (a *Attention[K]) Begin(now time.Time, chat K, why Code) Verdict {
	m, _ := a.moment(now, chat, why, "")
	v := Verdict{Do: Ask, Score: 1, Why: []Code{why}}
	if m.shut != "" {
		v = Verdict{Why: []Code{m.shut}}
	}
	return a.conclude(now, chat, m, v)
}

// moment begins a turn: it tests the gates and, where begun is empty, takes what was heard up to the message last.
func (a *Attention[K]) moment(now time.Time, key K, begun Code, last string) (*Moment, Policy) {
	m := a.pool.Get().(*Moment)
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	c := a.chat(key)

	a.release(&c.turn.batch)
	a.turns++
	c.turn = turn{id: a.turns, at: at, judging: true, begun: begun != ""}
	*m = Moment{
		Now: at.Time(a.loc), Chat: c.name, State: c.state,
		Batch: m.Batch[:0], gates: m.gates[:0], looks: m.looks[:0], topic: m.topic[:0], turn: a.turns, Left: math.MaxInt,
		Partner: c.partner, Spoke: c.said.Last.Time(a.loc), InRow: c.said.InRow, ToBots: c.said.ToBots,
		Replies: c.said.within(at, c.tuning.caps.Window),
		Energy:  1 - c.fatigue.at(at, &c.tuning.energy, a.loc), Mood: min(max(a.mood+c.mood, -1), 1),
	}
	if begun == "" {
		c.turn.batch, c.waiting = c.waiting.split(last, a.take)
		m.Batch, m.Count = append(m.Batch, c.turn.batch.heard...), c.turn.batch.count
		by, stale := c.turn.batch.calls(at, a.o.MaxAge)
		m.Called, m.Calls, m.Stale = by != 0, a.whys[by], stale && by == 0
		m.lookBack(c.recent)
		m.direct = by&^isKeyword != 0
		c.turn.called = m.Called
		c.turn.again, c.again = c.again, 0
		for i := range c.waiting.heard { // of a later batch, but heard already
			c.turn.heard(&c.waiting.heard[i].Message, 0)
		}
	}
	if a.asleep {
		m.State = Offline
	}
	if m.State == Active {
		m.topic = append(m.topic, c.topic...)
	}
	m.gates, m.shut = a.gates(c, at, m.gates)
	if q := c.tuning.quiet; q.at(at, a.loc) && begun == "" {
		m.Quiet = true
		if m.shut == "" && q.Called && !m.Gate(Gate{Code: WhyQuiet}) {
			m.shut = WhyQuiet
		}
	}
	if b := a.o.Budget; b != nil {
		m.budget = b.standing(now, c.name, c.tuning.limitsOf(b))
		m.Left, m.Level = m.budget.left, m.budget.level
		if m.shut == "" && !m.Gate(Gate{Code: WhyOverBudget, Value: float64(m.Left), Pass: m.Level != LevelOff}) {
			m.shut = WhyOverBudget
		}
	}
	if m.shut == "" && begun == "" {
		m.dice.Seed(c.dice.Uint64(), c.dice.Uint64())
	}
	return m, c.tuning.policy
}

// gates tests whether the bot may speak in c at t. A gate that is simply open leaves no mark in the list.
func (a *Attention[K]) gates(c *chat[K], t tick.Tick, list []Gate) (all []Gate, shut Code) {
	if shut = a.closed(c, t); shut == "" {
		return c.said.gates(t, c.tuning.caps, list)
	}
	return append(list, Gate{Code: shut}), shut
}

// conclude ends what moment began.
func (a *Attention[K]) conclude(now time.Time, key K, m *Moment, v Verdict) Verdict {
	var out outbox
	at := a.enter(now, &out)
	defer a.leave(&out)
	c := a.chat(key)
	v.Called, v.State = m.Called, m.State

	a.stats.judged(v)
	t := Trace{At: at.Time(a.loc), Kind: KindJudge, Gates: m.gates, Do: v.Do, Score: v.Score, Why: v.Why}
	ours := c.turn.id == m.turn // else another Judge has begun since
	if v.Do == Silent && m.Count > 0 {
		c.fatigue.add(at, -max(c.tuning.energy.Silence, 0), &c.tuning.energy, a.loc)
	}
	if ours {
		a.open(c, at, v.Do != Silent)
	}
	t.State, t.Next = a.stateOf(c, at), a.next(c, at, m.shut)
	a.record(c, &t, &out)
	a.reconsider(c, at, v.Why, &out)
	clear(m.Batch) // lets go of the strings
	a.pool.Put(m)
	return v
}

// open sets c's turn open or closed, and with it for how long a call may still be answered.
func (a *Attention[K]) open(c *chat[K], at tick.Tick, open bool) {
	c.turn.judging, c.turn.open = false, open
	if !open {
		a.close(c, at)
		return
	}
	c.turn.at = at
	if c.turn.called && !a.asleep {
		c.summoned = at.Add(a.o.MaxAge)
	}
}

// close ends c's turn. The chat stays Summoned only for what calls beside it.
func (a *Attention[K]) close(c *chat[K], at tick.Tick) {
	c.turn.open = false
	a.release(&c.turn.batch)
	if c.summoned > at && !c.calling(at, a.o.MaxAge) {
		c.summoned = 0
	}
}

// stateOf is the state of c as a caller sees it.
func (a *Attention[K]) stateOf(c *chat[K], at tick.Tick) State {
	if a.asleep {
		return Offline
	}
	return c.stateAt(at)
}

// opens is when a gate opens that is shut at t; 0: not by itself.
func (a *Attention[K]) opens(c *chat[K], at tick.Tick, shut Code) tick.Tick {
	switch shut {
	case WhyMuted:
		return c.muted
	case WhyMutedAll:
		return a.muted
	case WhyOffline:
		return a.wakeAt
	case WhyQuiet:
		if end := c.tuning.quiet.ends(at, a.loc); end != tick.Forever {
			return end
		}
	case WhyCappedWindow:
		return c.said.free(at, c.tuning.caps)
	}
	return 0
}

// next is when the gate that is shut opens, or else when c changes by itself.
func (a *Attention[K]) next(c *chat[K], at tick.Tick, shut Code) time.Time {
	opens := a.opens(c, at, shut)
	if opens == 0 && !a.asleep {
		opens = c.deadline(at)
	}
	return opens.End(a.loc)
}
