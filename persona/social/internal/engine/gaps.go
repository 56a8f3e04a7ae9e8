package engine

import (
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// gaps holds the chats whose history must be read, because messages may be missing.
type gaps struct {
	mu    sync.Mutex
	chats map[persona.Chat]struct{}
	all   bool
	wake  chan struct{}
}

func newGaps() *gaps {
	return &gaps{chats: map[persona.Chat]struct{}{}, wake: make(chan struct{}, 1)}
}

// add requests a read of a chat's history. It never blocks. It ignores the zero Chat.
func (g *gaps) add(chat persona.Chat) {
	if chat == (persona.Chat{}) {
		return
	}
	g.mu.Lock()
	g.chats[chat] = struct{}{}
	g.mu.Unlock()
	g.signal()
}

// addAll requests a read of the history of every known chat.
func (g *gaps) addAll() {
	g.mu.Lock()
	g.all = true
	g.mu.Unlock()
	g.signal()
}

func (g *gaps) signal() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// take returns the requests and clears them.
func (g *gaps) take() (chats map[persona.Chat]struct{}, all bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	chats, all = g.chats, g.all
	g.chats, g.all = map[persona.Chat]struct{}{}, false
	return chats, all
}

// gap returns the number of the chat's current gap. known reports whether a message was known before the gap, so that
// the history need not be read further. It is nil if no message can show that.
func (c *Chat) gap(identify func(*persona.Message)) (known func(persona.Message) bool, gap int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen.canEndGap() {
		known = func(m persona.Message) bool {
			identify(&m)
			c.mu.Lock()
			defer c.mu.Unlock()
			return !m.Own && c.seen.endsGap(m.Key)
		}
	}
	return known, c.seen.known.Gap()
}

// openGap notes that messages may be missing in a chat. Messages received from now on do not end the gap.
func (c *Chat) openGap() {
	c.mu.Lock()
	c.seen.known.OpenGap()
	c.mu.Unlock()
}

// openGaps opens a gap in all chats after a connection.
func (e *Engine) openGaps() {
	e.mu.Lock()
	for _, c := range e.chats {
		c.mu.Lock()
		c.seen.connected(time.Now())
		c.mu.Unlock()
	}
	e.mu.Unlock()
	e.gaps.addAll()
}
