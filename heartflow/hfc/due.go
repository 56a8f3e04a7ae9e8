package hfc

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

const (
	pickEvery  = minute      // how often an Absent chat is drawn for a look
	nudgeAgain = time.Minute // a turn that nobody began is wanted again after it

	gathers = 30 * time.Second // what was heard is judged sooner than that, or not at all
)

// Next returns when [Flow.Due] has something to do, which may be in the past; false: not before something happens.
func (f *Flow[K]) Next() (time.Time, bool) {
	below, ok := f.Attention.Next()
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.wakes()
	if ok {
		next = min(next, tick.Of(below))
	}
	if f.mind.Decided != 0 {
		next = min(next, f.minded())
	}
	if len(f.live) > 0 {
		next = min(next, f.live[0].Due)
	}
	if len(f.standing) > 0 && f.room(Chat) {
		next = min(next, f.pick)
	}
	for _, s := range f.in[Focused] {
		next = min(next, f.nudges(s))
	}
	if len(f.changed) > 0 || len(f.wanting) > 0 || f.mind.State != f.toldMind {
		next = f.now
	}
	return next.End(f.loc), next != tick.Forever
}

// Due lets happen what is due at now, and returns what has changed since the last Due and what is wanted: changes of the
// Attention first, then of the global state, of chats in the order of their first change, and then what is asked. In
// quiet hours, and when the budget runs low, nothing is asked.
func (f *Flow[K]) Due(now time.Time) []Effect[K] {
	var list []Effect[K]
	for _, c := range f.Attention.Due(now) {
		list = append(list, Effect[K]{Kind: Perceived, Chat: c.Chat, At: c.At, Change: c})
	}
	var out outbox[K]
	at := f.enter(now, &out)
	list = f.changes(list)
	asks := len(list)
	list = f.asks(list, at)
	list = f.turns(list, at)
	f.leave(&out)
	kept := list[:asks]
	for _, e := range list[asks:] {
		why := f.unasked(now, e.Chat)
		switch {
		case e.Kind == Judged && why != "":
			f.decide(now, e.Chat, e.Question.ID, false, why)
		case why != "": // the turn is wanted again
		case e.Kind == Judged && f.o.Judge != nil:
			f.Decide(now, e.Chat, e.Question.ID, f.o.Judge(e.Question))
		default:
			kept = append(kept, e)
		}
	}
	return kept
}

// unasked says why no model may be asked by the being itself for chat; empty: it may.
func (f *Flow[K]) unasked(now time.Time, chat K) heartflow.Code {
	if _, quiet := f.Quiet(now, chat); quiet {
		return heartflow.WhyQuiet
	}
	if f.Level(now, chat) != heartflow.LevelFull {
		return heartflow.WhyNoJudge
	}
	return ""
}

// changes tells what is not as it was told last.
func (f *Flow[K]) changes(list []Effect[K]) []Effect[K] {
	if f.mind.State != f.toldMind {
		list = append(list, Effect[K]{
			Kind: MindChanged, At: (tick.Tick(f.mind.Since) * minute).Time(f.loc), Why: f.whyMind, MindFrom: f.toldMind, MindTo: f.mind.State,
		})
		f.toldMind = f.mind.State
	}
	for _, s := range f.changed {
		if s.state != s.told {
			list = append(list, Effect[K]{Kind: ChatChanged, Chat: s.key, At: s.since.Time(f.loc), Why: s.why, From: s.told, To: s.state})
			s.told = s.state
		}
		s.marked = false
	}
	clear(f.changed)
	f.changed = f.changed[:0]
	return list
}

// asks draws an Absent chat for a look, once a minute, and tells what was drawn by interest.
func (f *Flow[K]) asks(list []Effect[K], at tick.Tick) []Effect[K] {
	if at >= f.pick && len(f.standing) > 0 && f.room(Chat) {
		f.pick = (at/pickEvery + 1) * pickEvery
		s := f.standing[int(f.dice.Uint64()%uint64(len(f.standing)))]
		f.unstand(s)
		if !f.shut(s, at) {
			list = append(list, f.ask(s, Chat, at))
		}
	}
	for _, s := range f.wanting {
		to := Chat
		switch s.wants {
		case wantsFocus:
			to = Focused
		case wantsChat:
		default:
			continue
		}
		if f.room(to) && !f.shut(s, at) {
			list = append(list, f.ask(s, to, at))
		}
	}
	return list
}

// ask makes a Question.
func (f *Flow[K]) ask(s *sub[K], to ChatState, at tick.Tick) Effect[K] {
	now := at.Time(f.loc)
	s.ids++
	s.question = question{id: s.ids, to: to, chance: s.interest.Chance(now), expires: at.Add(f.o.JudgeFor)}
	f.unstand(s)
	f.reschedule(s)
	return Effect[K]{Kind: Judged, Chat: s.key, At: now, Question: Question{
		ID: s.ids, Chat: s.name, To: to, From: s.state, Mind: f.mind.State, Interest: s.interest.Level(now), Chance: s.question.chance,
		Recent: append([]Noted(nil), s.recent...), Expires: s.question.expires.Time(f.loc),
	}}
}

// decided ends the outstanding question of s.
func (f *Flow[K]) decided(s *sub[K], at tick.Tick, yes bool, why heartflow.Code, out *outbox[K]) {
	q := s.question
	s.question = question{}
	g := heartflow.Gate{Code: why, Value: q.chance, Pass: yes}
	switch {
	case !yes:
	case f.shut(s, at):
		why = WhyClosed
	case !f.room(q.to): // others were faster
		why = WhyLimit
	default:
		f.turn(s, q.to, at, why, []heartflow.Gate{g}, out)
		return
	}
	if q.to == Chat {
		s.judged = at
	}
	out.notes = append(out.notes, note[K]{
		chat: s.key, at: at.Time(f.loc), gates: []heartflow.Gate{g}, why: []heartflow.Code{chatCodes[s.state], why},
	})
}

// turns tells which chats want a turn of their own.
func (f *Flow[K]) turns(list []Effect[K], at tick.Tick) []Effect[K] {
	for _, s := range f.wanting {
		if s.wants == wantsTurn {
			list = append(list, Effect[K]{Kind: TurnWanted, Chat: s.key, At: at.Time(f.loc), Why: WhyWilling})
		}
		s.wants = wantsNothing
	}
	clear(f.wanting)
	f.wanting = f.wanting[:0]
	for _, s := range f.in[Focused] {
		if f.nudges(s) <= at {
			s.nudged = at
			list = append(list, Effect[K]{Kind: TurnWanted, Chat: s.key, At: at.Time(f.loc), Why: WhyFocused})
		}
	}
	return list
}

// nudges is when a turn is wanted for the cycle of s. In the middle of a cycle whoever does it goes on by itself, and for
// what was just heard the batch that it is in begins the turn.
func (f *Flow[K]) nudges(s *sub[K]) tick.Tick {
	c := s.cycle
	at := c.wake
	switch {
	case c.open:
		return tick.Forever
	case !c.cur.Began.IsZero():
		at = max(s.stepped, s.nudged).Add(nudgeAgain)
	case s.nudged >= c.wake && s.nudged >= s.stepped:
		at = s.nudged.Add(nudgeAgain)
	}
	if s.waits != 0 {
		at = max(at, s.waits.Add(gathers))
	}
	return at
}
