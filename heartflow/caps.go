package heartflow

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Caps are hard rate limits on one chat. No policy, model or other bot can exceed them. They can be raised, but not
// disabled.
//
// A message of the bot is a reply if its turn answers a person who addressed the bot by anything but a keyword. All
// others are interjections: replies to other bots, joining in, timers and orders of the owner.
type Caps struct {
	Replies           int           // maximum replies within Window; 0 means 30 in a private chat and 20 in others, at most 1000
	RepliesPerPerson  int           // maximum turns that reply to one person within a fifth of Window, except in a private chat; 0 means 3
	Interjections     int           // maximum interjections within Window; 0 means 6, or Replies if that is less
	Window            time.Duration // 0 means 5 minutes
	Consecutive       int           // maximum messages without a message by somebody else; 0 means 3
	ConsecutiveToBots int           // maximum replies to other bots without a human message; 0 means 2
}

// maxReplies bounds Caps.Replies and Caps.Interjections, and so the memory of a chat.
const maxReplies = 1000

// Defaults of Caps that depend on the chat or on another field.
const (
	defaultReplies        = 20
	defaultPrivateReplies = 30
	defaultInterjections  = 6
)

var defaultCaps = Caps{RepliesPerPerson: 3, Window: 5 * time.Minute, Consecutive: 3, ConsecutiveToBots: 2}

// WithDefaults returns the caps that hold in a private chat or in another one: zero fields get their defaults.
func (c Caps) WithDefaults(private bool) Caps {
	c = fill.Zero(c, defaultCaps)
	c.Interjections = c.limit(addressee{})
	c.Replies = c.limit(addressee{Called: true, Private: private})
	return c
}

func (c Caps) validate() error {
	switch {
	case c.Replies < 0 || c.Replies > maxReplies:
		return fmt.Errorf("heartflow: Caps.Replies is %d: it must be from 1 to %d, or 0 for the default", c.Replies, maxReplies)
	case c.Interjections < 0 || c.Interjections > maxReplies:
		return fmt.Errorf("heartflow: Caps.Interjections is %d: it must be from 1 to %d, or 0 for the default", c.Interjections, maxReplies)
	case c.RepliesPerPerson < 0:
		return fmt.Errorf("heartflow: Caps.RepliesPerPerson is %d: it must not be negative", c.RepliesPerPerson)
	case c.Window < 0:
		return fmt.Errorf("heartflow: Caps.Window is %v: it must not be negative", c.Window)
	case c.Consecutive < 0:
		return fmt.Errorf("heartflow: Caps.Consecutive is %d: it must not be negative", c.Consecutive)
	case c.ConsecutiveToBots < 0:
		return fmt.Errorf("heartflow: Caps.ConsecutiveToBots is %d: it must not be negative", c.ConsecutiveToBots)
	}
	return nil
}

// personWindow is the window of RepliesPerPerson.
func (c Caps) personWindow() time.Duration { return c.Window / 5 }

// limit returns the maximum of messages to to within the window.
func (c Caps) limit(to addressee) int {
	switch {
	case !to.Called:
		return cmp.Or(c.Interjections, min(defaultInterjections, cmp.Or(c.Replies, defaultInterjections)))
	case to.Private:
		return cmp.Or(c.Replies, defaultPrivateReplies)
	}
	return cmp.Or(c.Replies, defaultReplies)
}

// An addressee says whom a message of the bot answers. The zero value is nobody: an interjection.
type addressee struct {
	Called  bool   `json:",omitempty"` // a person addressed the bot by anything but a keyword
	Private bool   `json:",omitempty"` // in a private chat
	Person  uint32 `json:",omitempty"` // hash of the person; 0: unknown
}

// sent counts the bot's messages in a chat.
type sent struct {
	Times         []tick.Tick     // of the newest replies, oldest first
	Interjections []tick.Tick     `json:",omitempty"` // times of the newest ones, oldest first
	ToPersons     []replyToPerson `json:",omitempty"` // the latest turns, oldest first
	CapNotice     tick.Tick       `json:",omitempty"` // time of the last message of SpeakCapNotice; 0: never
	Last          tick.Tick       // time of the last own message; 0: never
	InRow         int             // own messages since the last one by somebody else
	ToBots        int             // own messages to bots since the last human message
	LastBot       bool            // the last received message was by a bot
}

// A replyToPerson is a turn that replied to a person.
type replyToPerson struct {
	At     tick.Tick
	Person uint32
}

// observe counts a message by somebody else.
func (s *sent) observe(bot bool) {
	s.InRow = 0
	if s.LastBot = bot; !bot {
		s.ToBots = 0
	}
}

// ResetConsecutive reports a human message that is not judged, such as a command for the host. It resets the counts
// of Caps.Consecutive and Caps.ConsecutiveToBots.
func (a *Attention[K]) ResetConsecutive(now time.Time, chat K) {
	c, _ := a.enterChat(now, chat)
	defer a.leave()
	c.Said.observe(false)
}

// within counts the messages in the window that ends at t. A message exactly one window old is outside.
func within(times []tick.Tick, t tick.Tick, window time.Duration) int {
	n := 0
	for n < len(times) && times[n].Add(window) <= t {
		n++
	}
	return len(times) - n
}

// list returns the times of the messages that count for the same limit.
func (s *sent) list(to addressee) *[]tick.Tick {
	if to.Called {
		return &s.Times
	}
	return &s.Interjections
}

// toPerson counts the turns that replied to a person within the window of RepliesPerPerson before t.
func (s *sent) toPerson(t tick.Tick, c Caps, to addressee) (n int) {
	if to.Private || !to.Called || to.Person == 0 {
		return 0
	}
	for _, r := range s.ToPersons {
		if r.Person == to.Person && r.At.Add(c.personWindow()) > t {
			n++
		}
	}
	return n
}

// gates checks the caps for a message at t and appends the gates to list. again means that the turn has sent a message
// before. The code is empty if all of them pass.
func (s *sent) gates(t tick.Tick, c Caps, to addressee, again bool, list []Gate) (all []Gate, closed Code) {
	list = append(list, gateBelow(WhyCappedWindow, within(*s.list(to), t, c.Window), c.limit(to)))
	if n := s.toPerson(t, c, to); n > 0 && !again {
		list = append(list, gateBelow(WhyCappedPerson, n, c.RepliesPerPerson))
	}
	list = s.rowGates(c, list)
	return list, firstClosed(list)
}

// rowGates appends the gates of the caps that no window ends.
func (s *sent) rowGates(c Caps, list []Gate) []Gate {
	list = append(list, gateBelow(WhyCappedInRow, s.InRow, c.Consecutive))
	if s.LastBot || s.ToBots > 0 {
		g := gateBelow(WhyCappedBots, s.ToBots, c.ConsecutiveToBots)
		g.Pass = g.Pass || !s.LastBot
		list = append(list, g)
	}
	return list
}

// firstClosed returns the code of the first gate that does not pass, or "".
func firstClosed(list []Gate) Code {
	for _, g := range list {
		if !g.Pass {
			return g.Code
		}
	}
	return ""
}

// add counts a message that is sent at t.
func (s *sent) add(t tick.Tick, c Caps, to addressee, again bool) {
	times := s.list(to)
	*times = keepNewest(append(*times, t), c.limit(to))
	if to.Called && !to.Private && to.Person != 0 && !again {
		s.ToPersons = slices.DeleteFunc(s.ToPersons, func(r replyToPerson) bool { return r.At.Add(c.personWindow()) <= t })
		s.ToPersons = append(s.ToPersons, replyToPerson{At: t, Person: to.Person})
	}
	s.count(t)
}

// count counts a message that no window counts.
func (s *sent) count(t tick.Tick) {
	s.Last = t
	s.InRow++
	if s.LastBot {
		s.ToBots++
	}
}

// keepNewest drops all but the newest n times. It keeps those older than the window, because Configure may extend the
// window.
func keepNewest(times []tick.Tick, n int) []tick.Tick {
	return slices.Delete(times, 0, max(len(times)-n, 0))
}

// freeAt returns when the window has room for another message; 0: it has room at t.
func (s *sent) freeAt(t tick.Tick, c Caps, to addressee) tick.Tick {
	times, limit := *s.list(to), c.limit(to)
	if within(times, t, c.Window) >= limit {
		return times[len(times)-limit].Add(c.Window)
	}
	return 0
}

// personFreeAt returns when another turn may reply to the person; 0: at t.
func (s *sent) personFreeAt(t tick.Tick, c Caps, to addressee) tick.Tick {
	over := s.toPerson(t, c, to) - c.RepliesPerPerson
	for _, r := range s.ToPersons {
		if r.Person == to.Person && r.At.Add(c.personWindow()) > t {
			if over <= 0 {
				return r.At.Add(c.personWindow())
			}
			over--
		}
	}
	return 0
}
