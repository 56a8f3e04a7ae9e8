package heartflow

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// Caps are hard limits on one chat. They hold whatever a policy, a model or another bot does, and cannot be turned
// off: raise them.
type Caps struct {
	Replies           int           // messages said within Window; 0 means 6, at most 1000
	Window            time.Duration // 0 means 5 minutes
	Consecutive       int           // messages said with nobody else's between; 0 means 3
	ConsecutiveToBots int           // replies in a row to other bots, reset by a human; 0 means 2
}

// maxReplies bounds Caps.Replies, and with it what is kept of a chat.
const maxReplies = 1000

var defaultCaps = Caps{Replies: 6, Window: 5 * time.Minute, Consecutive: 3, ConsecutiveToBots: 2}

func (c Caps) validate() error {
	switch {
	case c.Replies < 0 || c.Replies > maxReplies:
		return fmt.Errorf("heartflow: Caps.Replies is %d: it must be from 1 to %d, or 0 for the default", c.Replies, maxReplies)
	case c.Window < 0:
		return fmt.Errorf("heartflow: Caps.Window is %v: it must not be negative", c.Window)
	case c.Consecutive < 0:
		return fmt.Errorf("heartflow: Caps.InRow is %d: it must not be negative", c.Consecutive)
	case c.ConsecutiveToBots < 0:
		return fmt.Errorf("heartflow: Caps.ToBots is %d: it must not be negative", c.ConsecutiveToBots)
	}
	return nil
}

// said counts what the bot said in a chat.
type said struct {
	Times   []tick.Tick // of the newest Caps.Replies messages, oldest first
	Last    tick.Tick   // own last message; 0: never
	InRow   int         // since the last message of anybody else
	ToBots  int         // since the last message of a human
	LastBot bool        // the last message heard was a bot's
}

// heard takes a message of somebody else.
func (s *said) heard(bot bool) {
	s.InRow = 0
	if s.LastBot = bot; !bot {
		s.ToBots = 0
	}
}

// ResetConsecutive tells that somebody said something in a chat that is not judged, such as a command that the host carries out: what
// the bot says next does not follow its own last message.
func (a *Attention[K]) ResetConsecutive(now time.Time, chat K) {
	c, _ := a.enterChat(now, chat)
	defer a.leave()
	c.Said.heard(false)
}

// within counts the messages said in the window that ends at t. One that is exactly a window old is out.
func (s *said) within(t tick.Tick, window time.Duration) int {
	n := 0
	for n < len(s.Times) && s.Times[n].Add(window) <= t {
		n++
	}
	return len(s.Times) - n
}

// gates tests the caps at t and appends them to list; the code is empty if all of them pass.
func (s *said) gates(t tick.Tick, c Caps, list []Gate) (all []Gate, closed Code) {
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

// count takes a message that is being said at t.
func (s *said) count(t tick.Tick, c Caps) {
	s.Times = append(s.Times, t)
	s.keep(c.Replies)
	s.Last = t
	s.InRow++
	if s.LastBot {
		s.ToBots++
	}
}

// keep forgets all but the newest n messages. They may be older than the window, for it may be made longer.
func (s *said) keep(n int) {
	if over := len(s.Times) - n; over > 0 {
		s.Times = slices.Delete(s.Times, 0, over)
	}
}

// free is when the window takes another message; 0 if it does at t.
func (s *said) free(t tick.Tick, c Caps) tick.Tick {
	if n := s.within(t, c.Window); n >= c.Replies {
		return s.Times[len(s.Times)-c.Replies].Add(c.Window)
	}
	return 0
}
