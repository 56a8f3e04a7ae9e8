package heartflow

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/fold"
)

// A chat is all that is known of one chat. Its memory is bounded, and small while nothing happens in it.
type chat[K comparable] struct {
	tick.Place // in Attention.live; its Order is that in which chats were made

	account *account
	key     K
	name    string
	tuning  *tuning

	state  State // Observing, Summoned or Active
	told   State // what Due said last
	marked bool  // it is in Attention.changed
	chatState

	recent  *recent // nil: no policy has wanted it
	waiting batch   // heard since the last verdict
	turn    turn    // the last verdict
	dice    rand.PCG
	ring    ring
}

// A chatState is what a snapshot holds of a chat as it is.
type chatState struct {
	Summoned tick.Tick `json:",omitempty"` // the end of that; 0: not
	Active   tick.Tick `json:",omitempty"` // the end of that; 0: not
	Renewals int       `json:",omitempty"` // of Active
	Since    tick.Tick `json:",omitempty"` // when state changed
	Muted    tick.Tick `json:",omitempty"` // closed for sending until then; 0: open
	Said     said      `json:",omitzero"`
	Fatigue  fatigue   `json:",omitzero"`
	Mood     float64   `json:",omitempty"` // beyond that of the account
	Partner  string    `json:",omitempty"`
	Topic    []uint32  `json:",omitempty"` // sorted hashes of what it last spoke of
	Lines    lines     `json:",omitempty"` // what it said last
	Again    int       `json:",omitempty"` // how often what waits was given back
}

// A turn is a judged batch, open until it is skipped or the next is judged. While it is open and fresh, what was
// judged may be said.
type turn struct {
	id       uint64
	judging  bool // its policy has not answered yet
	At       tick.Tick
	Open     bool  `json:",omitempty"`
	Called   bool  `json:",omitempty"`
	Spoke    bool  `json:",omitempty"`
	Recalled bool  `json:",omitempty"` // all that called in it was taken back
	Begun    bool  `json:",omitempty"` // by Begin: it answers nothing
	Answered bool  `json:",omitempty"` // somebody else turned to whom it would answer
	Newer    int   `json:",omitempty"` // messages that are not in its batch
	Again    int   `json:",omitempty"` // how often its batch was given back before
	Batch    batch `json:",omitzero"`
}

// recall drops the message with that id wherever it is.
func (c *chat[K]) recall(id string) (found bool) {
	if c.waiting.recall(id) {
		return true
	}
	if !c.turn.Batch.recall(id) {
		return false
	}
	if by, _ := c.turn.Batch.calls(c.turn.At, math.MaxInt64); by == 0 && c.turn.Called {
		c.turn.Recalled = true
	}
	return true
}

// calling reports whether anything calls at t: heard since the last verdict, or in a turn that has not spoken.
func (c *chat[K]) calling(t tick.Tick) bool {
	by, _ := c.waiting.calls(t, c.account.maxAge)
	u := &c.turn
	return by != 0 || (u.Open || u.judging) && u.Called && !u.Spoke && !u.Recalled && u.At.Add(c.account.maxAge) > t
}

// conclude leaves c's turn open or closed by its verdict, and with it for how long a call may still be answered.
func (c *chat[K]) conclude(t tick.Tick, open bool) {
	c.turn.judging, c.turn.Open = false, open
	if !open {
		c.close(t)
		return
	}
	c.turn.At = t
	if c.turn.Called && !c.account.asleep {
		c.Summoned = t.Add(c.account.maxAge)
	}
}

// close ends c's turn. The chat stays Summoned only for what calls beside it.
func (c *chat[K]) close(t tick.Tick) {
	c.turn.Open = false
	c.account.release(&c.turn.Batch)
	c.unsummon(t)
}

// unsummon ends Summoned where nothing calls any more.
func (c *chat[K]) unsummon(t tick.Tick) (ended bool) {
	if ended = c.Summoned > t && !c.calling(t); ended {
		c.Summoned = 0
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
	case c.Summoned > t:
		return Addressed
	case c.Active > t:
		return Active
	}
	return Observing
}

// replied takes off what a reply at t costs, and makes the chat Active after it, or renews that.
func (c *chat[K]) replied(t tick.Tick) {
	c.Fatigue.add(t, max(c.tuning.energy.ReplyCost, 0), &c.tuning.energy, c.account.loc)
	switch {
	case c.tuning.active < 0:
		return
	case c.Active <= t:
		c.Renewals = 0
	case c.Renewals >= c.tuning.renewals:
		return
	default:
		c.Renewals++
	}
	c.Active = t.Add(c.tuning.active)
}

// remember keeps with whom and of what a turn speaks, in words of those terms.
func (c *chat[K]) remember(words []uint32) {
	c.Topic = append(c.Topic[:0], words...)
	if b := &c.turn.Batch; len(b.Heard) > 0 {
		last := b.answers()
		c.Partner = string([]byte(last.From))
		var scratch [fold.MaxTerms]uint32
		c.Topic = append(c.Topic, fold.Terms(scratch[:0], last.Text)...)
		slices.Sort(c.Topic)
		c.Topic = slices.Compact(c.Topic)
	}
}

// deadline is when the state that c has at t ends by itself; 0: not.
func (c *chat[K]) deadline(t tick.Tick) tick.Tick {
	switch c.stateAt(t) {
	case Addressed:
		return c.Summoned
	case Active:
		return c.Active
	}
	return 0
}
