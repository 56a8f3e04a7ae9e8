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
	maxLookups     = 3                // failed reads of the history before the owner is notified
	lookupInterval = 20 * time.Second // between reads
	journalLookup  = 50               // messages
	clockTolerance = time.Second      // by which the platform's clock may be behind, in addition to whole seconds
)

// add adds a send and requests a look-up in its chat.
func (u *unconfirmedSends) add(d unconfirmedSend) {
	u.mu.Lock()
	u.sends = append(u.sends, d)
	u.mu.Unlock()
	u.engine.gaps.lookUp(d.entry.Chat)
}

// addJob adds the sends of an interrupted job. It notifies the owner of other effects.
func (u *unconfirmedSends) addJob(ctx context.Context, e jobs.Job) error {
	said, tell := false, u.engine.recoveryOf(e.Kind).Unclear
	for i, entry := range e.Outbox {
		switch {
		case entry.Status != jobs.Unclear:
		case i == 0 && tell != nil:
			tell(ctx, e)
		case entry.Chat == u.engine.OwnerChat.ID: // an item for the owner
			u.engine.NotifyOwner(ctx, Notice{Text: "有一句话可能没有送到：" + clip.Bytes(QuoteLine(entry.Text), 120)})
		default:
			said = true
			u.engine.Log.Warn("the outcome of a send is unknown; it is not sent again", "chat", entry.Chat, "job", e.ID)
			u.add(unconfirmedSend{jobID: e.ID, index: i, entry: entry})
		}
	}
	if said {
		return nil // resolve ends it
	}
	if tell != nil {
		return u.engine.Jobs.Done(ctx, time.Now(), e.ID, "unclear")
	}
	where := "在 " + e.Chat.String() + " 做的"
	if e.Chat == (persona.Chat{}) || e.Chat == u.engine.OwnerChat.ID {
		where = "" // no chat to name
	}
	u.engine.NotifyOwner(ctx, Notice{Text: where + "一件事被打断了，不知道做成没有，没有再做。", Chat: e.Chat})
	return u.engine.Jobs.Done(ctx, time.Now(), e.ID, "interrupted")
}

// resolve ends the unconfirmed sends of a chat: it finds them in the newest messages or in the journal, or notifies the owner. After a
// failed read without any messages it tries again later.
func (u *unconfirmedSends) resolve(ctx context.Context, chat persona.Chat, doubts []unconfirmedSend, past []persona.Message, lookErr error) {
	if ctx.Err() != nil {
		return // the jobs stay as they are, for the next start
	}
	if len(doubts) == 0 {
		return
	}
	all := append(slices.Clip(past), u.journaled(ctx, chat)...)
	used := map[string]bool{}
	for _, d := range doubts {
		id := u.findSent(d, all, used)
		if id == "" && lookErr != nil && len(past) == 0 && !errors.Is(lookErr, ErrNoHistory) && d.failedLookups+1 < maxLookups {
			d.failedLookups++
			u.mu.Lock()
			u.sends = append(u.sends, d)
			u.mu.Unlock()
			continue
		}
		if id != "" {
			used[id] = true
			if err := u.engine.Jobs.Result(ctx, time.Now(), d.jobID, d.index, id, nil, false); err != nil {
				u.engine.Log.Error("the result of a resolved send was not stored", "job", d.jobID, "err", err)
			}
		} else {
			u.engine.NotifyOwner(ctx, Notice{
				Text: "有一句话可能没有送到 " + chat.String() + "：「" + clip.Bytes(QuoteLine(d.entry.Text), 120) + "」。没有重发。", Chat: chat, Hook: d.entry.Label != "",
			})
		}
		if err := u.engine.Jobs.Done(ctx, time.Now(), d.jobID, "settled"); err != nil {
			u.engine.Log.Error("the job of a resolved send was not ended", "job", d.jobID, "err", err)
		}
	}
}

// take removes and returns the unconfirmed sends of a chat.
func (u *unconfirmedSends) take(chat persona.Chat) (found []unconfirmedSend) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sends = slices.DeleteFunc(u.sends, func(d unconfirmedSend) bool {
		if d.entry.Chat != chat {
			return false
		}
		found = append(found, d)
		return true
	})
	return found
}

func (u *unconfirmedSends) chats() (chats []persona.Chat) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, d := range u.sends {
		chats = append(chats, d.entry.Chat)
	}
	return chats
}

// findSent returns the id of the message, or "" if it is not in the history. Messages with the same text that belong
// to confirmed sends do not count.
func (u *unconfirmedSends) findSent(d unconfirmedSend, past []persona.Message, used map[string]bool) string {
	c := u.engine.LoadedChat(d.entry.Chat)
	for _, m := range past {
		if !m.Own || !textMatches(m.Text, d.entry.Text) || m.At.Before(d.entry.At.Truncate(time.Second).Add(-clockTolerance)) || used[m.ID] {
			continue
		}
		if c == nil || !c.isConfirmed(messageID(m.Key)) {
			return m.ID
		}
	}
	return ""
}

// journaled returns the bot's newest messages in the journal. A kill may have come between the journal and the result of a send.
func (u *unconfirmedSends) journaled(ctx context.Context, chat persona.Chat) (own []persona.Message) {
	c, err := u.engine.Chat(ctx, chat)
	if err != nil {
		return nil
	}
	recs, err := u.engine.Memory.Recent(ctx, c.Space, journalLookup)
	if err != nil {
		u.engine.Log.Error("the journal was not read for a send with an unknown outcome", "chat", chat, "err", err)
	}
	for _, r := range recs {
		if r.Own {
			own = append(own, persona.Message{ID: messageID(r.ID), Key: r.ID, Own: true, Text: r.Text, At: r.At})
		}
	}
	return own
}

// textMatches reports whether text is said, perhaps behind mentions, which the history shows as names.
func textMatches(text, said string) bool {
	return text == said || strings.HasPrefix(text, "@") && strings.HasSuffix(text, " "+said)
}

// ErrNoHistory is returned instead of the history of a link without one.
var ErrNoHistory = errors.New("social: the link has no history")
