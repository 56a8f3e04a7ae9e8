package hfc

import (
	"cmp"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// The chats of a [Flow] are all that it knows, with the lists that they stand in and their moves between the states.
type chats[K comparable] struct {
	being    *being
	subs     map[K]*sub[K]
	named    map[string]*sub[K]
	settings map[K]*tuning
	fresh    *tuning             // of a chat without Settings
	count    int                 // of chats ever made: their order
	ids      uint64              // of questions and steps of chats that were let go of: late answers are known by them
	in       [3][]*sub[K]        // those in Chat and in Focused, as they came
	standing []*sub[K]           // Absent, and something was heard since they were judged: one of them is drawn
	pick     tick.Tick           // when the next is drawn
	live     tick.Queue[*sub[K]] // chats that change by themselves, the next on top
	changed  []*sub[K]           // chats of which Due has to tell a change
	wanting  []*sub[K]           // chats for which Due has to ask a Question, or wants a turn
	notes    []note[K]           // to be told when the lock is released
}

// A note is a trace to be left.
type note[K comparable] struct {
	chat  K
	all   bool // of the being
	at    time.Time
	state heartflow.State
	gates []heartflow.Gate
	why   []heartflow.Code
}

// adopt makes s known.
func (c *chats[K]) adopt(s *sub[K]) {
	if s.tuning = c.settings[s.key]; s.tuning == nil {
		s.tuning = c.fresh
	}
	s.being, s.Order = c.being, c.count
	c.count++
	c.subs[s.key], c.named[s.name] = s, s
}

// remove lets go of s.
func (c *chats[K]) remove(s *sub[K]) {
	c.live.Remove(s)
	c.unstand(s)
	c.unwant(s)
	if s.State != Absent {
		c.in[s.State] = without(c.in[s.State], s)
	}
	if s.marked {
		c.changed = without(c.changed, s)
	}
	c.ids = max(c.ids, s.IDs)
	delete(c.subs, s.key)
	delete(c.named, s.name)
}

// without takes s out of list.
func without[K comparable](list []*sub[K], s *sub[K]) []*sub[K] {
	i := slices.Index(list, s)
	return slices.Delete(list, i, i+1)
}

// room reports whether one more chat may be in that state.
func (c *chats[K]) room(to ChatState) bool { return len(c.in[to]) < c.being.limit(to) }

// heard lets a message work on s.
func (c *chats[K]) heard(s *sub[K], n WaitingMessage, at tick.Tick) {
	s.Heard, s.Waits = at, at
	s.interest.Add(s.time(at), n.Interest)
	if s.State == Focused {
		s.cycle.Observe(s.time(at))
		c.reschedule(s)
		return
	}
	s.recent.Add(n)
	if s.shut(at) {
		return
	}
	if s.Private && s.State == Absent && at >= s.Cooled && !s.tuning.noFocus && c.room(Focused) {
		c.move(s, Focused, at, WhyPrivateTalk)
		return
	}
	c.stand(s, at)
	c.heat(s, at)
}

// move makes s become to.
func (c *chats[K]) move(s *sub[K], to ChatState, at tick.Tick, why heartflow.Code, gates ...heartflow.Gate) {
	if s.State == to {
		return
	}
	if s.State != Absent {
		c.in[s.State] = without(c.in[s.State], s)
	}
	if to != Absent {
		c.in[to] = append(c.in[to], s)
	}
	s.State, s.Since, s.Why = to, at, why
	s.Drifted, s.Poll, s.question, s.owed = 0, 0, question{}, false
	c.unstand(s)
	c.unwant(s)
	c.mark(s)
	c.note(s, at, why, gates)
	switch to {
	case Chatting:
		c.start(s, at)
	case Focused:
		s.focus(at)
	}
	c.heat(s, at)
	c.reschedule(s)
}

// The states as reasons.
var (
	chatCodes = [...]heartflow.Code{Absent: WhyAbsent, Chatting: WhyChat, Focused: WhyFocused}
	mindCodes = [...]heartflow.Code{Offline: WhyOffline, Peeking: WhyPeeking, NormalChat: WhyNormalChat, FocusedChat: WhyFocusedChat}
)

// note has a trace left of s, in its state.
func (c *chats[K]) note(s *sub[K], at tick.Tick, why heartflow.Code, gates []heartflow.Gate) {
	c.notes = append(c.notes, note[K]{
		chat: s.key, at: s.time(at), gates: gates, why: []heartflow.Code{chatCodes[s.State], why},
	})
}

// mark puts s among those that Due tells of.
func (c *chats[K]) mark(s *sub[K]) {
	if !s.marked {
		s.marked = true
		c.changed = append(c.changed, s)
	}
}

// start is the beginning of Chat: of what waits, only what stands out may be answered, while the talk goes on.
func (c *chats[K]) start(s *sub[K], at tick.Tick) {
	waits := s.recent.Standing()
	s.recent = nil
	if s.Heard.Add(c.being.maxAge()) < at {
		return
	}
	for _, n := range waits {
		if chance := s.chance(n, at, 1); pcg.Draw(&s.dice) < chance {
			c.want(s, wantsTurn)
		}
	}
}

// unfocus ends Focused: to Chat by an even chance where there is room, else to Absent; private chats always to Absent.
func (c *chats[K]) unfocus(s *sub[K], at tick.Tick, why heartflow.Code) {
	s.interest.Reset(s.time(at), true)
	to := Absent
	if !s.Private && c.room(Chatting) && pcg.Draw(&s.dice) < .5 {
		to = Chatting
	}
	c.move(s, to, at, why)
}

// ended ends the focus of s where its cycle is over.
func (c *chats[K]) ended(s *sub[K], at tick.Tick) {
	end := s.cycle.Ended(s.time(at))
	s.IDs = s.cycle.s.Asked.ID
	switch end {
	case EndPlanned:
		s.Cooled = at.Add(c.being.o.Cooldown)
		c.unfocus(s, at, WhyLeft)
	case EndSilent:
		c.unfocus(s, at, WhyGaveUp)
	}
}

// decided ends the outstanding question of s.
func (c *chats[K]) decided(s *sub[K], at tick.Tick, yes bool, why heartflow.Code) {
	q := s.question
	s.question = question{}
	g := heartflow.Gate{Code: why, Value: q.chance, Pass: yes}
	switch {
	case !yes:
	case s.shut(at):
		why = WhyClosed
	case !c.room(q.to): // others were faster
		why = WhyLimit
	default:
		c.move(s, q.to, at, why, g)
		return
	}
	if q.to == Chatting {
		s.Judged = at
	}
	c.note(s, at, why, []heartflow.Gate{g})
}

// withdraw makes s Absent where it is shut, and takes back what it asked.
func (c *chats[K]) withdraw(s *sub[K], at tick.Tick, why heartflow.Code) {
	if !s.shut(at) {
		return
	}
	c.move(s, Absent, at, why)
	c.unstand(s)
	c.unwant(s)
	s.question = question{}
}

// enforce makes chats Absent until no more are in Focused and in Chat than the global state allows: those first in which
// nobody has said anything for longest.
func (c *chats[K]) enforce(at tick.Tick, why heartflow.Code) {
	for _, state := range []ChatState{Focused, Chatting} {
		for len(c.in[state]) > c.being.limit(state) {
			c.move(slices.MinFunc(c.in[state], func(a, b *sub[K]) int { return cmp.Compare(a.Heard, b.Heard) }), Absent, at, why)
		}
	}
}

// stand lets s be drawn for a look, unless it was judged out a short while ago.
func (c *chats[K]) stand(s *sub[K], at tick.Tick) {
	if s.State != Absent || s.Private || s.place >= 0 || s.question.id != 0 || s.Judged != 0 && at < s.Judged.Add(c.being.o.AskAgain) {
		return
	}
	s.place = len(c.standing)
	c.standing = append(c.standing, s)
}

func (c *chats[K]) unstand(s *sub[K]) {
	if s.place < 0 {
		return
	}
	last := len(c.standing) - 1
	moved := c.standing[last]
	c.standing[s.place], moved.place = moved, s.place
	c.standing[last] = nil
	c.standing = c.standing[:last]
	s.place = -1
}

// want has Due say that of s.
func (c *chats[K]) want(s *sub[K], w want) {
	if s.Wants == wantsNothing {
		c.wanting = append(c.wanting, s)
	}
	s.Wants = w
}

func (c *chats[K]) unwant(s *sub[K]) {
	if s.Wants != wantsNothing {
		s.Wants = wantsNothing
		c.wanting = without(c.wanting, s)
	}
}

// pollEvery is how often the chance to become Focused is drawn, on the grid of the clock.
const pollEvery = 5 * tick.Tick(time.Second)

// heat begins the draws of s where its interest allows them.
func (c *chats[K]) heat(s *sub[K], at tick.Tick) {
	if s.Poll != 0 || s.State == Focused || s.tuning.noFocus || s.shut(at) {
		return
	}
	now := s.time(at)
	if _, above := s.interest.Crosses(now); !above && s.interest.Chance(now) <= 0 {
		return
	}
	s.Poll = (max(at, s.Cooled)/pollEvery + 1) * pollEvery
	c.reschedule(s)
}

// reschedule brings s's place in live up to date.
func (c *chats[K]) reschedule(s *sub[K]) {
	if due := s.due(); due != tick.Forever {
		c.live.Set(s, due)
	} else {
		c.live.Remove(s)
	}
}
