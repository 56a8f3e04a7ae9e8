package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// largeGap is how many messages of a history that reaches back to none that is known make it worth a warning.
const largeGap = 100

// fill fetches what was said while nobody listened, and what is in doubt. After a start it waits for the link: a history that
// cannot be had yet says nothing of what was sent.
func (b *Engine) fill(ctx context.Context) error {
	if b.Options.Features.RecentMessages != nil {
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

func (b *Engine) recent(ctx context.Context, chat persona.Chat, known func(persona.Message) bool) ([]persona.Message, error) {
	if b.Options.Features.RecentMessages == nil {
		return nil, errNoHistory
	}
	past, err := b.Options.Features.RecentMessages(ctx, chat, known)
	for i := range past {
		b.Identify(&past[i])
	}
	return past, err
}
