package heartflow

import (
	"math"
	"time"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// Judge returns a verdict on the messages received in chat since the last one. If the bot may not speak now, the
// verdict is Silent and the policy is not called. Causes are a chat that is off or muted, sleep, a reached cap, a
// used-up budget, and quiet hours that ignore all messages. Otherwise the policy decides, but quiet hours and the
// [Level] of the budget may silence its verdict.
//
// Ask and Speak open a turn: [Attention.Speak] may send within the caps until now plus MaxAge. A caller that sends
// nothing ends the turn with [Attention.SkipTurn]. A chat has one turn at a time, so the next Judge ends the one
// before.
func (a *Attention[K]) Judge(now time.Time, chat K) Verdict { return a.JudgeUpTo(now, chat, "") }

// JudgeUpTo is Judge for the messages up to the one with id last. Later messages wait for their own verdict. With a
// buffer, a message that arrives while an earlier batch is being handled is then judged with its own batch. If no
// waiting message has that id, all waiting messages are judged.
func (a *Attention[K]) JudgeUpTo(now time.Time, chat K, last string) Verdict {
	m, policy := a.startTurn(now, chat, "", last)
	m.Welcome = a.welcome(m)
	var v Verdict
	if m.blockedBy != "" {
		v.Why = []Code{m.blockedBy}
	} else if v = policy.Judge(m); v.Do > Speak {
		v.Do = Silent // an unknown decision
	} else if m.QuietHours || m.Level != LevelFull {
		v = m.applyLevel(m.applyQuietHours(v))
	}
	return a.conclude(now, chat, m, v)
}

// welcome returns the value of PolicyInput.Welcome.
func (a *Attention[K]) welcome(m *PolicyInput) float64 {
	if a.o.Welcome == nil || m.Addressed || len(m.Batch) == 0 || m.blockedBy != "" {
		return 0
	}
	return clampMood(a.o.Welcome(m.Now, m.Chat, m.Batch[len(m.Batch)-1].From))
}

// BeginTurn opens a turn without messages, for a timer, a task or an order of the owner. It checks the gates of Judge
// except quiet hours, and calls no policy. Waiting messages stay waiting. The turn before it ends. With [WhyCold] and
// [WhyUnanswered] it checks the conditions of [Begin], too.
func (a *Attention[K]) BeginTurn(now time.Time, chat K, why Code) Verdict {
	m, _ := a.startTurn(now, chat, why, "")
	if isBeginning(why) && m.blockedBy == "" && a.o.Welcome != nil {
		m.Welcome = clampMood(a.o.Welcome(m.Now, m.Chat, ""))
		if !m.Gate(Gate{Code: WhyWelcome, Value: m.Welcome, Pass: m.Welcome >= 0}) {
			m.blockedBy = WhyWelcome
		}
	}
	v := Verdict{Do: Ask, Score: 1, Why: []Code{why}}
	if m.blockedBy != "" {
		v = Verdict{Why: []Code{m.blockedBy}}
	}
	return a.conclude(now, chat, m, v)
}

// startTurn starts a turn and checks the gates. If begun is empty, it takes the messages up to the one with id last.
func (a *Attention[K]) startTurn(now time.Time, key K, begun Code, last string) (*PolicyInput, Policy) {
	m := a.pool.Get().(*PolicyInput)
	c, at := a.enterChat(now, key)
	defer a.leave()

	a.account.release(&c.turn.Batch)
	a.turns++
	c.turn = turn{id: a.turns, At: at, judging: true, Begun: begun != ""}
	*m = PolicyInput{
		Now: at.Time(a.account.loc), Chat: c.name, State: c.state,
		Batch: m.Batch[:0], gates: m.gates[:0], holder: m.holder, topicTerms: m.topicTerms[:0], turn: a.turns, TokensLeft: math.MaxInt,
		Partner: c.Partner, LastSpoke: c.Said.Last.Time(a.account.loc), Consecutive: c.Said.InRow, ConsecutiveToBots: c.Said.ToBots,
		RecentReplies: within(c.Said.Times, at, c.settings.caps.Window) + within(c.Said.Interjections, at, c.settings.caps.Window),
		Energy:        1 - c.Fatigue.at(at, &c.settings.energy, a.account.loc), Mood: clampMood(a.account.mood + c.Mood),
	}
	*lookback.ViewOf(m) = lookback.View{Messages: lookback.ViewOf(m).Messages[:0]}
	if begun == "" {
		c.turn.Batch, c.waiting = c.waiting.split(last, a.account.takeBuffer)
		m.Batch, m.Total = append(m.Batch, c.turn.Batch.Heard...), c.turn.Batch.Count
		by, stale := c.turn.Batch.addressedBy(at, a.o.MaxAge)
		m.Addressed, m.AddressedBy, m.AddressedEarlier = by != 0, a.codeSets[by], stale && by == 0
		m.addFeatures(c.history, c.settings.model)
		m.direct = by&^isKeyword != 0
		m.to = c.turn.Batch.caller(at, a.o.MaxAge, func(to addressee) bool {
			return c.Said.toPerson(at, c.settings.caps, to) < c.settings.caps.RepliesPerPerson
		})
		c.turn.To = m.to
		c.turn.Called = m.Addressed
		c.turn.Again, c.Again = c.Again, 0
		for i := range c.waiting.Heard { // received already, but in a later batch
			c.turn.observe(&c.waiting.Heard[i].Message, 0)
		}
	}
	if a.account.asleep {
		m.State = Offline
	}
	if m.State == Active {
		m.topicTerms = append(m.topicTerms, c.Topic...)
	}
	m.gates, m.blockedBy = c.gates(at, m.to, false, m.gates)
	c.turn.Begins = isBeginning(begun)
	if c.turn.Begins {
		if g := c.begin(at, begun); m.blockedBy == "" && !m.Gate(g) {
			m.blockedBy = WhyPassed
		}
	}
	if q := c.settings.quietHours; q.at(at, a.account.loc) && (begun == "" || c.turn.Begins) {
		m.QuietHours = true
		if m.blockedBy == "" && (q.IgnoreAddressed || c.turn.Begins) && !m.Gate(Gate{Code: WhyQuiet}) {
			m.blockedBy = WhyQuiet
		}
	}
	if b := a.o.Budget; b != nil {
		m.budget = b.standing(now, c.name, c.settings.limitsOf(b))
		m.TokensLeft, m.Level = m.budget.left, m.budget.level
		if m.blockedBy == "" && !m.Gate(Gate{Code: WhyOverBudget, Value: float64(m.TokensLeft), Pass: m.Level != LevelOff}) {
			m.blockedBy = WhyOverBudget
		}
	}
	if c.turn.Begins && m.blockedBy == "" {
		if m.Level != LevelFull && !m.Gate(Gate{Code: WhySaving, Value: m.budget.share, Threshold: m.budget.from}) {
			m.blockedBy = WhySaving
		} else {
			c.Rhythm.Begun = at
		}
	}
	if m.blockedBy == "" && begun == "" {
		m.dice.Seed(c.dice.Uint64(), c.dice.Uint64())
	}
	if a.draws != nil && begun == "" {
		m.preset = a.draws[key]
		delete(a.draws, key)
	}
	return m, c.settings.policy
}

// conclude finishes the turn that startTurn started.
func (a *Attention[K]) conclude(now time.Time, key K, m *PolicyInput, v Verdict) Verdict {
	c, at := a.enterChat(now, key)
	defer a.leave()
	v.Addressed, v.Called, v.State = m.Addressed, m.to.Called, m.State

	a.stats.judged(v)
	t := Trace{Kind: KindJudge, Gates: m.gates, Do: v.Do, Score: v.Score, Why: v.Why}
	ours := c.turn.id == m.turn // false: another Judge has started since
	if v.Do == Silent && m.Total > 0 {
		c.Fatigue.add(at, -max(c.settings.energy.SilenceGain, 0), &c.settings.energy, a.account.loc)
	}
	if ours {
		c.conclude(at, v.Do != Silent)
	}
	t.Next = c.nextChange(at, m.to, m.blockedBy)
	a.record(c, at, &t)
	a.updateState(c, at, v.Why)
	clear(m.Batch) // releases the strings
	a.pool.Put(m)
	return v
}
