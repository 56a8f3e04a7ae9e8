package qqbotlink

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// The platform's limits of replies, with a margin for the way there, and of messages without a reply.
const (
	groupWindow, groupReplies = 5*time.Minute - windowMargin, 5
	userWindow, userReplies   = time.Hour - windowMargin, 4
	windowMargin              = 5 * time.Second
	perMinute, perDay         = 20, 1000
	mutedFor                  = 5 * time.Minute // after a refusal because of a mute, which has no event
	maxTargets                = 64              // of a chat
)

// Reasons of [windows.permit].
var (
	errNoReply  = errors.New("qqbotlink: no message can be replied to: the time is over, or all replies are used up; and the bot may not speak first here")
	errRejected = errors.New("qqbotlink: no message can be replied to, and the group or user has switched off the bot's other messages")
	errQuota    = errors.New("qqbotlink: no message can be replied to, and the quota of other messages is used up")
	errMuted    = errors.New("qqbotlink: the bot is muted in the group")
)

// windows knows what may be sent in each chat: for some minutes some replies to each message, and messages without one where the
// platform permits them. It does no I/O. All methods may be called concurrently.
type windows struct {
	began       time.Time
	noProactive bool

	mu    sync.Mutex
	chats map[persona.Chat]*window
}

// A window is the state of one chat.
type window struct {
	targets    []*target // oldest first
	proactive  bool      // the bot may speak first
	rejected   bool      // the group or user has switched that off
	muted      time.Time // until then
	sent       []time.Time
	stateAsked time.Time
}

// A target is a message or event that can be replied to.
type target struct {
	id    string
	event bool
	at    time.Time
	seq   int // of the last reply
	used  int
}

// A slot is permission for one message.
type slot struct {
	target *target // nil: the bot speaks first
	seq    int
}

func newWindows(began time.Time, noProactive bool) *windows {
	return &windows{began: began, noProactive: noProactive, chats: map[persona.Chat]*window{}}
}

// chat returns the state of a chat. w.mu is held.
func (w *windows) chat(chat persona.Chat) *window {
	c := w.chats[chat]
	if c == nil {
		c = newWindow(chat)
		w.chats[chat] = c
	}
	return c
}

func newWindow(chat persona.Chat) *window {
	return &window{proactive: chat.Kind == persona.Private}
}

// open adds a message or an event of a chat.
func (w *windows) open(now time.Time, chat persona.Chat, id string, event bool, at time.Time) {
	if id == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if at.After(now) {
		at = now
	}
	c := w.chat(chat)
	w.prune(now, chat, c)
	if !slices.ContainsFunc(c.targets, func(t *target) bool { return t.id == id }) {
		c.targets = append(c.targets, &target{id: id, event: event, at: at})
	}
	c.targets = slices.Delete(c.targets, 0, max(len(c.targets)-maxTargets, 0))
}

func limits(chat persona.Chat) (d time.Duration, replies int) {
	if chat.Kind == persona.Group {
		return groupWindow, groupReplies
	}
	return userWindow, userReplies
}

// left returns how many replies to the message are left.
func (t *target) left(now time.Time, chat persona.Chat) int {
	d, replies := limits(chat)
	if now.Sub(t.at) > d {
		return 0
	}
	return max(replies-t.used, 0)
}

// prune removes what is not needed any more. What arrived soon after the start is kept, so that it is known to be no older.
func (w *windows) prune(now time.Time, chat persona.Chat, c *window) {
	d, _ := limits(chat)
	if now.Sub(w.began) > d {
		c.targets = slices.DeleteFunc(c.targets, func(t *target) bool { return t.left(now, chat) == 0 })
	}
	c.sent = slices.DeleteFunc(c.sent, func(at time.Time) bool { return now.Sub(at) >= 24*time.Hour })
}

// permit implements LinkFeatures.Permit. After a start it trusts that replyTo is a message from before, for as long as a window
// lasts: the link does not know these.
func (w *windows) permit(now time.Time, chat persona.Chat, replyTo string) (left int, err error) {
	if _, err := receiver(chat); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chat(chat)
	w.prune(now, chat, c)
	if now.Before(c.muted) {
		return 0, errMuted
	}
	known := replyTo == ""
	for _, t := range c.targets {
		left += t.left(now, chat)
		known = known || t.id == replyTo
	}
	if d, replies := limits(chat); left == 0 && !known && now.Sub(w.began) <= d {
		// other numbers than those that the last process may have used
		c.targets = append(c.targets, &target{id: replyTo, at: w.began, seq: 1000 + rand.IntN(60000)})
		left = replies
	}
	first, err := w.mayStart(now, c)
	if left > 0 {
		err = nil
	}
	return left + first, err
}

// mayStart returns how many messages without a reply may be sent. w.mu is held.
func (w *windows) mayStart(now time.Time, c *window) (left int, err error) {
	switch {
	case c.rejected:
		return 0, errRejected
	case !c.proactive || w.noProactive:
		return 0, errNoReply
	}
	if left = min(c.quota(now)); left <= 0 {
		return 0, errQuota
	}
	return left, nil
}

// quota returns how many messages without a reply are left of those of a minute and of a day. w.mu is held.
func (c *window) quota(now time.Time) (minute, day int) {
	minute, day = perMinute, perDay
	for _, at := range c.sent {
		if age := now.Sub(at); age < 24*time.Hour {
			if day--; age < time.Minute {
				minute--
			}
		}
	}
	return max(minute, 0), max(day, 0)
}

// take uses up permission for one message: a reply to replyTo, or else to the newest message that has one left, or else none.
func (w *windows) take(now time.Time, chat persona.Chat, replyTo string) (slot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chat(chat)
	w.prune(now, chat, c)
	var best *target
	for _, t := range c.targets {
		if t.left(now, chat) > 0 && (best == nil || best.id != replyTo) {
			best = t
		}
	}
	if best != nil {
		best.used++
		best.seq++
		return slot{best, best.seq}, nil
	}
	_, err := w.mayStart(now, c)
	if err == nil {
		c.sent = append(c.sent, now)
	}
	return slot{}, err
}

// refused learns from a refusal of a message in a slot. It returns true if another slot may work: nothing was sent.
func (w *windows) refused(now time.Time, chat persona.Chat, s slot, k qqbot.Kind) (again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chat(chat)
	if k == qqbot.KindMuted {
		c.muted = now.Add(mutedFor)
	}
	if s.target != nil {
		switch k {
		case qqbot.KindWindow, qqbot.KindCount, qqbot.KindMsgID:
			_, s.target.used = limits(chat)
			return true
		default: // the number stays used, because nobody knows whether the platform counts it
			s.target.used--
		}
		return false
	}
	switch k {
	case qqbot.KindProactive:
		c.proactive = false
	case qqbot.KindRefused:
		c.rejected = true
	case qqbot.KindQuota:
		for n := perMinute; n > 0; n-- {
			c.sent = append(c.sent, now)
		}
	}
	return false
}

// switched notes whether the bot may speak first.
func (w *windows) switched(chat persona.Chat, allowed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chat(chat)
	c.rejected = !allowed
	c.proactive = c.proactive || allowed
}

// stateInterval is the time between questions for the bot's state in a group.
const stateInterval = time.Hour

// needsState reports whether the bot's state in a group should be asked now. It returns true once in an hour.
func (w *windows) needsState(now time.Time, chat persona.Chat) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chat(chat)
	if chat.Kind != persona.Group || !c.stateAsked.IsZero() && now.Sub(c.stateAsked) < stateInterval {
		return false
	}
	c.stateAsked = now
	return true
}

func (w *windows) setProactive(chat persona.Chat, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chat(chat).proactive = on
}

// takeSpare uses up a reply to the newest message if at least one is left afterwards, and if it is not used yet.
func (w *windows) takeSpare(now time.Time, chat persona.Chat) (slot, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chat(chat)
	w.prune(now, chat, c)
	if len(c.targets) == 0 {
		return slot{}, false
	}
	t := c.targets[len(c.targets)-1]
	if t.event || t.used > 0 || t.left(now, chat) < 2 {
		return slot{}, false
	}
	t.used++
	t.seq++
	return slot{t, t.seq}, true
}
