package qqbot

import (
	"sync"
	"time"
)

// pairs recognizes messages that come as two events without a common id: see Options.MergeMentions.
type pairs struct {
	window time.Duration

	mu     sync.Mutex
	firsts []first // oldest first
}

type first struct {
	chat               Chat
	author, text, name string
	at                 time.Time
}

// second reports whether m is the second event of a message. Each first event is used once, and both must have different names,
// so that a person can say the same twice.
func (p *pairs) second(now time.Time, m *Message) bool {
	if p.window <= 0 || !m.Chat.Group || !m.ToMe() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.firsts) > 0 && (now.Sub(p.firsts[0].at) > p.window || len(p.firsts) > 1000) {
		p.firsts = p.firsts[1:]
	}
	text := m.Text()
	for i, f := range p.firsts {
		if f.chat == m.Chat && f.author == m.Author.ID && f.text == text && f.name != m.Name {
			p.firsts = append(p.firsts[:i:i], p.firsts[i+1:]...)
			return true
		}
	}
	p.firsts = append(p.firsts, first{m.Chat, m.Author.ID, text, m.Name, now})
	return false
}
