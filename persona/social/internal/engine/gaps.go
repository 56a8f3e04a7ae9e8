package engine

import (
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// gaps are the chats that may have missed something.
type gaps struct {
	mu    sync.Mutex
	chats map[persona.Chat]struct{}
	all   bool
	wake  chan struct{}
}

func newGaps() *gaps {
	return &gaps{chats: map[persona.Chat]struct{}{}, wake: make(chan struct{}, 1)}
}

// add has a chat looked through. It never blocks. The zero Chat is none.
func (g *gaps) add(chat persona.Chat) {
	if chat == (persona.Chat{}) {
		return
	}
	g.mu.Lock()
	g.chats[chat] = struct{}{}
	g.mu.Unlock()
	g.poke()
}

// addAll has every chat looked through that is known.
func (g *gaps) addAll() {
	g.mu.Lock()
	g.all = true
	g.mu.Unlock()
	g.poke()
}

func (g *gaps) poke() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// take empties the gaps.
func (g *gaps) take() (chats map[persona.Chat]struct{}, all bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	chats, all = g.chats, g.all
	g.chats, g.all = map[persona.Chat]struct{}{}, false
	return chats, all
}

// gap returns the gap of a chat. known reports the messages at which its history needs to be read no further, and is nil where
// there can be none.
func (r *Chat) gap(identify func(*persona.Message)) (known func(persona.Message) bool, gap int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen.canEndGap() {
		known = func(m persona.Message) bool {
			identify(&m)
			r.mu.Lock()
			defer r.mu.Unlock()
			return !m.Own && r.seen.endsGap(m.Key)
		}
	}
	return known, r.seen.known.Gap()
}

// openGap notes that messages may have been missed in a chat. Messages that come from now on do not show how far back its history
// must be read.
func (r *Chat) openGap() {
	r.mu.Lock()
	r.seen.known.OpenGap()
	r.mu.Unlock()
}

// openGaps does so for all chats when the link is connected.
func (b *Engine) openGaps() {
	b.mu.Lock()
	for _, r := range b.rooms {
		r.mu.Lock()
		r.seen.connected(time.Now())
		r.mu.Unlock()
	}
	b.mu.Unlock()
	b.gaps.addAll()
}
