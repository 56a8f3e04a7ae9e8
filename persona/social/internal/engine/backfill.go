package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// largeGap is how many messages of a history that reaches back to none that is known make it worth a warning.
const largeGap = 100

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

// fill fetches what was said while nobody listened, and what is in doubt. After a start it waits for the link: a history that
// cannot be had yet says nothing of what was sent.
func (b *Engine) fill(ctx context.Context) error {
	if b.Options.Features.Recent != nil {
		select {
		case <-b.Linked:
		case <-ctx.Done():
			return nil
		}
	}
	look := time.NewTimer(doubtPause)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			look.Reset(doubtPause)
			for _, c := range b.unconfirmed.doubtfulChats() {
				b.gaps.add(c)
			}
			continue
		case <-b.gaps.wake:
		}
		chats, all := b.gaps.take()
		if all {
			known, err := b.KnownChats(ctx)
			if err != nil && ctx.Err() == nil {
				b.Log.Error("the chats to fill are not known", "err", err)
			}
			for _, c := range append(known, b.unconfirmed.doubtfulChats()...) {
				chats[c] = struct{}{}
			}
		}
		for _, c := range slices.SortedFunc(maps.Keys(chats), func(a, b persona.Chat) int { return cmp.Compare(a.String(), b.String()) }) {
			if ctx.Err() == nil {
				b.fillOne(ctx, c)
			}
		}
	}
}

var errNoHistory = errors.New("social: the link keeps no history")

// fillOne looks one chat through: what is new is perceived, and what is in doubt is settled.
func (b *Engine) fillOne(ctx context.Context, chat persona.Chat) {
	doubts := b.unconfirmed.takeDoubts(chat) // before the look: a doubt that comes up during it needs another
	r, gap := b.Met(chat), 0
	var known func(persona.Message) bool
	if r != nil {
		known, gap = r.gap(b.Identify)
	}
	past, err := b.recent(ctx, chat, known)
	b.unconfirmed.settle(ctx, chat, doubts, past, err)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errNoHistory) {
		b.Log.Warn("a chat's history was not fetched", "chat", chat, "fetched", len(past), "err", err)
	} else if len(past) >= largeGap && (known == nil || !slices.ContainsFunc(past, known)) {
		b.Log.Warn("a gap is larger than what is fetched of it", "chat", chat, "fetched", len(past))
	}
	for _, m := range past {
		if err := b.perceive(ctx, m); err != nil {
			if ctx.Err() == nil {
				b.Log.Error("a message of the history was not kept", "chat", chat, "id", m.ID, "err", err)
			}
			return
		}
	}
	if r != nil && (err == nil || errors.Is(err, errNoHistory)) {
		r.mu.Lock()
		r.seen.known.CloseGap(gap)
		r.mu.Unlock()
	}
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

func (b *Engine) recent(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error) {
	if b.Options.Features.Recent == nil {
		return nil, errNoHistory
	}
	past, err := b.Options.Features.Recent(ctx, chat, known)
	for i := range past {
		b.Identify(&past[i])
	}
	return past, err
}

// KnownChats are the chats that memory holds, be it in their secret spaces alone.
func (b *Engine) KnownChats(ctx context.Context) ([]persona.Chat, error) {
	spaces, err := b.Memory.Spaces(ctx)
	var chats []persona.Chat
	for _, s := range spaces {
		var c persona.Chat
		if c.UnmarshalText([]byte(s.Plain())) == nil && !slices.Contains(chats, c) {
			chats = append(chats, c)
		}
	}
	return chats, err
}
