// Package presence tracks where the bot may send: it closes a chat while the account is not a member, while the platform
// has muted it, or while somebody asked it to be quiet, and it remembers whether the bot is asleep. The reasons overlap and
// end independently; a chat is open when none holds. Everything but naps survives a restart. [Commands] lets owners and
// admins set some of the reasons in a chat.
package presence

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A Gate is what is closed and opened. *heartflow.Attention and *hfc.Flow are gates.
type Gate interface {
	Mute(now time.Time, chat persona.Chat, until time.Time) // zero until: no known end
	Unmute(now time.Time, chat persona.Chat)
	Sleep(now, until time.Time)
}

// Quiet is a request not to speak in a chat.
type Quiet struct {
	Until time.Time `json:"until"`
	Owner bool      `json:"owner"` // the owner asked: an admin cannot end it
}

// Presence is safe for concurrent use.
type Presence struct {
	gate  Gate
	state persona.State

	mu    sync.Mutex
	chats map[persona.Chat]reasons
}

// reasons are why a chat is closed. The zero value: it is open.
type reasons struct {
	left  bool
	muted time.Time
	quiet Quiet
}

// Row keys. The chat follows the prefix.
const (
	leftRow   = "left/"
	muteRow   = "mute/"
	quietRow  = "quiet/"
	asleepRow = "asleep"
)

// New returns a Presence that knows no chat.
func New(gate Gate, state persona.State) *Presence {
	return &Presence{gate: gate, state: state, chats: map[persona.Chat]reasons{}}
}

// SetLeft records that the account is no longer in a chat, or is back. It reports whether that is news.
func (p *Presence) SetLeft(ctx context.Context, now time.Time, chat persona.Chat, left bool, by string) (changed bool, err error) {
	was := p.update(chat, func(r *reasons) { r.left = left })
	if was.left == left {
		return false, nil
	}
	p.sync(now, chat)
	var row []byte
	if left {
		row = []byte(by)
	}
	return true, p.put(ctx, leftRow, chat, row)
}

// SetMuted records that the platform muted the account in a chat until then. Zero: it no longer does.
func (p *Presence) SetMuted(ctx context.Context, now time.Time, chat persona.Chat, until time.Time) error {
	p.update(chat, func(r *reasons) { r.muted = until })
	p.sync(now, chat)
	if until.IsZero() {
		return p.put(ctx, muteRow, chat, nil)
	}
	row, err := until.MarshalText()
	if err != nil {
		return err
	}
	return p.put(ctx, muteRow, chat, row)
}

// Quiet returns the request that is in force in a chat, or the last one that was.
func (p *Presence) Quiet(chat persona.Chat) Quiet { return p.of(chat).quiet }

// SetQuiet writes down a request; the gate follows with [Presence.Apply], so that the answer can be sent first. A request
// by an admin extends the owner's, and never shortens it. The zero Quiet ends it.
func (p *Presence) SetQuiet(ctx context.Context, now time.Time, chat persona.Chat, q Quiet) (Quiet, error) {
	if old := p.Quiet(chat); !q.Until.IsZero() && !q.Owner && old.Owner && old.Until.After(now) {
		q.Owner = true
		if old.Until.After(q.Until) {
			q = old
		}
	}
	var row []byte
	if q != (Quiet{}) {
		var err error
		if row, err = json.Marshal(q); err != nil {
			return q, err
		}
	}
	if err := p.put(ctx, quietRow, chat, row); err != nil {
		return q, err
	}
	p.update(chat, func(r *reasons) { r.quiet = q })
	return q, nil
}

// Nap closes a chat until then. A restart ends it.
func (p *Presence) Nap(now time.Time, chat persona.Chat, until time.Time) {
	p.update(chat, func(r *reasons) {
		if until.After(r.quiet.Until) {
			r.quiet = Quiet{Until: until, Owner: r.quiet.Owner && r.quiet.Until.After(now)}
		}
	})
	p.sync(now, chat)
}

// Apply brings the gate of a chat up to date.
func (p *Presence) Apply(now time.Time, chat persona.Chat) { p.sync(now, chat) }

// SaveSleep writes down that the bot sleeps until then, or, where until is zero, until it is woken. Nil: it is awake.
func (p *Presence) SaveSleep(ctx context.Context, until *time.Time) error {
	var row []byte
	if until != nil {
		*until = until.Round(0)
		var err error
		if row, err = until.MarshalText(); err != nil {
			return err
		}
	}
	return p.state.Apply(ctx, map[string][]byte{asleepRow: row})
}

// IsMember reports whether the account is in a chat, as far as is known.
func (p *Presence) IsMember(chat persona.Chat) bool { return !p.of(chat).left }

// Restore reads the rows and closes the gate where a reason still holds. Without commands, what they set is not in force,
// for nobody could end it.
func (p *Presence) Restore(ctx context.Context, now time.Time, commands bool) error {
	err := errors.Join(
		p.load(ctx, now, leftRow, func(_ []byte, r *reasons) bool { r.left = true; return true }),
		p.load(ctx, now, muteRow, func(row []byte, r *reasons) bool { return text(row, &r.muted) && r.muted.After(now) }),
		p.restoreSleep(ctx, now, commands),
	)
	if err != nil || !commands {
		return err
	}
	return p.load(ctx, now, quietRow, func(row []byte, r *reasons) bool {
		return json.Unmarshal(row, &r.quiet) == nil && r.quiet.Until.After(now)
	})
}

func (p *Presence) restoreSleep(ctx context.Context, now time.Time, commands bool) error {
	rows, err := p.state.Load(ctx, asleepRow)
	var until time.Time
	if row, ok := rows[asleepRow]; ok && text(row, &until) && (until.IsZero() && commands || until.After(now)) {
		p.gate.Sleep(now, until)
	}
	return err
}

// Forget drops a chat, and adds its rows to those that are to be deleted.
func (p *Presence) Forget(chat persona.Chat, rows map[string][]byte) {
	p.mu.Lock()
	delete(p.chats, chat)
	p.mu.Unlock()
	for _, prefix := range []string{leftRow, muteRow, quietRow} {
		rows[prefix+chat.String()] = nil
	}
}

// ForgetPerson blanks the rows that name who removed the account from a chat.
func (p *Presence) ForgetPerson(ctx context.Context, id string, rows map[string][]byte) error {
	left, err := p.state.Load(ctx, leftRow)
	for key, by := range left {
		if string(by) == id {
			rows[key] = []byte{}
		}
	}
	return err
}

// sync tells the gate. Events and commands run concurrently and the gate is told without a lock, so whoever told it last
// checks that what it told still holds.
func (p *Presence) sync(now time.Time, chat persona.Chat) {
	for told := p.of(chat); ; {
		switch until := told.until(); {
		case told.left:
			p.gate.Mute(now, chat, time.Time{})
		case until.After(now):
			p.gate.Mute(now, chat, until)
		default:
			p.gate.Unmute(now, chat)
		}
		is := p.of(chat)
		if is == told {
			return
		}
		told = is
	}
}

func (r reasons) until() time.Time {
	if r.quiet.Until.After(r.muted) {
		return r.quiet.Until
	}
	return r.muted
}

func (p *Presence) of(chat persona.Chat) reasons {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.chats[chat]
}

func (p *Presence) update(chat persona.Chat, change func(*reasons)) (was reasons) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was = p.chats[chat]
	is := was
	if change(&is); is == (reasons{}) {
		delete(p.chats, chat)
	} else {
		p.chats[chat] = is
	}
	return was
}

func (p *Presence) put(ctx context.Context, prefix string, chat persona.Chat, row []byte) error {
	return p.state.Apply(ctx, map[string][]byte{prefix + chat.String(): row})
}

func (p *Presence) load(ctx context.Context, now time.Time, prefix string, read func(row []byte, r *reasons) bool) error {
	rows, err := p.state.Load(ctx, prefix)
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(strings.TrimPrefix(key, prefix))) != nil {
			continue
		}
		r := p.of(chat)
		if !read(rows[key], &r) {
			continue
		}
		p.update(chat, func(to *reasons) { *to = r })
		p.sync(now, chat)
	}
	return err
}

func text(row []byte, into encoding.TextUnmarshaler) bool { return into.UnmarshalText(row) == nil }
