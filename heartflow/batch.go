package heartflow

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// maxWaiting is the number of messages of a chat that wait for a verdict. Older ones are dropped, but the batch keeps
// their reasons.
const maxWaiting = 32

// A batch holds the messages received between two verdicts.
type batch struct {
	Heard  receivedList `json:",omitempty"` // the newest messages, oldest first
	Count  int          `json:",omitempty"` // received messages, including dropped ones
	Lost   reasons      `json:",omitempty"` // reasons of the dropped messages
	LostAt tick.Tick    `json:",omitempty"` // time of the newest dropped message with a reason
}

// IsZero reports whether b is empty, with or without a buffer. Snapshots omit an empty batch.
func (b batch) IsZero() bool {
	return len(b.Heard) == 0 && b.Count == 0 && b.Lost == 0 && b.LostAt == 0
}

// clone returns a copy of b with its own buffer.
func (b batch) clone() batch {
	b.Heard = slices.Clone(b.Heard)
	return b
}

// add appends h. If b has no buffer, take provides one.
func (b *batch) add(h Received, take func() []Received) {
	if b.Heard == nil {
		b.Heard = take()
	}
	if len(b.Heard) == maxWaiting {
		b.lose(b.Heard[0])
		copy(b.Heard, b.Heard[1:])
		b.Heard = b.Heard[:maxWaiting-1]
	}
	b.Heard = append(b.Heard, h)
	b.Count++
}

// lose drops h but keeps its reasons.
func (b *batch) lose(h Received) {
	if h.reasons != 0 {
		b.Lost |= h.reasons
		b.LostAt = max(b.LostAt, h.seen)
	}
}

// prepend puts the older batch old in front of b. It reuses the buffer of old.
func (b *batch) prepend(old batch) {
	all := append(old.Heard, b.Heard...)
	over := max(len(all)-maxWaiting, 0)
	for _, h := range all[:over] {
		b.lose(h)
	}
	b.Heard = slices.Delete(all, 0, over)
	b.Count += old.Count
	b.Lost |= old.Lost
	b.LostAt = max(b.LostAt, old.LostAt)
}

// split divides b after the message with that id. The buffer of the tail comes from take. If no message has the id,
// the head is all of b.
func (b *batch) split(id string, take func() []Received) (head, tail batch) {
	head = *b
	if id == "" {
		return head, batch{}
	}
	for i := len(b.Heard) - 2; i >= 0; i-- { // nothing comes after the last message
		if b.Heard[i].ID == id {
			tail.Heard = append(take(), b.Heard[i+1:]...)
			tail.Count = len(tail.Heard)
			clear(b.Heard[i+1:])
			head.Heard = b.Heard[:i+1]
			head.Count -= tail.Count
			break
		}
	}
	return head, tail
}

// addressedBy returns the reasons for which b addresses the bot at t. Reasons older than maxAge only set stale.
func (b *batch) addressedBy(t tick.Tick, maxAge time.Duration) (by reasons, stale bool) {
	for i := range b.Heard {
		if h := &b.Heard[i]; h.reasons != 0 {
			if h.seen.Add(maxAge) >= t {
				by |= h.reasons
			} else {
				stale = true
			}
		}
	}
	if b.Lost != 0 {
		if b.LostAt.Add(maxAge) >= t {
			by |= b.Lost
		} else {
			stale = true
		}
	}
	return by, stale
}

// caller returns the addressee of a turn over b: the last person who addressed the bot by anything but a keyword and
// passes free, or else the last one. It is zero if there is none.
func (b *batch) caller(t tick.Tick, maxAge time.Duration, free func(addressee) bool) (to addressee) {
	for i := len(b.Heard) - 1; i >= 0; i-- {
		h := &b.Heard[i]
		if h.reasons&^isKeyword == 0 || h.FromBot || h.seen.Add(maxAge) < t {
			continue
		}
		is := addressee{Called: true, Private: h.Private}
		if h.From != "" {
			is.Person = authorHash(h.From)
		}
		if is.Private || free(is) {
			return is
		}
		if !to.Called {
			to = is
		}
	}
	if b.Lost&^isKeyword != 0 && b.LostAt.Add(maxAge) >= t { // the person is not known any more
		return addressee{Called: true, Private: b.Lost&isPrivate != 0}
	}
	return to
}

// recall removes the message with that id and reports whether it was in b.
func (b *batch) recall(id string) (found bool) {
	i := slices.IndexFunc(b.Heard, func(h Received) bool { return h.ID == id })
	if i < 0 {
		return false
	}
	b.Heard = slices.Delete(b.Heard, i, i+1)
	b.Count--
	return true
}

// author returns the author of the message that a turn over b answers.
func (b *batch) author() string {
	if len(b.Heard) == 0 {
		return ""
	}
	return b.answers().From
}

// answers returns the message that a turn over b answers: the last one that addresses the bot, or else the last one.
func (b *batch) answers() *Received {
	for i := len(b.Heard) - 1; i >= 0; i-- {
		if b.Heard[i].reasons != 0 {
			return &b.Heard[i]
		}
	}
	return &b.Heard[len(b.Heard)-1]
}
