package heartflow

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Caps are hard rate limits on one chat. No policy, model or other bot can exceed them. They can be raised, but not
// disabled.
type Caps struct {
	Replies           int           // maximum messages within Window; 0 means 6, at most 1000
	Window            time.Duration // 0 means 5 minutes
	Consecutive       int           // maximum messages without a message by somebody else; 0 means 3
	ConsecutiveToBots int           // maximum replies to other bots without a human message; 0 means 2
}

// maxReplies bounds Caps.Replies, and so the memory of a chat.
const maxReplies = 1000

var defaultCaps = Caps{Replies: 6, Window: 5 * time.Minute, Consecutive: 3, ConsecutiveToBots: 2}

func (c Caps) validate() error {
	switch {
	case c.Replies < 0 || c.Replies > maxReplies:
		return fmt.Errorf("heartflow: Caps.Replies is %d: it must be from 1 to %d, or 0 for the default", c.Replies, maxReplies)
	case c.Window < 0:
		return fmt.Errorf("heartflow: Caps.Window is %v: it must not be negative", c.Window)
	case c.Consecutive < 0:
		return fmt.Errorf("heartflow: Caps.Consecutive is %d: it must not be negative", c.Consecutive)
	case c.ConsecutiveToBots < 0:
		return fmt.Errorf("heartflow: Caps.ConsecutiveToBots is %d: it must not be negative", c.ConsecutiveToBots)
	}
	return nil
}

// sent counts the bot's messages in a chat.
type sent struct {
	Times   []tick.Tick // of the newest Caps.Replies messages, oldest first
	Last    tick.Tick   // time of the last own message; 0: never
	InRow   int         // own messages since the last one by somebody else
	ToBots  int         // own messages to bots since the last human message
	LastBot bool        // the last received message was by a bot
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

// within counts own messages in the window that ends at t. A message exactly one window old is outside.
func (s *sent) within(t tick.Tick, window time.Duration) int {
	n := 0
	for n < len(s.Times) && s.Times[n].Add(window) <= t {
		n++
	}
	return len(s.Times) - n
}

// gates checks the caps at t and appends the gates to list. The code is empty if all of them pass.
func (s *sent) gates(t tick.Tick, c Caps, list []Gate) (all []Gate, closed Code) {
	n := s.within(t, c.Window)
	list = append(list, gateBelow(WhyCappedWindow, n, c.Replies), gateBelow(WhyCappedInRow, s.InRow, c.Consecutive))
	if s.LastBot || s.ToBots > 0 {
		g := gateBelow(WhyCappedBots, s.ToBots, c.ConsecutiveToBots)
		g.Pass = g.Pass || !s.LastBot
		list = append(list, g)
	}
	for _, g := range list {
		if !g.Pass {
			return list, g.Code
		}
	}
	return list, ""
}

// add counts a message that is sent at t.
func (s *sent) add(t tick.Tick, c Caps) {
	s.Times = append(s.Times, t)
	s.keep(c.Replies)
	s.Last = t
	s.InRow++
	if s.LastBot {
		s.ToBots++
	}
}

// keep drops all but the newest n messages. It keeps messages older than the window, because Configure may extend the
// window.
func (s *sent) keep(n int) {
	if over := len(s.Times) - n; over > 0 {
		s.Times = slices.Delete(s.Times, 0, over)
	}
}

// freeAt returns when the window has room for another message; 0: it has room at t.
func (s *sent) freeAt(t tick.Tick, c Caps) tick.Tick {
	if n := s.within(t, c.Window); n >= c.Replies {
		return s.Times[len(s.Times)-c.Replies].Add(c.Window)
	}
	return 0
}
