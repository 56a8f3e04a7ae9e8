package heartflow

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
)

// A naive is a plain model of an Attention with MentionOnly. It keeps all events and searches all of them.
type naive struct {
	now, wakeAt, mutedAll time.Time
	asleep                bool
	chats                 [3]naiveChat
}

type naiveChat struct {
	log   []naiveEvent // received and own messages
	muted time.Time
	turn  naiveTurn
	read  int // number of judged events
}

type naiveEvent struct {
	at                  time.Time
	own, bot, addressed bool
	reply               bool // own: to a person who addressed the bot
	id                  byte
	recalled            bool
}

type naiveTurn struct {
	at                   time.Time
	open, called, spoken bool
	reply                bool // a person addressed the bot, and not only other bots
	from, to             int  // range of the log
}

var never = time.Unix(1<<40, 0)

func (n *naive) enter(now time.Time) {
	if now.After(n.now) {
		n.now = now
	}
	if n.asleep && !n.wakeAt.After(n.now) {
		n.asleep = false
	}
}

func (n *naive) blockedBy(c *naiveChat) Code {
	caps, reply := fill.Zero(Caps{}, defaultCaps), c.turn.open && c.turn.reply
	limit := 6
	if reply {
		limit = 20
	}
	inWindow := 0
	for _, e := range c.log {
		if e.own && e.reply == reply && n.now.Sub(e.at) < caps.Window {
			inWindow++
		}
	}
	switch {
	case n.asleep:
		return WhyOffline
	case n.mutedAll.After(n.now):
		return WhyMutedAll
	case c.muted.After(n.now):
		return WhyMuted
	case inWindow >= limit:
		return WhyCappedWindow
	case c.said(func(e naiveEvent) bool { return !e.own }) >= caps.Consecutive:
		return WhyCappedInRow
	case c.lastBot(len(c.log)) && c.toBots() >= caps.ConsecutiveToBots:
		return WhyCappedBots
	}
	return ""
}

// said counts own messages, from the end back to the first for which stop is true.
func (c *naiveChat) said(stop func(naiveEvent) bool) (n int) {
	for _, e := range slices.Backward(c.log) {
		if stop(e) {
			break
		}
		if e.own {
			n++
		}
	}
	return n
}

func (c *naiveChat) lastBot(before int) bool {
	for _, e := range slices.Backward(c.log[:before]) {
		if !e.own {
			return e.bot
		}
	}
	return false
}

func (c *naiveChat) toBots() (n int) {
	for i := len(c.log) - 1; i >= 0 && (c.log[i].own || c.log[i].bot); i-- {
		if c.log[i].own && c.lastBot(i) {
			n++
		}
	}
	return n
}

func (c *naiveChat) addressed(now time.Time, from, to int) (n int) {
	for _, e := range c.log[from:to] {
		if e.addressed && !e.recalled && now.Sub(e.at) <= 2*time.Minute {
			n++
		}
	}
	return n
}

func (n *naive) judge(c *naiveChat) Decision {
	c.turn = naiveTurn{at: n.now, from: c.read, to: len(c.log), called: c.addressed(n.now, c.read, len(c.log)) > 0}
	c.turn.reply = slices.ContainsFunc(c.log[c.read:], func(e naiveEvent) bool {
		return e.addressed && !e.bot && !e.recalled && n.now.Sub(e.at) <= 2*time.Minute
	})
	c.turn.open, c.read = true, len(c.log)
	if c.turn.open = n.blockedBy(c) == "" && c.turn.called; c.turn.open {
		return Ask
	}
	return Silent
}

func (n *naive) speak(c *naiveChat) Code {
	u := &c.turn
	if blocked := n.blockedBy(c); blocked != "" {
		return blocked
	}
	switch {
	case !u.open:
		return WhyNotJudged
	case u.called && !u.spoken && c.addressed(u.at, u.from, u.to) == 0:
		return WhyRetracted
	case n.now.Sub(u.at) > 2*time.Minute:
		return WhyStale
	}
	u.spoken = true
	c.log = append(c.log, naiveEvent{at: n.now, own: true, reply: u.reply})
	return ""
}

// A pair holds the Attention under test, the naive model, and an Attention with restarts.
type pair struct {
	t      *testing.T
	a, b   *Attention[int]
	at, bt []string // traces
	n      naive
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t}
	o := Options{Seed: 9, Policy: MentionOnly{}, Caps: Caps{RepliesPerPerson: 1000}} // TestCaps_PerPerson tests that cap
	o.OnTrace = func(tr Trace) { p.at = append(p.at, tr.String()) }
	p.a = newAttention[int](o)
	o.OnTrace = func(tr Trace) { p.bt = append(p.bt, tr.String()) }
	p.b = newAttention[int](o)
	return p
}

var jumps = [...]time.Duration{
	0, time.Second, 5 * time.Second, 30 * time.Second, 59 * time.Second, 60 * time.Second, 61 * time.Second, 2 * time.Minute,
	2*time.Minute + 1, 5 * time.Minute, 26 * time.Hour, -time.Second, -3 * time.Minute, -24 * time.Hour, time.Millisecond, 1,
}

// step applies the operation in two bytes to all three.
func (p *pair) step(now time.Time, op, arg byte) {
	chat, id := int(op>>4)%3, arg&7
	c := &p.n.chats[chat]
	text := string('a' + rune(id))
	p.n.enter(now)
	both := func(f func(a *Attention[int])) { f(p.a); f(p.b) }
	end := func() (time.Time, time.Time) { // for the Attentions and for the naive model
		if arg == 0 {
			return time.Time{}, never
		}
		t := now.Add(time.Duration(arg) * time.Second)
		return t, t
	}
	switch op & 15 {
	case 0, 1, 2, 3:
		m := Message{ID: text, From: text, AtMe: op&1 == 0, FromBot: op&2 != 0}
		both(func(a *Attention[int]) { require.Equal(p.t, m.AtMe, a.Observe(now, chat, m).Addressed) })
		c.log = append(c.log, naiveEvent{at: p.n.now, bot: m.FromBot, addressed: m.AtMe, id: id})
	case 4, 5:
		want := p.n.judge(c)
		both(func(a *Attention[int]) { require.Equal(p.t, want, a.Judge(now, chat).Do) })
	case 6, 7, 8:
		want := p.n.speak(c)
		both(func(a *Attention[int]) {
			err := a.Speak(now, chat, text)
			if want == "" {
				require.NoError(p.t, err)
			} else {
				require.Equal(p.t, want, err.(*RefusedError).Code)
			}
		})
	case 9:
		both(func(a *Attention[int]) { a.SkipTurn(now, chat, WhyModelSilent) })
		c.turn.open = false
	case 10:
		both(func(a *Attention[int]) { a.SkipTurn(now, chat, WhySuperseded) })
		if c.turn.to > c.turn.from && !c.turn.spoken && c.turn.open {
			c.read = c.turn.from
		}
		c.turn.open = false
	case 11:
		both(func(a *Attention[int]) { a.Retract(now, chat, text) })
		// recalls the oldest waiting message with the id, or else the oldest one of the open turn
		p.recall(c, id)
	case 12:
		t, n := end()
		both(func(a *Attention[int]) { a.Mute(now, chat, t) })
		c.muted = n
	case 13:
		t, n := end()
		both(func(a *Attention[int]) { a.MuteAll(now, t) })
		p.n.mutedAll = n
	case 14:
		if arg%2 == 0 {
			both(func(a *Attention[int]) { a.Wake(now) })
			p.n.asleep = false
		} else if t, n := end(); n.After(p.n.now) {
			both(func(a *Attention[int]) { a.Sleep(now, t) })
			p.n.asleep, p.n.wakeAt = true, n
		}
	case 15:
		both(func(a *Attention[int]) { a.State(now, chat) }) // applies due changes first
		p.restart()
	}
	p.check(now)
}

func (p *pair) recall(c *naiveChat, id byte) {
	drop := func(from, to int) bool {
		for i := from; i < to; i++ {
			if e := &c.log[i]; e.id == id && !e.own && !e.recalled {
				e.recalled = true
				return true
			}
		}
		return false
	}
	if !drop(c.read, len(c.log)) && c.turn.open && !c.turn.spoken {
		drop(c.turn.from, c.turn.to)
	}
}

func (p *pair) restart() {
	if p.n.asleep {
		return // a restart would end the sleep
	}
	s, err := p.b.Snapshot()
	require.NoError(p.t, err)
	require.True(p.t, json.Valid(s))
	b := newAttention[int](Options{Policy: MentionOnly{}, Caps: p.b.o.Caps, OnTrace: p.b.o.OnTrace})
	require.NoError(p.t, b.Restore(s))
	again, err := b.Snapshot()
	require.NoError(p.t, err)
	require.Equal(p.t, string(s), string(again))
	p.b = b
}

func (p *pair) check(now time.Time) {
	p.n.enter(now)
	for chat := range p.n.chats {
		s := p.a.State(now, chat)
		require.Equal(p.t, s, p.b.State(now, chat))
		require.Equal(p.t, p.n.asleep, s == Offline)
		if s == Active {
			c := p.n.chats[chat]
			require.True(p.t, slices.ContainsFunc(c.log, func(e naiveEvent) bool { return e.own && p.n.now.Sub(e.at) < 2*time.Minute }))
		}
	}
	require.Equal(p.t, p.at, p.bt, "a restart changes no trace")
	p.at, p.bt = nil, nil
}

// FuzzAttention plays any order of operations with jumping times, against the naive model and with restarts.
func FuzzAttention(f *testing.F) {
	f.Add([]byte{0, 0, 1, 4, 0, 1, 6, 0, 1, 6, 0, 1, 6, 0, 1, 6, 0, 1})
	f.Add([]byte{2, 1, 0, 4, 0, 0, 15, 0, 0, 6, 0, 1, 2, 1, 1, 4, 0, 1, 7, 0, 1, 2, 1, 0, 4, 0, 0})
	f.Add([]byte{0, 3, 1, 4, 0, 1, 11, 3, 1, 6, 0, 1, 0, 4, 12, 4, 0, 0, 10, 0, 0, 4, 0, 0})
	f.Add([]byte{14, 31, 0, 0, 0, 3, 4, 0, 3, 14, 2, 3, 12, 9, 1, 13, 200, 1, 15, 0, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, now := newPair(t), t0
		told := map[int]State{}
		p.step(now, 9, 0)
		for len(data) >= 3 && len(p.n.chats[0].log) < 400 {
			now = now.Add(jumps[data[2]%16])
			p.step(now, data[0], data[1])
			if data[2] >= 128 {
				for _, ch := range p.a.Due(now) {
					if ch.AllChats {
						clear(told)
						continue
					}
					require.Equal(t, told[ch.Chat], ch.From)
					told[ch.Chat] = ch.To
				}
				next, ok := p.a.Next()
				require.True(t, !ok || next.After(p.n.now), "Due reported all due changes")
				for chat := range p.n.chats {
					if s := p.a.State(now, chat); s != Offline {
						require.Equal(t, s, told[chat])
					}
				}
			}
			data = data[3:]
		}
	})
}
