package heartflow

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// maxHeard is how many messages of a chat wait for a verdict. What older ones called is not forgotten with them.
const maxHeard = 32

// A batch is what was heard between two verdicts.
type batch struct {
	Heard  heards    `json:",omitempty"` // the newest, oldest first
	Count  int       `json:",omitempty"` // how many there were
	Lost   calls     `json:",omitempty"` // by messages that are not in Heard any more
	LostAt tick.Tick `json:",omitempty"` // the newest of those
}

// IsZero leaves an empty batch out of a snapshot, also one that has a buffer.
func (b batch) IsZero() bool {
	return len(b.Heard) == 0 && b.Count == 0 && b.Lost == 0 && b.LostAt == 0
}

// clone has a buffer of its own.
func (b batch) clone() batch {
	b.Heard = slices.Clone(b.Heard)
	return b
}

// add appends h; take gives a buffer where there is none.
func (b *batch) add(h Received, take func() []Received) {
	if b.Heard == nil {
		b.Heard = take()
	}
	if len(b.Heard) == maxHeard {
		b.lose(b.Heard[0])
		copy(b.Heard, b.Heard[1:])
		b.Heard = b.Heard[:maxHeard-1]
	}
	b.Heard = append(b.Heard, h)
	b.Count++
}

// lose keeps of h only that it called.
func (b *batch) lose(h Received) {
	if h.calls != 0 {
		b.Lost |= h.calls
		b.LostAt = max(b.LostAt, h.seen)
	}
}

// prepend puts an older batch in front, which is used up by it.
func (b *batch) prepend(old batch) {
	all := append(old.Heard, b.Heard...)
	over := max(len(all)-maxHeard, 0)
	for _, h := range all[:over] {
		b.lose(h)
	}
	b.Heard = slices.Delete(all, 0, over)
	b.Count += old.Count
	b.Lost |= old.Lost
	b.LostAt = max(b.LostAt, old.LostAt)
}

// split gives the batch up to the message with that id, and what came after it; take gives a buffer for that. Without
// such a message all is in the first.
func (b *batch) split(id string, take func() []Received) (head, tail batch) {
	head = *b
	if id == "" {
		return head, batch{}
	}
	for i := len(b.Heard) - 2; i >= 0; i-- { // of the last message nothing is after
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

// calls returns by what the batch calls at t: calls that are not older than maxAge, and whether older ones did.
func (b *batch) calls(t tick.Tick, maxAge time.Duration) (by calls, stale bool) {
	for i := range b.Heard {
		if h := &b.Heard[i]; h.calls != 0 {
			if h.seen.Add(maxAge) >= t {
				by |= h.calls
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

// recall drops the message with that id.
func (b *batch) recall(id string) (found bool) {
	i := slices.IndexFunc(b.Heard, func(h Received) bool { return h.ID == id })
	if i < 0 {
		return false
	}
	b.Heard = slices.Delete(b.Heard, i, i+1)
	b.Count--
	return true
}

// author is whom a turn over b answers: who called last, or who said the last where nobody did.
func (b *batch) author() string {
	if len(b.Heard) == 0 {
		return ""
	}
	return b.answers().From
}

// answers is the message that a turn over b answers.
func (b *batch) answers() *Received {
	for i := len(b.Heard) - 1; i >= 0; i-- {
		if b.Heard[i].calls != 0 {
			return &b.Heard[i]
		}
	}
	return &b.Heard[len(b.Heard)-1]
}
