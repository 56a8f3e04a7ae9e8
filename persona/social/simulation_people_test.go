package social_test

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
)

// something runs one random event.
func (s *simulation) something() {
	r := s.rng.IntN(100)
	c := s.chats[s.rng.IntN(len(s.chats))]
	switch {
	case r < 5:
		for i := range 3 + s.rng.IntN(12) {
			s.later(time.Duration(i)*s.upTo(time.Second)+s.upTo(time.Second), func() { s.speak(c) })
		}
	case r < 12:
		s.retract()
	case r < 15:
		s.repeat()
	case r < 18:
		s.mute(c)
	case r < 24 && s.stops:
		s.restart()
	case r < 27 && s.kills:
		if r := s.run(); r != nil {
			r.store.crashAt(1+s.rng.IntN(10), s.rng.IntN(3))
		}
	case r < 39 && s.faults:
		s.fault()
	default:
		s.speak(c)
	}
}

// speak lets a person write a message of a random kind.
func (s *simulation) speak(c *simChat) {
	from := c.people[s.rng.IntN(len(c.people))]
	private := c.name.Kind == persona.Private
	switch r := s.rng.IntN(20); {
	case r < 8:
		s.say(c, from, "今天好冷", private)
	case r < 12:
		s.say(c, from, "在吗", true, onebot.At(botID))
	case r < 15:
		s.say(c, from, "小炉你说呢", true)
	case r < 16 && !private:
		s.say(c, from, "你看", false, onebot.At(c.people[s.rng.IntN(len(c.people))]))
	case r < 17 && c.group != nil:
		s.sayAt(c, from, time.Now().Add(-maxAge-s.upTo(5*time.Minute)), "小炉，早就问过的", true)
	case r < 18:
		if own := s.recent(c, func(s onebottest.ChatMessage) bool { return s.UserID == botID }); own != 0 {
			s.say(c, from, "真的吗", private || !s.faults, onebot.Reply(own))
		}
	default:
		if other := s.recent(c, func(s onebottest.ChatMessage) bool { return s.UserID != botID }); other != 0 {
			s.say(c, from, "小炉看这个", true, onebot.Reply(other))
		}
	}
}

// recent returns one of the last messages of a chat.
func (s *simulation) recent(c *simChat, ok func(onebottest.ChatMessage) bool) int64 {
	said := s.qq.History(c.chat)
	for i := len(said) - 1 - s.rng.IntN(4); i >= 0; i-- {
		if !said[i].Retracted && ok(said[i]) {
			return said[i].MessageID
		}
	}
	return 0
}

func (s *simulation) say(c *simChat, from int64, text string, calls bool, before ...onebot.Segment) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.utter(&simMessage{chat: c, from: from, at: time.Now(), calls: calls}, text, func(m onebot.Message) int64 { return c.say(from, m) }, before...)
}

func (s *simulation) sayAt(c *simChat, from int64, at time.Time, text string, calls bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.utter(&simMessage{chat: c, from: from, at: time.Now(), calls: calls, old: true}, text, func(m onebot.Message) int64 { return c.group.SayAt(from, at, m) })
}

// utter sends a message with a token of its own. s.mu must be held.
func (s *simulation) utter(m *simMessage, text string, say func(onebot.Message) int64, before ...onebot.Segment) int {
	s.n++
	m.n, m.sure = s.n, s.connected(m.chat)
	s.lines[m.n] = m
	s.order = append(s.order, m)
	m.id = say(append(onebot.Message(before), onebot.Text(" "+text+" "+token(m.chat, m.n))))
	if m.id == 0 { // the bot has no right to get it
		m.sure, m.calls = false, false
	}
	return m.n
}

// provoke lets another bot answer the bot.
func (w *simulation) provoke(s onebottest.ChatMessage) {
	r := w.dice("provoke", s.Message.Text())
	if s.Chat.Kind != "group" || r.IntN(3) > 0 {
		return
	}
	c := w.chats[slices.IndexFunc(w.chats, func(c *simChat) bool { return c.chat == s.Chat })]
	time.AfterFunc(time.Duration(r.Int64N(int64(9*time.Second))), func() {
		w.mu.Lock()
		over := w.over
		w.mu.Unlock()
		if !over {
			w.say(c, robot, "我也是机器人", true, onebot.At(botID))
		}
	})
}

func (s *simulation) retract() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	var may []*simMessage
	for _, m := range s.order {
		if !m.chat.isOfficial() && m.retractedAt.IsZero() && m.n != m.chat.first && now.Sub(m.at) < retractWithin {
			may = append(may, m)
		}
	}
	if len(may) == 0 {
		return
	}
	m := may[max(0, len(may)-1-s.rng.IntN(6))]
	m.retractedAt, m.retractSure = now, s.connected(m.chat)
	s.qq.Recall(m.id)
}

func (s *simulation) repeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.order)
	if n == 0 {
		return
	}
	if m := s.order[max(0, n-1-s.rng.IntN(30))]; !m.chat.isOfficial() {
		s.qq.RepeatMessage(m.id)
	}
}

func (s *simulation) mute(c *simChat) {
	if c.officialGroup != nil {
		s.switchOff(c)
		return
	}
	now := time.Now()
	if c.group == nil || now.Before(c.muted) {
		return
	}
	d := s.upTo(6 * time.Minute)
	c.muted = now.Add(d)
	lift := s.rng.IntN(2) == 0
	if s.rng.IntN(3) == 0 { // without an end
		c.group.Ban(0, time.Hour)
		s.later(d, func() { c.group.Ban(0, 0) })
		return
	}
	c.group.Ban(botID, d)
	if lift {
		s.later(d/2, func() { c.group.Ban(botID, 0); c.muted = time.Time{} })
	}
}

// fault breaks the link in some way for a while.
func (s *simulation) fault() {
	if s.official != nil && s.rng.IntN(2) == 0 {
		s.officialFault()
		return
	}
	lasts, times := s.upTo(90*time.Second), 1+s.rng.IntN(3)
	switch s.rng.IntN(9) {
	case 0:
		s.drop()
	case 1:
		s.qq.RefuseConnections(true)
		s.drop()
		s.later(lasts, func() { s.qq.RefuseConnections(false) })
	case 2:
		s.halfOpen(true)
		s.later(lasts, func() { s.halfOpen(false) })
	case 3:
		s.qq.WithholdResponse([]string{"send_group_msg", "send_private_msg", ""}[s.rng.IntN(3)], times)
	case 4:
		s.qq.UnconfirmSends(times)
	case 5:
		action := []string{"", "send_group_msg", "get_group_msg_history"}[s.rng.IntN(3)]
		s.qq.DelayResponse(action, s.upTo(45*time.Second))
		s.later(lasts, func() { s.qq.DelayResponse(action, 0) })
	case 6:
		s.qq.Fail([]string{"get_group_msg_history", "get_friend_msg_history"}[s.rng.IntN(2)], 1200, times)
	case 7:
		s.qq.Fail("send_group_msg", 1200, times)
	case 8:
		if r := s.run(); r != nil {
			s.failWrites(r, true)
			s.later(lasts/3, func() { s.failWrites(r, false) })
		}
	}
}

func (s *simulation) heal() {
	s.qq.RefuseConnections(false)
	s.halfOpen(false)
	for _, action := range []string{"", "send_group_msg", "send_private_msg", "get_group_msg_history", "get_friend_msg_history"} {
		s.qq.WithholdResponse(action, 0)
		s.qq.DelayResponse(action, 0)
		s.qq.Fail(action, 0, 0)
	}
	s.qq.UnconfirmSends(0)
	if s.official != nil {
		s.healOfficial()
	}
	for _, c := range s.chats {
		if c.group != nil {
			c.group.Ban(botID, 0)
			c.group.Ban(0, 0)
		}
	}
}

func (s *simulation) drop() {
	s.disturb()
	s.dropLinks()
}

func (s *simulation) dropLinks() {
	s.qq.DropLinks()
	if s.official != nil {
		s.official.DropLinks()
	}
}

// halfOpen ends with the link: lost messages are noticed only when it drops.
func (s *simulation) halfOpen(on bool) {
	s.mu.Lock()
	was := s.linkBroken
	s.linkBroken = on
	s.mu.Unlock()
	s.disturb()
	s.qq.HalfOpen(on)
	if s.official != nil {
		s.official.HalfOpen(on)
	}
	if was && !on {
		s.dropLinks()
	}
}

// failWrites simulates a full disk.
func (s *simulation) failWrites(r *botRun, on bool) {
	s.mu.Lock()
	r.failing = on
	s.mu.Unlock()
	s.disturb()
	r.store.failWrites(on)
}

// disturb records that the latest messages may not have been handled.
func (s *simulation) disturb() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, m := range s.order {
		m.sure = m.sure && now.Sub(m.at) > unsure
		m.retractSure = m.retractSure && now.Sub(m.retractedAt) > unsure
	}
}
