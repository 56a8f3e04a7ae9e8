package heartflow

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/fold"
)

// A chat is the state of one chat. Its memory is bounded, and small for an idle chat.
type chat[K comparable] struct {
	tick.Place // position in Attention.engaged; Order is the order of creation

	account  *account
	key      K
	name     string
	settings *compiledSettings

	state    State // Observing, Addressed or Active
	reported State // state last reported by Due
	marked   bool  // in Attention.changed
	chatState

	history *history    // nil until a policy needs it
	silence *silence[K] // nil until a person has written, and without Begin
	waiting batch       // received since the last verdict
	turn    turn        // of the last verdict
	dice    rand.PCG
	ring    ring
}

// A chatState is the part of a chat that snapshots contain unchanged.
type chatState struct {
	Summoned tick.Tick   `json:",omitempty"` // end of the Addressed state; 0: not Addressed
	Active   tick.Tick   `json:",omitempty"` // end of the Active state; 0: not Active
	Renewals int         `json:",omitempty"` // of the Active state
	Since    tick.Tick   `json:",omitempty"` // last change of the state
	Muted    tick.Tick   `json:",omitempty"` // muted until then; 0: not muted
	Said     sent        `json:",omitzero"`
	Fatigue  fatigue     `json:",omitzero"`
	Mood     float64     `json:",omitempty"` // added to the mood of the account
	Partner  string      `json:",omitempty"`
	Topic    []uint32    `json:",omitempty"` // sorted hashes of the terms of its last topic
	Lines    ownMessages `json:",omitempty"` // the bot's last messages
	Again    int         `json:",omitempty"` // superseded turns of the waiting messages
	Rhythm   rhythm      `json:",omitzero"`
}

// A turn is a judged batch. It is open until it is skipped or the next batch is judged. The bot may answer it while
// it is open and not stale.
type turn struct {
	id       uint64
	judging  bool // the policy has not returned yet
	At       tick.Tick
	Open     bool      `json:",omitempty"`
	Called   bool      `json:",omitempty"`
	To       addressee `json:",omitzero"`
	Spoke    bool      `json:",omitempty"`
	Recalled bool      `json:",omitempty"` // all messages that addressed the bot were retracted
	Begun    bool      `json:",omitempty"` // opened by BeginTurn, without a batch
	Begins   bool      `json:",omitempty"` // Begun: the bot begins a talk
	Answered bool      `json:",omitempty"` // somebody else addressed the author it would answer
	Newer    int       `json:",omitempty"` // messages received after its batch
	Again    int       `json:",omitempty"` // earlier turns of its batch that were superseded
	Batch    batch     `json:",omitzero"`
}

// recall removes the message with that id from the waiting messages or the turn.
func (c *chat[K]) recall(id string) (found bool) {
	if c.waiting.recall(id) {
		return true
	}
	if !c.turn.Batch.recall(id) {
		return false
	}
	if by, _ := c.turn.Batch.addressedBy(c.turn.At, math.MaxInt64); by == 0 && c.turn.Called {
		c.turn.Recalled = true
	}
	return true
}

// isAddressed reports whether a message addresses the bot at t. The message is waiting, or in a turn without a reply.
func (c *chat[K]) isAddressed(t tick.Tick) bool {
	by, _ := c.waiting.addressedBy(t, c.account.maxAge)
	u := &c.turn
	return by != 0 || (u.Open || u.judging) && u.Called && !u.Spoke && !u.Recalled && u.At.Add(c.account.maxAge) > t
}

// conclude opens or closes c's turn after its verdict. If an open turn addresses the bot, the Addressed period
// restarts.
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

// close ends c's turn. The chat stays Addressed only if a waiting message addresses the bot.
func (c *chat[K]) close(t tick.Tick) {
	c.turn.Open = false
	c.account.release(&c.turn.Batch)
	c.endAddressed(t)
}

// endAddressed ends the Addressed state if no message addresses the bot any more.
func (c *chat[K]) endAddressed(t tick.Tick) (ended bool) {
	if ended = c.Summoned > t && !c.isAddressed(t); ended {
		c.Summoned = 0
	}
	return ended
}

// visibleState returns the state at t, or Offline during sleep.
func (c *chat[K]) visibleState(t tick.Tick) State {
	if c.account.asleep {
		return Offline
	}
	return c.stateAt(t)
}

// stateAt returns the state at t. It ignores sleep.
func (c *chat[K]) stateAt(t tick.Tick) State {
	switch {
	case c.Summoned > t:
		return Addressed
	case c.Active > t:
		return Active
	}
	return Observing
}

// replied charges the cost of a reply at t, and starts or extends the Active state.
func (c *chat[K]) replied(t tick.Tick) {
	c.Fatigue.add(t, max(c.settings.energy.ReplyCost, 0), &c.settings.energy, c.account.loc)
	switch {
	case c.settings.activeFor < 0:
		return
	case c.Active <= t:
		c.Renewals = 0
	case c.Renewals >= c.settings.maxRenewals:
		return
	default:
		c.Renewals++
	}
	c.Active = t.Add(c.settings.activeFor)
}

// remember stores the partner and the topic of a reply. words are the sorted terms of the reply.
func (c *chat[K]) remember(words []uint32) {
	c.Topic = append(c.Topic[:0], words...)
	if b := &c.turn.Batch; len(b.Heard) > 0 {
		last := b.answers()
		if c.Partner != last.From {
			c.Partner = string([]byte(last.From))
		}
		var scratch [fold.MaxTerms]uint32
		c.Topic = append(c.Topic, fold.Terms(scratch[:0], last.Text)...)
		slices.Sort(c.Topic)
		c.Topic = slices.Compact(c.Topic)
	}
}

// deadline returns when the state at t expires; 0: never.
func (c *chat[K]) deadline(t tick.Tick) tick.Tick {
	switch c.stateAt(t) {
	case Addressed:
		return c.Summoned
	case Active:
		return c.Active
	}
	return 0
}
