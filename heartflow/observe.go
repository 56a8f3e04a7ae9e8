package heartflow

import (
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/clip"
)

// A Notice is the immediate result of [Attention.Observe].
type Notice struct {
	Addressed bool // the message addresses the bot
	// The message supersedes the open turn: the author it would answer continues before the bot has spoken. A caller
	// that can cancel the model call skips the turn with [WhySuperseded] and judges the batch again with this
	// message. Other callers let the turn continue. It is set at most Staleness.MaxSuperseded times in a row, and
	// never for other authors.
	Supersedes bool
}

// Observe takes a message on arrival and reports whether it addresses the bot: by an @, a reply, a name, a wake word
// or a keyword, or in a private chat. The result does not depend on whether the bot may answer now. Messages older
// than MaxAge, own messages, and messages in a chat that is off never address the bot. They are counted, but not
// judged.
//
// The strings of m are kept until its batch is judged and answered, or until 32 newer messages arrive. Clone strings
// that share the memory of a large frame.
func (a *Attention[K]) Observe(now time.Time, chat K, m Message) (n Notice) {
	a.mu.Lock()
	t := a.settingsOf(chat)
	a.mu.Unlock()
	by := t.addressedBy(&m) // searches the text without the lock
	var g preview
	t.preview(&m, by, &g)
	at := a.enter(now)
	defer a.leave()
	a.stats.Received++
	c := a.chat(chat)
	switch {
	case m.Own:
		a.stats.Own++
		if g.wanted && c.settings.model != nil && !c.settings.off {
			c.historyOf().addOwn(m.ID, m.QuoteID, at, 0, &g, c.settings.model)
		}
		return n
	case c.settings.off:
		count(a.stats.Dropped, WhyOff)
		return n
	case !m.At.IsZero() && tick.Of(m.At).Add(a.o.MaxAge) < at:
		count(a.stats.Dropped, WhyStale)
		c.heard(tick.Of(m.At), &m, false)
		return n
	}
	c.heard(at, &m, true)
	c.silence.extend(a, at)
	if m.At.IsZero() {
		m.At = at.Time(a.account.loc)
	}
	if len(m.Text) > maxText {
		m.Text = string([]byte(clip.Bytes(m.Text, maxText)))
	}
	if !m.Replayed {
		c.Said.observe(m.FromBot)
	}
	h := Received{Message: m, seen: at, reasons: by}
	if g.wanted && c.settings.model != nil {
		h.features = c.historyOf().observe(&m, at, &g, c.settings.model)
	}
	c.waiting.add(h, a.account.takeBuffer)
	n = Notice{Addressed: by != 0, Supersedes: c.turn.observe(&m, c.settings.staleness.MaxSuperseded)}
	if by == 0 {
		return n
	}
	a.stats.Addressed++
	for _, code := range a.codeSets[by] {
		count(a.stats.AddressedBy, code)
	}
	if !a.account.asleep {
		c.Summoned = at.Add(a.o.MaxAge)
		a.updateState(c, at, a.codeSets[by])
	}
	return n
}

// maxText is the maximum length of a text kept for policies, in bytes.
const maxText = 4096

// Retract removes the message with that id after its author retracted it. It no longer addresses the bot. Speak
// refuses the reply of a turn that only this message addressed.
func (a *Attention[K]) Retract(now time.Time, chat K, id string) {
	at := a.enter(now)
	defer a.leave()
	c := a.chats[chat]
	if c == nil || id == "" {
		return
	}
	if c.history != nil {
		c.history.chat.Recall(idHash(id))
	}
	if !c.recall(id) {
		return
	}
	if a.stats.Retracted++; c.endAddressed(at) {
		a.updateState(c, at, []Code{WhyRetracted})
	}
}
