package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/clip"
)

// A Notice is what a message means when it arrives.
type Notice struct {
	Addressed bool // it calls the bot
	// It supersedes the open turn, because the one whom that would answer writes on and nothing was said yet. Who can
	// stops the model, tells it by [Attention.SkipTurn] with [WhySuperseded], and has the batch judged again with this
	// message; who cannot lets the turn go on. It is never told more often than Fresh.Patience in a row, and never for
	// what others write.
	Supersedes bool
}

// Observe takes a message on its arrival and reports whether it calls the bot: in private, by an @, a reply, a name, a
// wake word or a keyword, whether or not the bot may answer now. A message that was said longer ago than MaxAge, one of
// the bot's own, and any in a chat that is off, is counted and changes nothing: it does not call.
//
// The strings of m are kept until its batch has been judged and answered, or 32 newer ones have come; whoever cuts them
// out of a large frame clones them first.
func (a *Attention[K]) Observe(now time.Time, chat K, m Message) (n Notice) {
	a.mu.Lock()
	t := a.tuning(chat)
	a.mu.Unlock()
	by := t.calls(&m) // texts are looked through without the lock
	var g glimpse
	t.glimpse(&m, by, &g)
	at := a.enter(now)
	defer a.leave()
	a.stats.Received++
	c := a.chat(chat)
	switch {
	case m.Own:
		a.stats.Own++
		if g.wanted && c.tuning.back != nil && !c.tuning.off {
			c.lookBack().say(m.ID, m.QuoteID, at, 0, &g, c.tuning.back.Links)
		}
		return n
	case c.tuning.off:
		count(a.stats.Dropped, WhyOff)
		return n
	case !m.At.IsZero() && tick.Of(m.At).Add(a.o.MaxAge) < at:
		count(a.stats.Dropped, WhyStale)
		return n
	}
	if m.At.IsZero() {
		m.At = at.Time(a.account.loc)
	}
	if len(m.Text) > maxText {
		m.Text = string([]byte(clip.Bytes(m.Text, maxText)))
	}
	if !m.Replayed {
		c.Said.heard(m.FromBot)
	}
	h := Received{Message: m, seen: at, calls: by}
	if g.wanted && c.tuning.back != nil {
		h.look = c.lookBack().hear(&m, at, &g, c.tuning.back.Links)
	}
	c.waiting.add(h, a.account.take)
	n = Notice{Addressed: by != 0, Supersedes: c.turn.heard(&m, c.tuning.fresh.MaxSuperseded)}
	if by == 0 {
		return n
	}
	a.stats.Addressed++
	for _, code := range a.whys[by] {
		count(a.stats.AddressedBy, code)
	}
	if !a.account.asleep {
		c.Summoned = at.Add(a.o.MaxAge)
		a.reconsider(c, at, a.whys[by])
	}
	return n
}

// maxText is how many bytes of a text are kept for policies.
const maxText = 4096

// Retract takes back the message with that id: it does not call any more, and what a verdict on it alone permitted is
// refused.
func (a *Attention[K]) Retract(now time.Time, chat K, id string) {
	at := a.enter(now)
	defer a.leave()
	c := a.chats[chat]
	if c == nil || id == "" {
		return
	}
	if c.recent != nil {
		c.recent.chat.Recall(idHash(id))
	}
	if !c.recall(id) {
		return
	}
	if a.stats.Retracted++; c.unsummon(at) {
		a.reconsider(c, at, []Code{WhyRetracted})
	}
}
