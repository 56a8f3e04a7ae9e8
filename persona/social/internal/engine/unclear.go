package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

const (
	doubtLooks = 3                // looks that may fail before the owner is told
	doubtPause = 20 * time.Second // between them
	doubtSlack = time.Second      // by which the platform's clock may be behind ours, beside whole seconds
)

// doubt notes a send that is unclear, and has its chat looked through.
func (u *unconfirmed) doubt(d doubtful) {
	u.mu.Lock()
	u.sends = append(u.sends, d)
	u.mu.Unlock()
	u.engine.gaps.add(d.entry.Chat)
}

// doubtAll takes up an errand that acted and was cut off: what it said is looked up, and what else it did is told.
func (u *unconfirmed) doubtAll(ctx context.Context, e jobs.Job) error {
	said, tell := false, u.engine.recovery(e.Kind).Unclear
	for i, entry := range e.Outbox {
		switch {
		case entry.Status != jobs.Unclear:
		case i == 0 && tell != nil:
			tell(ctx, e)
		case entry.Chat == u.engine.Owners.ID: // it is in the talk with the owner
			u.engine.NotifyOwner(ctx, "有一句话可能没有送到："+clip.Bytes(Line(entry.Text), 120))
		default:
			said = true
			u.engine.Log.Warn("it is unclear whether this was sent; it is not sent again", "chat", entry.Chat, "errand", e.ID)
			u.doubt(doubtful{errand: e.ID, n: i, entry: entry})
		}
	}
	if said {
		return nil // settle ends it
	}
	if tell != nil {
		return u.engine.Jobs.Done(ctx, time.Now(), e.ID, "unclear")
	}
	where := "在 " + e.Chat.String() + " 做的"
	if e.Chat == (persona.Chat{}) || e.Chat == u.engine.Owners.ID {
		where = "" // the owner's side
	}
	u.engine.NotifyOwner(ctx, where+"一件事被打断了，不知道做成没有，没有再做。")
	return u.engine.Jobs.Done(ctx, time.Now(), e.ID, "interrupted")
}

// settle ends the doubts of a chat by its newest messages, or by telling the owner. A look that failed, without any
// messages, is repeated.
func (u *unconfirmed) settle(ctx context.Context, chat persona.Chat, doubts []doubtful, past []persona.Message, lookErr error) {
	if ctx.Err() != nil {
		return // the errands stay as they are, for the next start
	}
	used := map[string]bool{}
	for _, d := range doubts {
		if lookErr != nil && len(past) == 0 && !errors.Is(lookErr, errNoHistory) && d.looked+1 < doubtLooks {
			d.looked++
			u.mu.Lock()
			u.sends = append(u.sends, d)
			u.mu.Unlock()
			continue
		}
		if id := u.find(d, past, used); id != "" {
			used[id] = true
			if err := u.engine.Jobs.Result(ctx, time.Now(), d.errand, d.n, id, nil, false); err != nil {
				u.engine.Log.Error("a settled send was not kept", "errand", d.errand, "err", err)
			}
		} else {
			u.engine.NotifyOwner(ctx, "有一句话可能没有送到 "+chat.String()+"：「"+clip.Bytes(Line(d.entry.Text), 120)+"」。没有重发。")
		}
		if err := u.engine.Jobs.Done(ctx, time.Now(), d.errand, "settled"); err != nil {
			u.engine.Log.Error("a settled errand was not ended", "errand", d.errand, "err", err)
		}
	}
}

// takeDoubts takes out what is in doubt in a chat.
func (u *unconfirmed) takeDoubts(chat persona.Chat) (found []doubtful) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sends = slices.DeleteFunc(u.sends, func(d doubtful) bool {
		if d.entry.Chat != chat {
			return false
		}
		found = append(found, d)
		return true
	})
	return found
}

func (u *unconfirmed) doubtfulChats() (chats []persona.Chat) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, d := range u.sends {
		chats = append(chats, d.entry.Chat)
	}
	return chats
}

// find gives the id of the message that was sent after all; empty when it is not there. What is known to be another
// send of the same words is not it.
func (u *unconfirmed) find(d doubtful, past []persona.Message, used map[string]bool) string {
	r := u.engine.Met(d.entry.Chat)
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

var errNoHistory = errors.New("social: the link keeps no history")
