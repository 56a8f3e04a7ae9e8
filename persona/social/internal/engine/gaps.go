package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// maxHistoryWait limits how long a message waits for the history before it. A platform that answers needs a second for a long one.
const maxHistoryWait = 5 * time.Second

// gaps holds the chats whose history must be read, because messages may be missing. New messages of these chats wait for it, so that
// they are stored behind the missing ones.
type gaps struct {
	mu      sync.Mutex
	all     *reading                  // of every known chat, until they are listed; nil: not requested
	waitAll []persona.Chat            // those in which a message waits for all
	waiting map[persona.Chat]*reading // not begun
	order   []persona.Chat            // those of waiting, sorted
	current persona.Chat              // is being read; zero: none
	reading *reading                  // of current
	wake    chan struct{}
}

// A reading is a requested read of a history.
type reading struct {
	done   chan struct{} // closed when it has ended
	gap    bool          // messages may be missing; otherwise it only looks up sends, and no message waits for it
	urgent bool          // a message waits for it
	late   bool          // a message has waited for it too long, so that the next ones do not wait
}

func newReading(gap bool) *reading { return &reading{done: make(chan struct{}), gap: gap} }

func newGaps() *gaps {
	return &gaps{waiting: map[persona.Chat]*reading{}, wake: make(chan struct{}, 1)}
}

// add requests a read of the histories of chats in which messages may be missing. It never blocks. It ignores the zero Chat.
func (g *gaps) add(chats ...persona.Chat) { g.request(true, chats) }

// lookUp requests a read of the histories of chats with unconfirmed sends. It never blocks. It ignores the zero Chat.
func (g *gaps) lookUp(chats ...persona.Chat) { g.request(false, chats) }

func (g *gaps) request(gap bool, chats []persona.Chat) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, chat := range chats {
		switch r := g.waiting[chat]; {
		case chat == (persona.Chat{}):
		case r != nil:
			r.gap = r.gap || gap
		default:
			g.waiting[chat] = newReading(gap)
			i, _ := slices.BinarySearchFunc(g.order, chat, compareChats)
			g.order = slices.Insert(g.order, i, chat)
			g.signal()
		}
	}
}

func compareChats(a, b persona.Chat) int { return cmp.Compare(a.String(), b.String()) }

// addAll requests a read of the history of every known chat. From now on messages wait; signal begins the read.
func (g *gaps) addAll() {
	g.mu.Lock()
	if g.all == nil {
		g.all = newReading(true)
	}
	g.mu.Unlock()
}

func (g *gaps) signal() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// list adds every known chat if that was requested.
func (g *gaps) list(known func() []persona.Chat) {
	g.mu.Lock()
	all := g.all
	g.mu.Unlock()
	if all == nil {
		return
	}
	g.add(known()...)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, chat := range g.waitAll {
		if r := g.waiting[chat]; r != nil {
			r.urgent = true
		}
	}
	g.all, g.waitAll = nil, nil
	close(all.done)
}

// pending reports whether a history is to be read, or is being read.
func (g *gaps) pending() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all != nil || len(g.order) > 0 || g.reading != nil
}

// begin returns a chat whose history is to be read now: one in which a message waits, or the first one. end ends the read.
func (g *gaps) begin() (chat persona.Chat, end func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.order) == 0 {
		return chat, nil, false
	}
	i := max(0, slices.IndexFunc(g.order, func(c persona.Chat) bool { return g.waiting[c].urgent }))
	chat = g.order[i]
	g.current, g.reading = chat, g.waiting[chat]
	g.order = slices.Delete(g.order, i, i+1)
	delete(g.waiting, chat)
	return chat, g.end, true
}

func (g *gaps) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.reading.done)
	g.current, g.reading = persona.Chat{}, nil
}

// of returns the read for which the messages of a chat wait, or nil.
func (g *gaps) of(chat persona.Chat) *reading {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range [...]*reading{g.all, g.waiting[chat], g.readingOf(chat)} {
		if r == nil || !r.gap || r.late {
			continue
		}
		r.urgent = true
		if r == g.all && !slices.Contains(g.waitAll, chat) {
			g.waitAll = append(g.waitAll, chat)
		}
		return r
	}
	return nil
}

// readingOf returns the read of a chat's history that has begun, or nil.
func (g *gaps) readingOf(chat persona.Chat) *reading {
	if g.current != chat {
		return nil
	}
	return g.reading
}

// wait waits until the history of a chat has been read if that was requested, but not for ever.
func (g *gaps) wait(ctx context.Context, chat persona.Chat) {
	var end <-chan time.Time
	for {
		r := g.of(chat)
		if r == nil {
			return
		}
		if end == nil {
			end = time.After(maxHistoryWait)
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return
		case <-end:
			g.mu.Lock()
			r.late = true
			g.mu.Unlock()
			return
		}
	}
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

// openGaps opens a gap in all chats after a connection. gaps.signal begins to read the histories.
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
