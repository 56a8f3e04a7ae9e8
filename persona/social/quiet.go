package social

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A hush is that the being was told to keep quiet in a chat.
type hush struct {
	Until time.Time `json:"until"`
	Owner bool      `json:"owner"` // an owner did: no admin can end it
}

const (
	quietRow   = "quiet/"
	asleepRow  = "asleep"
	quietUsual = 30 * time.Minute
)

// hush writes down that it is quiet in a chat. An admin may make longer what an owner said, and not shorter.
func (b *Being) hush(ctx context.Context, o order, now time.Time) (hush, error) {
	lasts := o.For
	if lasts == 0 {
		lasts = quietUsual
	}
	h := hush{Until: o.m.At.Add(lasts).Round(0), Owner: b.router.IsOwner(o.by)}
	old := b.hushOf(o.room.chat)
	if !h.Owner && old.Owner && old.Until.After(now) {
		h.Owner = true
		if old.Until.After(h.Until) {
			h = old
		}
	}
	row, err := json.Marshal(h)
	if err == nil {
		err = b.opts.Store.Apply(ctx, map[string][]byte{quietRow + o.room.chat.String(): row})
	}
	if err == nil {
		b.mu.Lock()
		b.hushed[o.room.chat] = h
		b.mu.Unlock()
	}
	return h, err
}

// unhush writes down that this is over. It reports false where an owner said it and an admin would end it.
func (b *Being) unhush(ctx context.Context, o order, now time.Time) (bool, error) {
	if old := b.hushOf(o.room.chat); old.Owner && old.Until.After(now) && !b.router.IsOwner(o.by) {
		return false, nil
	}
	if err := b.opts.Store.Apply(ctx, map[string][]byte{quietRow + o.room.chat.String(): nil}); err != nil {
		return true, err
	}
	b.mu.Lock()
	delete(b.hushed, o.room.chat)
	b.mu.Unlock()
	return true, nil
}

func (b *Being) hushOf(chat persona.Chat) hush {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hushed[chat]
}

// reclose closes a chat for sending as long as there is a reason to, or opens it: the account is away, the platform muted
// it, or somebody told it to keep quiet. Who sets or ends a reason calls it. Events and commands do at the same time, and
// attention is told without a lock, so whoever told it last looks whether that still holds.
func (b *Being) reclose(now time.Time, chat persona.Chat) {
	for told := b.closed(chat); ; {
		switch {
		case told.away:
			b.attention.Mute(now, chat, time.Time{})
		case told.until.After(now):
			b.attention.Mute(now, chat, told.until)
		default:
			b.attention.Unmute(now, chat)
		}
		holds := b.closed(chat)
		if holds == told {
			return
		}
		told = holds
	}
}

// A closing is why nothing can be sent to a chat.
type closing struct {
	away  bool
	until time.Time
}

func (b *Being) closed(chat persona.Chat) closing {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := closing{b.away[chat], b.mutes[chat]}
	if h := b.hushed[chat]; h.Until.After(c.until) {
		c.until = h.Until
	}
	return c
}

// keepAsleep writes down that the being sleeps until then, or until it is woken where that is zero. Nil: it is awake.
func (b *Being) keepAsleep(ctx context.Context, until *time.Time) error {
	var row []byte
	if until != nil {
		*until = until.Round(0)
		var err error
		if row, err = until.MarshalText(); err != nil {
			return err
		}
	}
	return b.opts.Store.Apply(ctx, map[string][]byte{asleepRow: row})
}

// restoreCommands takes up what commands have changed, and a sleep that the owner wanted in another way.
func (b *Being) restoreCommands(ctx context.Context) error {
	now := time.Now()
	rows, err := b.opts.Store.Load(ctx, asleepRow)
	if err != nil {
		return err
	}
	var until time.Time
	if row, ok := rows[asleepRow]; ok && until.UnmarshalText(row) == nil && (until.IsZero() && b.opts.Commands || until.After(now)) {
		b.attention.Sleep(now, until)
	}
	if !b.opts.Commands {
		return nil
	}
	if rows, err = b.opts.Store.Load(ctx, quietRow); err != nil {
		return err
	}
	for key, row := range rows {
		var chat persona.Chat
		var h hush
		if chat.UnmarshalText([]byte(strings.TrimPrefix(key, quietRow))) == nil && json.Unmarshal(row, &h) == nil && h.Until.After(now) {
			b.mu.Lock()
			b.hushed[chat] = h
			b.mu.Unlock()
			b.reclose(now, chat)
		}
	}
	return nil
}
