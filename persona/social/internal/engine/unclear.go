package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A doubtful send is one whose outcome nobody knows. It is looked up in the chat's history where the platform has one,
// else told; it is never sent again. Its errand ends with it.
type doubtful struct {
	errand string
	n      int // of the errand's outbox
	entry  persona.Entry
	looked int // how often a look at the history failed
}

const (
	doubtLooks = 3                // looks that may fail before the owner is told
	doubtPause = 20 * time.Second // between them
	doubtSlack = time.Second      // by which the platform's clock may be behind ours, beside whole seconds
)

// doubt notes a send that is unclear, and has its chat looked through.
func (b *Engine) doubt(d doubtful) {
	b.mu.Lock()
	b.doubts = append(b.doubts, d)
	b.mu.Unlock()
	b.gaps.add(d.entry.Chat)
}

// doubtAll takes up an errand that acted and was cut off: what it said is looked up, and what else it did is told.
func (b *Engine) doubtAll(ctx context.Context, e persona.Errand) error {
	said, tell := false, b.recovery(e.Kind).Unclear
	for i, entry := range e.Outbox {
		switch {
		case entry.Status != persona.Unclear:
		case i == 0 && tell != nil:
			tell(ctx, e)
		case entry.Chat == b.Owners.ID: // it is in the talk with the owner
			b.NotifyOwner(ctx, "有一句话可能没有送到："+ClipBytes(entry.Text, 120))
		default:
			said = true
			b.Log.Warn("it is unclear whether this was sent; it is not sent again", "chat", entry.Chat, "errand", e.ID)
			b.doubt(doubtful{errand: e.ID, n: i, entry: entry})
		}
	}
	if said {
		return nil // settle ends it
	}
	if tell != nil {
		return b.Jobs.Done(ctx, time.Now(), e.ID, "unclear")
	}
	where := "在 " + e.Chat.String() + " 做的"
	if e.Chat == (persona.Chat{}) || e.Chat == b.Owners.ID {
		where = "" // the owner's side
	}
	b.NotifyOwner(ctx, where+"一件事被打断了，不知道做成没有，没有再做。")
	return b.Jobs.Done(ctx, time.Now(), e.ID, "interrupted")
}

// settle ends the doubts of a chat by its newest messages, or by telling the owner. A look that failed is
// repeated.
func (b *Engine) settle(ctx context.Context, chat persona.Chat, doubts []doubtful, past []persona.Message, lookErr error) {
	if ctx.Err() != nil {
		return // the errands stay as they are, for the next start
	}
	used := map[string]bool{}
	for _, d := range doubts {
		if lookErr != nil && !errors.Is(lookErr, errNoHistory) && d.looked+1 < doubtLooks {
			d.looked++
			b.mu.Lock()
			b.doubts = append(b.doubts, d)
			b.mu.Unlock()
			continue
		}
		if id := b.find(d, past, used); id != "" {
			used[id] = true
			if err := b.Jobs.Result(ctx, time.Now(), d.errand, d.n, id, nil, false); err != nil {
				b.Log.Error("a settled send was not kept", "errand", d.errand, "err", err)
			}
		} else {
			b.NotifyOwner(ctx, "有一句话可能没有送到 "+chat.String()+"：「"+ClipBytes(d.entry.Text, 120)+"」。没有重发。")
		}
		if err := b.Jobs.Done(ctx, time.Now(), d.errand, "settled"); err != nil {
			b.Log.Error("a settled errand was not ended", "errand", d.errand, "err", err)
		}
	}
}

// takeDoubts takes out what is in doubt in a chat.
func (b *Engine) takeDoubts(chat persona.Chat) (found []doubtful) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.doubts = slices.DeleteFunc(b.doubts, func(d doubtful) bool {
		if d.entry.Chat != chat {
			return false
		}
		found = append(found, d)
		return true
	})
	return found
}

func (b *Engine) doubtfulChats() (chats []persona.Chat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.doubts {
		chats = append(chats, d.entry.Chat)
	}
	return chats
}

// find gives the id of the message that was sent after all; empty when it is not there. What is known to be another
// send of the same words is not it.
func (b *Engine) find(d doubtful, past []persona.Message, used map[string]bool) string {
	b.mu.Lock()
	r := b.rooms[d.entry.Chat]
	b.mu.Unlock()
	for _, m := range past {
		if !m.Own || !reads(m.Text, d.entry.Text) || m.At.Before(d.entry.At.Truncate(time.Second).Add(-doubtSlack)) || used[m.ID] {
			continue
		}
		if r == nil || !r.confirmed(messageID(m.Key)) {
			return m.ID
		}
	}
	return ""
}

// reads reports whether a message of the history is what was said, by itself or behind mentions, which read as names there.
func reads(text, said string) bool {
	return text == said || strings.HasPrefix(text, "@") && strings.HasSuffix(text, " "+said)
}

// confirmed reports whether the platform gave this id for another send.
func (r *Chat) confirmed(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen.own[key].confirmed
}
