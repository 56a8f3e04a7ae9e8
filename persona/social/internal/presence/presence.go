// Package presence tracks where the bot may send: it closes a chat while the account is not a member, while the
// platform has muted it, or while somebody asked it to be quiet, and it remembers whether the bot is asleep. The
// reasons overlap and end independently; a chat is open if no reason holds. Everything but naps survives a restart.
// [Commands] lets owners and admins set some of the reasons in a chat.
package presence

import (
	"bytes"
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

// A Gate closes and opens chats for sending. *heartflow.Attention and *hfc.Flow are gates.
type Gate interface {
	Mute(now time.Time, chat persona.Chat, until time.Time) // zero until: no known end
	Unmute(now time.Time, chat persona.Chat)
	Sleep(now, until time.Time)
}

// Quiet is a request not to speak in a chat.
type Quiet struct {
	Until time.Time `json:"until"`
	Owner bool      `json:"owner"`          // requested by the owner: an admin cannot end it
	Host  bool      `json:"host,omitempty"` // set by the host's code, which can end it without commands
}

// Presence is safe for concurrent use.
type Presence struct {
	gate  Gate
	state persona.State

	mu            sync.Mutex
	chats         map[persona.Chat]reasons
	restoredSleep *time.Time // end of the sleep that Restore found; nil: none
	sleep         *time.Time // end of the stored sleep; nil: none
}

// reasons hold why a chat is closed. The zero value means open.
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

// SetLeft records that the account is no longer in a chat, or is back. It reports whether this changed anything.
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

// sameMute is the largest difference between the ends of one mute in repeated notices.
const sameMute = time.Minute

// SetMuted records that the platform muted the account in a chat until a time. The zero time unmutes it. It reports
// whether this is a new mute, and not a repeated notice of the same one.
func (p *Presence) SetMuted(ctx context.Context, now time.Time, chat persona.Chat, until time.Time) (news bool, err error) {
	was := p.update(chat, func(r *reasons) { r.muted = until })
	news = !until.IsZero() && (!was.muted.After(now) || until.Sub(was.muted).Abs() > sameMute)
	p.sync(now, chat)
	if until.IsZero() {
		return false, p.put(ctx, muteRow, chat, nil)
	}
	row, err := until.MarshalText()
	if err != nil {
		return news, err
	}
	return news, p.put(ctx, muteRow, chat, row)
}

// Quiet returns the current request for a chat, or the last one that ended.
func (p *Presence) Quiet(chat persona.Chat) Quiet { return p.reasonsOf(chat).quiet }

// SetQuiet persists a request. Call [Presence.Apply] to update the gate, so that an answer can be sent before. A
// request by an admin may extend the owner's but never shortens it. The zero Quiet ends a request.
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

// Nap closes a chat until a time. A restart ends the nap.
func (p *Presence) Nap(now time.Time, chat persona.Chat, until time.Time) {
	p.update(chat, func(r *reasons) {
		if until.After(r.quiet.Until) {
			r.quiet = Quiet{Until: until, Owner: r.quiet.Owner && r.quiet.Until.After(now)}
		}
	})
	p.sync(now, chat)
}

// Apply updates the gate of a chat.
func (p *Presence) Apply(now time.Time, chat persona.Chat) { p.sync(now, chat) }

// SaveSleep persists that the bot sleeps until a time; the zero time means until it is woken, nil means it is awake.
func (p *Presence) SaveSleep(ctx context.Context, until *time.Time) error {
	return p.saveSleep(ctx, until, "")
}

// SaveHostSleep is SaveSleep for the host's code, which can wake the bot without commands.
func (p *Presence) SaveHostSleep(ctx context.Context, until *time.Time) error {
	return p.saveSleep(ctx, until, byHost)
}

// byHost follows the time in the row of a sleep that the host started.
const byHost = " host"

func (p *Presence) saveSleep(ctx context.Context, until *time.Time, by string) error {
	var row []byte
	if until != nil {
		*until = until.Round(0)
		var err error
		if row, err = until.MarshalText(); err != nil {
			return err
		}
		row = append(row, by...)
	}
	if err := p.state.Apply(ctx, map[string][]byte{asleepRow: row}); err != nil {
		return err
	}
	p.setSleep(until)
	return nil
}

func (p *Presence) setSleep(until *time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sleep = nil; until != nil {
		end := *until
		p.sleep = &end
	}
}

// AsleepUntil returns the end of the stored sleep. It is zero if there is none, or if it has no end.
func (p *Presence) AsleepUntil(now time.Time) (until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sleep != nil && p.sleep.After(now) {
		until = *p.sleep
	}
	return until
}

// SleepText describes the stored sleep in the list of changes: its end, "on" without one, or "" for none.
func (p *Presence) SleepText(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.sleep == nil:
		return ""
	case p.sleep.IsZero():
		return "on"
	}
	return UntilText(now, *p.sleep)
}

// UntilText describes an end in the list of changes. It returns "" if it has passed.
func UntilText(now, until time.Time) string {
	if !until.After(now) {
		return ""
	}
	return until.Format(time.RFC3339)
}

// IsMember reports whether the account is in a chat, as far as known.
func (p *Presence) IsMember(chat persona.Chat) bool { return !p.reasonsOf(chat).left }

// Restore loads the rows and closes the gate for reasons that still hold. If commands is false, it ignores reasons set
// by commands, because nobody could end them. Reasons set by the host's code always hold.
func (p *Presence) Restore(ctx context.Context, now time.Time, commands bool) error {
	err := errors.Join(
		p.load(ctx, now, leftRow, func(_ []byte, r *reasons) bool { r.left = true; return true }),
		p.load(ctx, now, muteRow, func(row []byte, r *reasons) bool { return unmarshalText(row, &r.muted) && r.muted.After(now) }),
		p.restoreSleep(ctx, now, commands),
	)
	if err != nil {
		return err
	}
	return p.load(ctx, now, quietRow, func(row []byte, r *reasons) bool {
		return json.Unmarshal(row, &r.quiet) == nil && r.quiet.Until.After(now) && (commands || r.quiet.Host)
	})
}

func (p *Presence) restoreSleep(ctx context.Context, now time.Time, commands bool) error {
	rows, err := p.state.Load(ctx, asleepRow)
	var until time.Time
	row, host := bytes.CutSuffix(rows[asleepRow], []byte(byHost))
	if len(row) > 0 && unmarshalText(row, &until) && (until.IsZero() && (commands || host) || until.After(now)) {
		p.gate.Sleep(now, until)
		p.mu.Lock()
		p.restoredSleep = &until
		p.mu.Unlock()
		p.setSleep(&until)
	}
	return err
}

// Forget drops a chat and adds its rows to the rows to delete.
func (p *Presence) Forget(chat persona.Chat, rows map[string][]byte) {
	p.mu.Lock()
	delete(p.chats, chat)
	p.mu.Unlock()
	for _, prefix := range []string{leftRow, muteRow, quietRow} {
		rows[prefix+chat.String()] = nil
	}
}

// ForgetPerson blanks the rows that name the person who removed the account from a chat.
func (p *Presence) ForgetPerson(ctx context.Context, id string, rows map[string][]byte) error {
	left, err := p.state.Load(ctx, leftRow)
	for key, by := range left {
		if string(by) == id {
			rows[key] = []byte{}
		}
	}
	return err
}

// sync updates the gate. Events and commands run concurrently and the gate is called without a lock. So after each call
// sync checks whether the reasons have changed, and if so repeats the call.
func (p *Presence) sync(now time.Time, chat persona.Chat) {
	for applied := p.reasonsOf(chat); ; {
		switch until := applied.until(); {
		case applied.left:
			p.gate.Mute(now, chat, time.Time{})
		case until.After(now):
			p.gate.Mute(now, chat, until)
		default:
			p.gate.Unmute(now, chat)
		}
		is := p.reasonsOf(chat)
		if is == applied {
			return
		}
		applied = is
	}
}

func (r reasons) until() time.Time {
	if r.quiet.Until.After(r.muted) {
		return r.quiet.Until
	}
	return r.muted
}

func (p *Presence) reasonsOf(chat persona.Chat) reasons {
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
		r := p.reasonsOf(chat)
		if !read(rows[key], &r) {
			continue
		}
		p.update(chat, func(to *reasons) { *to = r })
		p.sync(now, chat)
	}
	return err
}

func unmarshalText(row []byte, into encoding.TextUnmarshaler) bool {
	return into.UnmarshalText(row) == nil
}
