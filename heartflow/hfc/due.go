package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

const pickEvery = minute // interval between draws of a candidate

// Next returns when to call [Flow.Due]. The time may be in the past. It returns false if only another call can cause
// an effect.
func (f *Flow[K]) Next() (time.Time, bool) {
	attention, ok := f.Attention.Next()
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.shared.wakeTime()
	if ok {
		next = min(next, f.shared.tempo.tickOf(attention))
	}
	if f.shared.global.Decided != 0 {
		next = min(next, f.shared.nextDecision())
	}
	if len(f.chats.timers) > 0 {
		next = min(next, f.chats.timers[0].Due)
	}
	if len(f.chats.candidates) > 0 && f.chats.hasCapacity(Chatting) {
		next = min(next, f.chats.nextDraw)
	}
	for _, s := range f.chats.byState[Focused] {
		next = min(next, s.turnDue())
	}
	if len(f.chats.changed) > 0 || len(f.chats.pending) > 0 || f.shared.global.State != f.shared.reported {
		next = f.shared.now
	}
	if next == tick.Forever {
		return time.Time{}, false
	}
	return f.shared.tempo.tickTime(next, f.shared.loc), true
}

// Due applies what is due at now and returns all effects since the last Due. Changes of the Attention come first,
// then of the global state, then of chats in the order of their first change, and last questions and wanted turns. In
// quiet hours, and from [heartflow.LevelNoJudge] on, there are no questions and no wanted turns.
func (f *Flow[K]) Due(now time.Time) []Effect[K] {
	var list []Effect[K]
	for _, c := range f.Attention.Due(now) {
		list = append(list, Effect[K]{Kind: AttentionChanged, Chat: c.Chat, At: c.At, Change: c})
	}
	at := f.enter(now)
	list = f.chats.reportChanges(list)
	asks := len(list)
	list = f.chats.reportQuestions(list, at)
	list = f.chats.reportTurns(list, at)
	f.leave()
	kept := list[:asks]
	for _, e := range list[asks:] {
		why := f.modelBlocked(now, e.Chat)
		switch {
		case e.Kind == QuestionAsked && why != "":
			f.finishQuestion(now, e.Chat, e.Question.ID, false, why)
		case why != "": // dropped; it becomes due again
		case e.Kind == QuestionAsked && f.shared.o.AnswerQuestion != nil:
			f.AnswerQuestion(now, e.Chat, e.Question.ID, f.shared.o.AnswerQuestion(e.Question))
		default:
			kept = append(kept, e)
		}
	}
	return kept
}

// modelBlocked returns why the Flow may cause no model call for chat; empty: it may.
func (f *Flow[K]) modelBlocked(now time.Time, chat K) heartflow.Code {
	if _, quiet := f.InQuietHours(now, chat); quiet {
		return heartflow.WhyQuiet
	}
	if f.Level(now, chat) >= heartflow.LevelNoJudge {
		return heartflow.WhyNoJudge
	}
	return ""
}

// reportChanges appends the changes since the last Due.
func (c *chats[K]) reportChanges(list []Effect[K]) []Effect[K] {
	if c.shared.global.State != c.shared.reported {
		list = append(list, Effect[K]{
			Kind: GlobalStateChanged, At: c.shared.tempo.tickTime(tick.Tick(c.shared.global.Since)*minute, c.shared.loc), Why: c.shared.why, GlobalFrom: c.shared.reported, GlobalTo: c.shared.global.State,
		})
		c.shared.reported = c.shared.global.State
	}
	for _, s := range c.changed {
		if s.State != s.reported {
			list = append(list, Effect[K]{Kind: ChatChanged, Chat: s.key, At: s.wallTime(s.Since), Why: s.Why, From: s.reported, To: s.State})
			s.reported = s.State
		}
		s.marked = false
	}
	clear(c.changed)
	c.changed = c.changed[:0]
	return list
}

// reportQuestions appends a Question about a drawn candidate, once a minute, and the pending ones.
func (c *chats[K]) reportQuestions(list []Effect[K], at tick.Tick) []Effect[K] {
	if at >= c.nextDraw && len(c.candidates) > 0 && c.hasCapacity(Chatting) {
		c.nextDraw = (at/pickEvery + 1) * pickEvery
		s := c.candidates[int(c.shared.dice.Uint64()%uint64(len(c.candidates)))]
		c.removeCandidate(s)
		if !s.blocked(at) {
			list = append(list, c.newQuestion(s, Chatting, at))
		}
	}
	for _, s := range c.pending {
		to := Chatting
		switch s.Wants {
		case pendingFocusQuestion:
			to = Focused
		case pendingChatQuestion:
		default:
			continue
		}
		if c.hasCapacity(to) && !s.blocked(at) {
			list = append(list, c.newQuestion(s, to, at))
		}
	}
	return list
}

// newQuestion opens a Question about s.
func (c *chats[K]) newQuestion(s *chat[K], to ChatState, at tick.Tick) Effect[K] {
	now := s.time(at)
	s.IDs++
	s.question = question{id: s.IDs, to: to, chance: s.interest.Chance(now), expires: at.Add(c.shared.o.JudgeFor)}
	c.removeCandidate(s)
	c.reschedule(s)
	return Effect[K]{Kind: QuestionAsked, Chat: s.key, At: s.wallTime(at), Question: Question{
		ID: s.IDs, Chat: s.name, To: to, From: s.State, GlobalState: c.shared.global.State, Interest: s.interest.Level(now), Chance: s.question.chance,
		Recent: append([]WaitingMessage(nil), s.waiting...), Expires: s.wallTime(s.question.expires),
	}}
}

// reportTurns appends the wanted turns.
func (c *chats[K]) reportTurns(list []Effect[K], at tick.Tick) []Effect[K] {
	for _, s := range c.pending {
		if s.Wants == pendingTurn {
			list = append(list, Effect[K]{Kind: TurnWanted, Chat: s.key, At: s.wallTime(at), Why: WhyWilling})
		}
		s.Wants = pendingNothing
	}
	clear(c.pending)
	c.pending = c.pending[:0]
	for _, s := range c.byState[Focused] {
		if s.turnDue() <= at {
			s.Nudged = at
			list = append(list, Effect[K]{Kind: TurnWanted, Chat: s.key, At: s.wallTime(at), Why: WhyFocused})
		}
	}
	return list
}

// AnswerQuestion takes the answer to a [Question], once, before it expires. It returns false and changes nothing if
// the Question has expired or the chat has changed. A yes without capacity counts as a no.
func (f *Flow[K]) AnswerQuestion(now time.Time, chat K, id uint64, yes bool) bool {
	why := WhyJudgedOut
	if yes {
		why = WhyJudgedIn
	}
	return f.finishQuestion(now, chat, id, yes, why)
}

func (f *Flow[K]) finishQuestion(now time.Time, chat K, id uint64, yes bool, why heartflow.Code) bool {
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || id == 0 || s.question.id != id {
		return false
	}
	f.chats.finishQuestion(s, at, yes, why)
	f.chats.reschedule(s)
	return true
}
