package heartflow

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// maxHeard is how many messages of a chat wait for a verdict. What older ones called is not forgotten with them.
const maxHeard = 32

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

// A batch is what was heard between two verdicts.
type batch struct {
	heard  []Heard   // the newest, oldest first
	count  int       // how many there were
	lost   calls     // by messages that are not in heard any more
	lostAt tick.Tick // the newest of those
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

// add appends h; take gives a buffer where there is none.
func (b *batch) add(h Heard, take func() []Heard) {
	if b.heard == nil {
		b.heard = take()
	}
	if len(b.heard) == maxHeard {
		b.lose(b.heard[0])
		copy(b.heard, b.heard[1:])
		b.heard = b.heard[:maxHeard-1]
	}
	b.heard = append(b.heard, h)
	b.count++
}

// lose keeps of h only that it called.
func (b *batch) lose(h Heard) {
	if h.calls != 0 {
		b.lost |= h.calls
		b.lostAt = max(b.lostAt, h.seen)
	}
}

// prepend puts an older batch in front, which is used up by it.
func (b *batch) prepend(old batch) {
	all := append(old.heard, b.heard...)
	over := max(len(all)-maxHeard, 0)
	for _, h := range all[:over] {
		b.lose(h)
	}
	b.heard = slices.Delete(all, 0, over)
	b.count += old.count
	b.lost |= old.lost
	b.lostAt = max(b.lostAt, old.lostAt)
}

// split gives the batch up to the message with that id, and what came after it; take gives a buffer for that. Without
// such a message all is in the first.
func (b *batch) split(id string, take func() []Heard) (head, tail batch) {
	head = *b
	if id == "" {
		return head, batch{}
	}
	for i := len(b.heard) - 2; i >= 0; i-- { // of the last message nothing is after
		if b.heard[i].ID == id {
			tail.heard = append(take(), b.heard[i+1:]...)
			tail.count = len(tail.heard)
			clear(b.heard[i+1:])
			head.heard = b.heard[:i+1]
			head.count -= tail.count
			break
		}
	}
	return head, tail
}

// calls returns by what the batch calls at t: calls that are not older than maxAge, and whether older ones did.
func (b *batch) calls(t tick.Tick, maxAge time.Duration) (by calls, stale bool) {
	for i := range b.heard {
		if h := &b.heard[i]; h.calls != 0 {
			if h.seen.Add(maxAge) >= t {
				by |= h.calls
			} else {
				stale = true
			}
		}
	}
	if b.lost != 0 {
		if b.lostAt.Add(maxAge) >= t {
			by |= b.lost
		} else {
			stale = true
		}
	}
	return by, stale
}

// recall drops the message with that id.
func (b *batch) recall(id string) (found bool) {
	i := slices.IndexFunc(b.heard, func(h Heard) bool { return h.ID == id })
	if i < 0 {
		return false
	}
	b.heard = slices.Delete(b.heard, i, i+1)
	b.count--
	return true
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
