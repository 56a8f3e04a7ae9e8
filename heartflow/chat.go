package heartflow

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// A chat is all that is known of one chat. Its memory is bounded, and small while nothing happens in it.
type chat[K comparable] struct {
	tick.Place // in Attention.live; its Order is that in which chats were made

	account *account
	key     K
	name    string
	tuning  *tuning

	state    State     // Observing, Summoned or Active
	told     State     // what Due said last
	marked   bool      // it is in Attention.changed
	since    tick.Tick // when state changed
	summoned tick.Tick // the end of that; 0: not
	active   tick.Tick // the end of that; 0: not
	renewals int       // of active
	muted    tick.Tick // closed for sending until then; 0: open

	said    said
	fatigue fatigue
	mood    float64 // beyond that of the account
	partner string
	topic   []uint32 // sorted hashes of what it last spoke of
	lines   lines    // what it said last

	recent *recent // nil: no policy has wanted it

	waiting batch // heard since the last verdict
	turn    turn  // the last verdict
	again   int   // how often what waits was given back
	dice    rand.PCG
	ring    ring
}

// A turn is a judged batch, open until it is skipped or the next is judged. While it is open and fresh, what was
// judged may be said.
type turn struct {
	id       uint64
	at       tick.Tick
	open     bool
	judging  bool // its policy has not answered yet
	called   bool
	begun    bool // by Begin: it answers nothing
	spoke    bool
	recalled bool // all that called in it was taken back
	newer    int  // messages that are not in its batch
	answered bool // somebody else turned to whom it would answer
	again    int  // how often its batch was given back before
	batch    batch
}

// recall drops the message with that id wherever it is.
func (c *chat[K]) recall(id string) (found bool) {
	if c.waiting.recall(id) {
		return true
	}
	if !c.turn.batch.recall(id) {
		return false
	}
	if by, _ := c.turn.batch.calls(c.turn.at, math.MaxInt64); by == 0 && c.turn.called {
		c.turn.recalled = true
	}
	return true
}

// calling reports whether anything calls at t: heard since the last verdict, or in a turn that has not spoken.
func (c *chat[K]) calling(t tick.Tick) bool {
	by, _ := c.waiting.calls(t, c.account.maxAge)
	u := &c.turn
	return by != 0 || (u.open || u.judging) && u.called && !u.spoke && !u.recalled && u.at.Add(c.account.maxAge) > t
}

// conclude leaves c's turn open or closed by its verdict, and with it for how long a call may still be answered.
func (c *chat[K]) conclude(t tick.Tick, open bool) {
	c.turn.judging, c.turn.open = false, open
	if !open {
		c.close(t)
		return
	}
	c.turn.at = t
	if c.turn.called && !c.account.asleep {
		c.summoned = t.Add(c.account.maxAge)
	}
}

// close ends c's turn. The chat stays Summoned only for what calls beside it.
func (c *chat[K]) close(t tick.Tick) {
	c.turn.open = false
	c.account.release(&c.turn.batch)
	c.unsummon(t)
}

// unsummon ends Summoned where nothing calls any more.
func (c *chat[K]) unsummon(t tick.Tick) (ended bool) {
	if ended = c.summoned > t && !c.calling(t); ended {
		c.summoned = 0
	}
	return ended
}

// perceived is the state at t as a caller sees it.
func (c *chat[K]) perceived(t tick.Tick) State {
	if c.account.asleep {
		return Offline
	}
	return c.stateAt(t)
}

// stateAt returns the state at t.
func (c *chat[K]) stateAt(t tick.Tick) State {
	switch {
	case c.summoned > t:
		return Summoned
	case c.active > t:
		return Active
	}
	return Observing
}

// replied takes off what a reply at t costs, and makes the chat Active after it, or renews that.
func (c *chat[K]) replied(t tick.Tick) {
	c.fatigue.add(t, max(c.tuning.energy.Reply, 0), &c.tuning.energy, c.account.loc)
	switch {
	case c.tuning.active < 0:
		return
	case c.active <= t:
		c.renewals = 0
	case c.renewals >= c.tuning.renewals:
		return
	default:
		c.renewals++
	}
	c.active = t.Add(c.tuning.active)
}

// remember keeps with whom and of what a turn speaks, in words of those terms.
func (c *chat[K]) remember(words []uint32) {
	c.topic = append(c.topic[:0], words...)
	if b := &c.turn.batch; len(b.heard) > 0 {
		last := b.answers()
		c.partner = string([]byte(last.From))
		var scratch [topicTerms]uint32
		c.topic = append(c.topic, terms(scratch[:0], last.Text)...)
		slices.Sort(c.topic)
		c.topic = slices.Compact(c.topic)
	}
}

// deadline is when the state that c has at t ends by itself; 0: not.
func (c *chat[K]) deadline(t tick.Tick) tick.Tick {
	switch c.stateAt(t) {
	case Summoned:
		return c.summoned
	case Active:
		return c.active
	}
	return 0
}
