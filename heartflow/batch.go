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
	heard  []Heard   // the newest, oldest first
	count  int       // how many there were
	lost   calls     // by messages that are not in heard any more
	lostAt tick.Tick // the newest of those
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

// author is whom a turn over b answers: who called last, or who said the last where nobody did.
func (b *batch) author() string {
	if len(b.heard) == 0 {
		return ""
	}
	return b.answers().From
}

// answers is the message that a turn over b answers.
func (b *batch) answers() *Heard {
	for i := len(b.heard) - 1; i >= 0; i-- {
		if b.heard[i].calls != 0 {
			return &b.heard[i]
		}
	}
	return &b.heard[len(b.heard)-1]
}
