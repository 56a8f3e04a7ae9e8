package heartflow

import (
	"math"
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// Judge gives a verdict on what was heard in chat since the last one. Where the bot may not speak now (the chat is off
// or muted, the bot is offline, a cap is reached, the budget is used up, it is quiet for all) the verdict is Silent and
// no policy is asked. Otherwise it is the policy's, or Silent where a quiet hour or the [Level] of the budget does not
// allow what that wants.
//
// Ask and Speak open a turn: for MaxAge from now, [Attention.Speak] is allowed within the caps. Whoever then says
// nothing closes it by [Attention.SkipTurn]. A chat has one turn: the next Judge ends the one before.
func (a *Attention[K]) Judge(now time.Time, chat K) Verdict { return a.JudgeUpTo(now, chat, "") }

// JudgeUpTo is Judge of what was heard up to the message with that id: what came after it waits for its own verdict. So
// a call that arrives while a batch is on its way from the buffer is judged with the batch that it is in. When no
// message that waits has the id, all that was heard is judged.
func (a *Attention[K]) JudgeUpTo(now time.Time, chat K, last string) Verdict {
	m, policy := a.moment(now, chat, "", last)
	var v Verdict
	if m.shut != "" {
		v.Why = []Code{m.shut}
	} else if v = policy.Judge(m); v.Do > Speak {
		v.Do = Silent // least, of what it does not know
	} else if m.QuietHours || m.Level != LevelFull {
		v = m.govern(m.hush(v))
	}
	return a.conclude(now, chat, m, v)
}

// BeginTurn opens a turn for which nothing was heard: a timer, a task, an order of the owner. The same gates are tested
// as by Judge; no policy is asked. What was heard and not judged stays so. It ends the turn before it.
func (a *Attention[K]) BeginTurn(now time.Time, chat K, why Code) Verdict {
	m, _ := a.moment(now, chat, why, "")
	v := Verdict{Do: Ask, Score: 1, Why: []Code{why}}
	if m.shut != "" {
		v = Verdict{Why: []Code{m.shut}}
	}
	return a.conclude(now, chat, m, v)
}

// moment begins a turn: it tests the gates and, where begun is empty, takes what was heard up to the message last.
func (a *Attention[K]) moment(now time.Time, key K, begun Code, last string) (*PolicyInput, Policy) {
	m := a.pool.Get().(*PolicyInput)
	c, at := a.enterChat(now, key)
	defer a.leave()

	a.account.release(&c.turn.Batch)
	a.turns++
	c.turn = turn{id: a.turns, At: at, judging: true, Begun: begun != ""}
	*m = PolicyInput{
		Now: at.Time(a.account.loc), Chat: c.name, State: c.state,
		Batch: m.Batch[:0], gates: m.gates[:0], holder: m.holder, topic: m.topic[:0], turn: a.turns, TokensLeft: math.MaxInt,
		Partner: c.Partner, LastSpoke: c.Said.Last.Time(a.account.loc), Consecutive: c.Said.InRow, ConsecutiveToBots: c.Said.ToBots,
		RecentReplies: c.Said.within(at, c.tuning.caps.Window),
		Energy:        1 - c.Fatigue.at(at, &c.tuning.energy, a.account.loc), Mood: clampMood(a.account.mood + c.Mood),
	}
	*lookback.ViewOf(m) = lookback.View{Messages: lookback.ViewOf(m).Messages[:0]}
	if begun == "" {
		c.turn.Batch, c.waiting = c.waiting.split(last, a.account.take)
		m.Batch, m.Total = append(m.Batch, c.turn.Batch.Heard...), c.turn.Batch.Count
		by, stale := c.turn.Batch.calls(at, a.o.MaxAge)
		m.Addressed, m.AddressedBy, m.AddressedEarlier = by != 0, a.whys[by], stale && by == 0
		m.lookBack(c.recent)
		m.direct = by&^isKeyword != 0
		c.turn.Called = m.Addressed
		c.turn.Again, c.Again = c.Again, 0
		for i := range c.waiting.Heard { // of a later batch, but heard already
			c.turn.heard(&c.waiting.Heard[i].Message, 0)
		}
	}
	if a.account.asleep {
		m.State = Offline
	}
	if m.State == Active {
		m.topic = append(m.topic, c.Topic...)
	}
	m.gates, m.shut = c.gates(at, m.gates)
	if q := c.tuning.quiet; q.at(at, a.account.loc) && begun == "" {
		m.QuietHours = true
		if m.shut == "" && q.IgnoreAddressed && !m.Gate(Gate{Code: WhyQuiet}) {
			m.shut = WhyQuiet
		}
	}
	if b := a.o.Budget; b != nil {
		m.budget = b.standing(now, c.name, c.tuning.limitsOf(b))
		m.TokensLeft, m.Level = m.budget.left, m.budget.level
		if m.shut == "" && !m.Gate(Gate{Code: WhyOverBudget, Value: float64(m.TokensLeft), Pass: m.Level != LevelOff}) {
			m.shut = WhyOverBudget
		}
	}
	if m.shut == "" && begun == "" {
		m.dice.Seed(c.dice.Uint64(), c.dice.Uint64())
	}
	return m, c.tuning.policy
}

// conclude ends what moment began.
func (a *Attention[K]) conclude(now time.Time, key K, m *PolicyInput, v Verdict) Verdict {
	c, at := a.enterChat(now, key)
	defer a.leave()
	v.Addressed, v.State = m.Addressed, m.State

	a.stats.judged(v)
	t := Trace{Kind: KindJudge, Gates: m.gates, Do: v.Do, Score: v.Score, Why: v.Why}
	ours := c.turn.id == m.turn // else another Judge has begun since
	if v.Do == Silent && m.Total > 0 {
		c.Fatigue.add(at, -max(c.tuning.energy.SilenceGain, 0), &c.tuning.energy, a.account.loc)
	}
	if ours {
		c.conclude(at, v.Do != Silent)
	}
	t.Next = c.next(at, m.shut)
	a.record(c, at, &t)
	a.reconsider(c, at, v.Why)
	clear(m.Batch) // lets go of the strings
	a.pool.Put(m)
	return v
}
