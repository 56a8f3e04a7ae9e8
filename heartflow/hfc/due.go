package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

const pickEvery = minute // how often an Absent chat is drawn for a look

// Next returns when [Flow.Due] has something to do, which may be in the past; false: not before something happens.
func (f *Flow[K]) Next() (time.Time, bool) {
	below, ok := f.Attention.Next()
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.being.wakes()
	if ok {
		next = min(next, tick.Of(below))
	}
	if f.being.mind.Decided != 0 {
		next = min(next, f.being.decides())
	}
	if len(f.chats.live) > 0 {
		next = min(next, f.chats.live[0].Due)
	}
	if len(f.chats.standing) > 0 && f.chats.room(Chatting) {
		next = min(next, f.chats.pick)
	}
	for _, s := range f.chats.in[Focused] {
		next = min(next, s.nudges())
	}
	if len(f.chats.changed) > 0 || len(f.chats.wanting) > 0 || f.being.mind.State != f.being.told {
		next = f.being.now
	}
	return next.End(f.being.loc), next != tick.Forever
}

// Due lets happen what is due at now, and returns what has changed since the last Due and what is wanted: changes of the
// Attention first, then of the global state, of chats in the order of their first change, and then what is asked. In
// quiet hours, and when the budget runs low, nothing is asked.
func (f *Flow[K]) Due(now time.Time) []Effect[K] {
	var list []Effect[K]
	for _, c := range f.Attention.Due(now) {
		list = append(list, Effect[K]{Kind: AttentionChanged, Chat: c.Chat, At: c.At, Change: c})
	}
	at := f.enter(now)
	list = f.chats.changes(list)
	asks := len(list)
	list = f.chats.asks(list, at)
	list = f.chats.turns(list, at)
	f.leave()
	kept := list[:asks]
	for _, e := range list[asks:] {
		why := f.unasked(now, e.Chat)
		switch {
		case e.Kind == QuestionAsked && why != "":
			f.decide(now, e.Chat, e.Question.ID, false, why)
		case why != "": // the turn is wanted again
		case e.Kind == QuestionAsked && f.being.o.AnswerQuestion != nil:
			f.AnswerQuestion(now, e.Chat, e.Question.ID, f.being.o.AnswerQuestion(e.Question))
		default:
			kept = append(kept, e)
		}
	}
	return kept
}

// unasked says why no model may be asked by the being itself for chat; empty: it may.
func (f *Flow[K]) unasked(now time.Time, chat K) heartflow.Code {
	if _, quiet := f.InQuietHours(now, chat); quiet {
		return heartflow.WhyQuiet
	}
	if f.Level(now, chat) != heartflow.LevelFull {
		return heartflow.WhyNoJudge
	}
	return ""
}

// changes tells what is not as it was told last.
func (c *chats[K]) changes(list []Effect[K]) []Effect[K] {
	if c.being.mind.State != c.being.told {
		list = append(list, Effect[K]{
			Kind: GlobalStateChanged, At: (tick.Tick(c.being.mind.Since) * minute).Time(c.being.loc), Why: c.being.why, GlobalFrom: c.being.told, GlobalTo: c.being.mind.State,
		})
		c.being.told = c.being.mind.State
	}
	for _, s := range c.changed {
		if s.State != s.told {
			list = append(list, Effect[K]{Kind: ChatChanged, Chat: s.key, At: s.time(s.Since), Why: s.Why, From: s.told, To: s.State})
			s.told = s.State
		}
		s.marked = false
	}
	clear(c.changed)
	c.changed = c.changed[:0]
	return list
}

// asks draws an Absent chat for a look, once a minute, and tells what was drawn by interest.
func (c *chats[K]) asks(list []Effect[K], at tick.Tick) []Effect[K] {
	if at >= c.pick && len(c.standing) > 0 && c.room(Chatting) {
		c.pick = (at/pickEvery + 1) * pickEvery
		s := c.standing[int(c.being.dice.Uint64()%uint64(len(c.standing)))]
		c.unstand(s)
		if !s.shut(at) {
			list = append(list, c.ask(s, Chatting, at))
		}
	}
	for _, s := range c.wanting {
		to := Chatting
		switch s.Wants {
		case wantsFocus:
			to = Focused
		case wantsChat:
		default:
			continue
		}
		if c.room(to) && !s.shut(at) {
			list = append(list, c.ask(s, to, at))
		}
	}
	return list
}

// ask makes a Question.
func (c *chats[K]) ask(s *sub[K], to ChatState, at tick.Tick) Effect[K] {
	now := s.time(at)
	s.IDs++
	s.question = question{id: s.IDs, to: to, chance: s.interest.Chance(now), expires: at.Add(c.being.o.JudgeFor)}
	c.unstand(s)
	c.reschedule(s)
	return Effect[K]{Kind: QuestionAsked, Chat: s.key, At: now, Question: Question{
		ID: s.IDs, Chat: s.name, To: to, From: s.State, GlobalState: c.being.mind.State, Interest: s.interest.Level(now), Chance: s.question.chance,
		Recent: append([]WaitingMessage(nil), s.recent...), Expires: s.time(s.question.expires),
	}}
}

// turns tells which chats want a turn of their own.
func (c *chats[K]) turns(list []Effect[K], at tick.Tick) []Effect[K] {
	for _, s := range c.wanting {
		if s.Wants == wantsTurn {
			list = append(list, Effect[K]{Kind: TurnWanted, Chat: s.key, At: s.time(at), Why: WhyWilling})
		}
		s.Wants = wantsNothing
	}
	clear(c.wanting)
	c.wanting = c.wanting[:0]
	for _, s := range c.in[Focused] {
		if s.nudges() <= at {
			s.Nudged = at
			list = append(list, Effect[K]{Kind: TurnWanted, Chat: s.key, At: s.time(at), Why: WhyFocused})
		}
	}
	return list
}

// AnswerQuestion takes the answer to a [Question], once, before it expires. False: it is late, or the chat has
// changed since, and nothing changes. A yes for which there is no room any more counts as a no.
func (f *Flow[K]) AnswerQuestion(now time.Time, chat K, id uint64, yes bool) bool {
	why := WhyJudgedOut
	if yes {
		why = WhyJudgedIn
	}
	return f.decide(now, chat, id, yes, why)
}

func (f *Flow[K]) decide(now time.Time, chat K, id uint64, yes bool, why heartflow.Code) bool {
	s, at := f.known(now, chat)
	defer f.leave()
	if s == nil || id == 0 || s.question.id != id {
		return false
	}
	f.chats.decided(s, at, yes, why)
	f.chats.reschedule(s)
	return true
}
