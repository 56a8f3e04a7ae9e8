package hfc

import (
	"cmp"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/internal/pcg"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// chats holds all chats of a [Flow], the lists that contain them, and the changes of their states.
type chats[K comparable] struct {
	shared     *shared
	overBudget func(at tick.Tick, chat K) bool // at LevelNoJudge or above, where no chat may be Focused
	byKey      map[K]*chat[K]
	byName     map[string]*chat[K]
	settings   map[K]*compiledSettings
	defaults   *compiledSettings    // for chats without Settings
	created    int                  // chats ever created; the Order of the next one
	ids        uint64               // highest id of a question or step in a removed chat, so that late answers are recognized
	byState    [3][]*chat[K]        // Chatting and Focused chats, in the order they entered
	candidates []*chat[K]           // Absent chats with new messages; one of them is drawn for a Question
	nextDraw   tick.Tick            // time of the next draw among candidates
	timers     tick.Queue[*chat[K]] // chats with a deadline, the next one on top
	changed    []*chat[K]           // chats with a change that Due has not reported
	pending    []*chat[K]           // chats with a Question or a turn for Due
	traces     []pendingTrace[K]    // delivered after the lock is released
}

// A pendingTrace is a trace to deliver.
type pendingTrace[K comparable] struct {
	chat  K
	all   bool // about the global state
	at    time.Time
	state heartflow.State
	gates []heartflow.Gate
	why   []heartflow.Code
}

// add registers s.
func (c *chats[K]) add(s *chat[K]) {
	if s.settings = c.settings[s.key]; s.settings == nil {
		s.settings = c.defaults
	}
	s.shared, s.Order = c.shared, c.created
	c.created++
	c.byKey[s.key], c.byName[s.name] = s, s
}

// remove unregisters s.
func (c *chats[K]) remove(s *chat[K]) {
	c.timers.Remove(s)
	c.removeCandidate(s)
	c.clearPending(s)
	if s.State != Absent {
		c.byState[s.State] = without(c.byState[s.State], s)
	}
	if s.marked {
		c.changed = without(c.changed, s)
	}
	c.ids = max(c.ids, s.IDs)
	delete(c.byKey, s.key)
	delete(c.byName, s.name)
}

// without removes s from list.
func without[K comparable](list []*chat[K], s *chat[K]) []*chat[K] {
	i := slices.Index(list, s)
	return slices.Delete(list, i, i+1)
}

// hasCapacity reports whether one more chat may enter that state.
func (c *chats[K]) hasCapacity(to ChatState) bool { return len(c.byState[to]) < c.shared.limit(to) }

// observe applies a received message to s.
func (c *chats[K]) observe(s *chat[K], n WaitingMessage, at tick.Tick) {
	s.Heard, s.Waits = at, at
	s.interest.Add(s.time(at), n.Interest)
	if s.State == Focused {
		s.cycle.Observe(s.time(at))
		c.reschedule(s)
		return
	}
	s.waiting.Add(n)
	if s.blocked(at) {
		return
	}
	if s.Private && s.State == Absent && at >= s.Cooled && !s.settings.noFocus && c.hasCapacity(Focused) && !c.overBudget(at, s.key) {
		c.setState(s, Focused, at, WhyPrivateTalk)
		return
	}
	c.addCandidate(s, at)
	c.startPolling(s, at)
}

// setState changes the state of s.
func (c *chats[K]) setState(s *chat[K], to ChatState, at tick.Tick, why heartflow.Code, gates ...heartflow.Gate) {
	if s.State == to {
		return
	}
	if s.State != Absent {
		c.byState[s.State] = without(c.byState[s.State], s)
	}
	if to != Absent {
		c.byState[to] = append(c.byState[to], s)
	}
	again := s.mustAnswer && s.State == Absent
	s.State, s.Since, s.Why = to, at, why
	s.Drifted, s.Poll, s.question, s.mustAnswer, s.turnBegan = 0, 0, question{}, false, 0
	c.removeCandidate(s)
	c.clearPending(s)
	c.markChanged(s)
	c.addTrace(s, at, why, gates)
	switch to {
	case Chatting:
		c.startChatting(s, at, again)
	case Focused:
		s.startFocus(at)
	}
	c.startPolling(s, at)
	c.reschedule(s)
}

// Codes of the states.
var (
	chatCodes   = [...]heartflow.Code{Absent: WhyAbsent, Chatting: WhyChat, Focused: WhyFocused}
	globalCodes = [...]heartflow.Code{Offline: WhyOffline, Peeking: WhyPeeking, NormalChat: WhyNormalChat, FocusedChat: WhyFocusedChat}
)

// addTrace queues a trace of s with its state.
func (c *chats[K]) addTrace(s *chat[K], at tick.Tick, why heartflow.Code, gates []heartflow.Gate) {
	c.traces = append(c.traces, pendingTrace[K]{
		chat: s.key, at: s.wallTime(at), gates: gates, why: []heartflow.Code{chatCodes[s.State], why},
	})
}

// markChanged adds s to the chats that Due reports.
func (c *chats[K]) markChanged(s *chat[K]) {
	if !s.marked {
		s.marked = true
		c.changed = append(c.changed, s)
	}
}

// startChatting handles the messages that waited before Chatting. If one of them addresses the bot and has no verdict yet, or a call
// is judged again, the verdict is Ask. Otherwise only outliers may be answered, and only if the last message is recent.
func (c *chats[K]) startChatting(s *chat[K], at tick.Tick, again bool) {
	s.mustAnswer = again || s.Waits != 0 && slices.ContainsFunc(s.waiting, func(n WaitingMessage) bool { return n.Addressed })
	outliers := s.waiting.Outliers()
	s.waiting = nil
	if s.mustAnswer {
		return
	}
	if s.Heard.Add(c.shared.maxAge()) < at {
		return
	}
	for _, n := range outliers {
		if chance := s.chance(n, at, 1); pcg.Draw(&s.dice) < chance {
			c.setPending(s, pendingTurn)
		}
	}
}

// endFocus ends Focused. A group becomes Chatting with a chance of .5 if there is capacity. All other chats become
// Absent.
func (c *chats[K]) endFocus(s *chat[K], at tick.Tick, why heartflow.Code) {
	s.interest.Reset(s.time(at), true)
	to := Absent
	if !s.Private && c.hasCapacity(Chatting) && pcg.Draw(&s.dice) < .5 {
		to = Chatting
	}
	c.setState(s, to, at, why)
}

// checkCycle ends the focus on s if its cycle is over.
func (c *chats[K]) checkCycle(s *chat[K], at tick.Tick) {
	end := s.cycle.Ended(s.time(at))
	s.IDs = s.cycle.s.Asked.ID
	switch end {
	case EndPlanned:
		s.Cooled = at.Add(c.shared.o.Cooldown)
		c.endFocus(s, at, WhyLeft)
	case EndSilent:
		c.endFocus(s, at, WhyGaveUp)
	}
}

// finishQuestion ends the open question of s.
func (c *chats[K]) finishQuestion(s *chat[K], at tick.Tick, yes bool, why heartflow.Code) {
	q := s.question
	s.question = question{}
	g := heartflow.Gate{Code: why, Value: q.chance, Pass: yes}
	switch {
	case !yes:
	case s.blocked(at):
		why = WhyClosed
	case !c.hasCapacity(q.to): // other chats used up the capacity
		why = WhyLimit
	case q.to == Focused && c.overBudget(at, s.key):
		why = heartflow.WhyNoJudge
	default:
		c.setState(s, q.to, at, why, g)
		return
	}
	if q.to == Chatting {
		s.Judged = at
	}
	c.addTrace(s, at, why, []heartflow.Gate{g})
}

// withdrawBlocked makes a blocked chat Absent and drops its question.
func (c *chats[K]) withdrawBlocked(s *chat[K], at tick.Tick, why heartflow.Code) {
	if !s.blocked(at) {
		return
	}
	c.setState(s, Absent, at, why)
	c.removeCandidate(s)
	c.clearPending(s)
	s.question = question{}
}

// leaveOverBudget makes Focused chats Absent from LevelNoJudge on, so that they hold no place. A turn or a cycle that
// has begun ends first, because it may answer somebody.
func (c *chats[K]) leaveOverBudget(at tick.Tick) {
	for _, s := range slices.Clone(c.byState[Focused]) {
		turn := s.turnBegan != 0 && at < s.turnBegan.Add(turnRetryAfter)
		if !turn && !s.cycle.s.Open && s.cycle.s.Running.Began.IsZero() && c.overBudget(at, s.key) {
			c.setState(s, Absent, at, heartflow.WhyNoJudge)
		}
	}
}

// enforceLimits makes chats Absent until the limits of the global state hold. Chats without a message for the longest
// time are first.
func (c *chats[K]) enforceLimits(at tick.Tick, why heartflow.Code) {
	for _, state := range []ChatState{Focused, Chatting} {
		for len(c.byState[state]) > c.shared.limit(state) {
			c.setState(slices.MinFunc(c.byState[state], func(a, b *chat[K]) int { return cmp.Compare(a.Heard, b.Heard) }), Absent, at, why)
		}
	}
}

// addCandidate adds s to the candidates, unless its last question was answered with no a short time ago.
func (c *chats[K]) addCandidate(s *chat[K], at tick.Tick) {
	if s.State != Absent || s.Private || s.candidateIndex >= 0 || s.question.id != 0 || s.Judged != 0 && at < s.Judged.Add(c.shared.o.AskAgain) {
		return
	}
	s.candidateIndex = len(c.candidates)
	c.candidates = append(c.candidates, s)
}

func (c *chats[K]) removeCandidate(s *chat[K]) {
	if s.candidateIndex < 0 {
		return
	}
	last := len(c.candidates) - 1
	moved := c.candidates[last]
	c.candidates[s.candidateIndex], moved.candidateIndex = moved, s.candidateIndex
	c.candidates[last] = nil
	c.candidates = c.candidates[:last]
	s.candidateIndex = -1
}

// setPending queues s for the next Due.
func (c *chats[K]) setPending(s *chat[K], w pendingKind) {
	if s.Wants == pendingNothing {
		c.pending = append(c.pending, s)
	}
	s.Wants = w
}

func (c *chats[K]) clearPending(s *chat[K]) {
	if s.Wants != pendingNothing {
		s.Wants = pendingNothing
		c.pending = without(c.pending, s)
	}
}

// pollEvery is the interval between draws of the chance to become Focused, aligned to the clock.
const pollEvery = 5 * tick.Tick(time.Second)

// startPolling starts the draws of s if its interest allows them.
func (c *chats[K]) startPolling(s *chat[K], at tick.Tick) {
	if s.Poll != 0 || s.State == Focused || s.settings.noFocus || s.blocked(at) {
		return
	}
	now := s.time(at)
	if _, above := s.interest.Crosses(now); !above && s.interest.Chance(now) <= 0 {
		return
	}
	s.Poll = (max(at, s.Cooled)/pollEvery + 1) * pollEvery
	c.reschedule(s)
}

// reschedule updates the timer of s.
func (c *chats[K]) reschedule(s *chat[K]) {
	if due := s.nextDue(); due != tick.Forever {
		c.timers.Set(s, due)
	} else {
		c.timers.Remove(s)
	}
}
