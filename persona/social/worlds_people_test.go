package social_test

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// something happens.
func (w *world) something() {
	r := w.rng.IntN(100)
	p := w.places[w.rng.IntN(len(w.places))]
	switch {
	case r < 5:
		for i := range 3 + w.rng.IntN(12) {
			w.later(time.Duration(i)*w.upTo(time.Second)+w.upTo(time.Second), func() { w.speak(p) })
		}
	case r < 12:
		w.recall()
	case r < 15:
		w.repeat()
	case r < 18:
		w.mute(p)
	case r < 24 && w.stops:
		w.restart()
	case r < 27 && w.kills:
		if l := w.life(); l != nil {
			l.store.doom(1+w.rng.IntN(10), w.rng.IntN(3))
		}
	case r < 39 && w.faults:
		w.fault()
	default:
		w.speak(p)
	}
}

// speak lets somebody say something of some kind.
func (w *world) speak(p *place) {
	from := p.people[w.rng.IntN(len(p.people))]
	private := p.group == nil
	switch r := w.rng.IntN(20); {
	case r < 8:
		w.say(p, from, "今天好冷", private)
	case r < 12:
		w.say(p, from, "在吗", true, onebot.At(bot))
	case r < 15:
		w.say(p, from, "小炉你说呢", true)
	case r < 16 && !private:
		w.say(p, from, "你看", false, onebot.At(p.people[w.rng.IntN(len(p.people))]))
	case r < 17 && !private:
		w.sayAt(p, from, time.Now().Add(-maxAge-w.upTo(5*time.Minute)), "小炉，早就问过的", true)
	case r < 18:
		if own := w.recent(p, func(s onebottest.ChatMessage) bool { return s.UserID == bot }); own != 0 {
			w.say(p, from, "真的吗", private || !w.faults, onebot.Reply(own))
		}
	default:
		if other := w.recent(p, func(s onebottest.ChatMessage) bool { return s.UserID != bot }); other != 0 {
			w.say(p, from, "小炉看这个", true, onebot.Reply(other))
		}
	}
}

// recent is one of the last messages of a place.
func (w *world) recent(p *place, ok func(onebottest.ChatMessage) bool) int64 {
	said := w.qq.History(p.chat)
	for i := len(said) - 1 - w.rng.IntN(4); i >= 0; i-- {
		if !said[i].Retracted && ok(said[i]) {
			return said[i].MessageID
		}
	}
	return 0
}

func (w *world) say(p *place, from int64, text string, calls bool, before ...onebot.Segment) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.utter(&line{place: p, from: from, at: time.Now(), calls: calls}, text, func(m onebot.Message) int64 { return p.say(from, m) }, before...)
}

func (w *world) sayAt(p *place, from int64, at time.Time, text string, calls bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.utter(&line{place: p, from: from, at: time.Now(), calls: calls, old: true}, text, func(m onebot.Message) int64 { return p.group.SayAt(from, at, m) })
}

// utter says a line with a token of its own. w.mu is held.
func (w *world) utter(l *line, text string, say func(onebot.Message) int64, before ...onebot.Segment) int {
	w.n++
	l.n, l.sure = w.n, w.whole()
	w.lines[l.n] = l
	w.order = append(w.order, l)
	l.id = say(append(onebot.Message(before), onebot.Text(" "+text+" "+token(l.place, l.n))))
	return l.n
}

// provoke lets another bot answer the bot, as bots do.
func (w *world) provoke(s onebottest.ChatMessage) {
	r := w.dice("provoke", s.Message.Text())
	if s.Chat.Kind != "group" || r.IntN(3) > 0 {
		return
	}
	p := w.places[slices.IndexFunc(w.places, func(p *place) bool { return p.chat == s.Chat })]
	time.AfterFunc(time.Duration(r.Int64N(int64(9*time.Second))), func() {
		w.mu.Lock()
		over := w.over
		w.mu.Unlock()
		if !over {
			w.say(p, robot, "我也是机器人", true, onebot.At(bot))
		}
	})
}

func (w *world) recall() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	var may []*line
	for _, l := range w.order {
		if l.gone.IsZero() && l.n != l.place.first && now.Sub(l.at) < recallFor {
			may = append(may, l)
		}
	}
	if len(may) == 0 {
		return
	}
	l := may[max(0, len(may)-1-w.rng.IntN(6))]
	l.gone, l.goneSure = now, w.whole()
	w.qq.Recall(l.id)
}

func (w *world) repeat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.order); n > 0 {
		w.qq.RepeatMessage(w.order[max(0, n-1-w.rng.IntN(30))].id)
	}
}

func (w *world) mute(p *place) {
	now := time.Now()
	if p.group == nil || now.Before(p.muted) {
		return
	}
	d := w.upTo(6 * time.Minute)
	p.muted = now.Add(d)
	lift := w.rng.IntN(2) == 0
	if w.rng.IntN(3) == 0 { // with no end
		p.group.Ban(0, time.Hour)
		w.later(d, func() { p.group.Ban(0, 0) })
		return
	}
	p.group.Ban(bot, d)
	if lift {
		w.later(d/2, func() { p.group.Ban(bot, 0); p.muted = time.Time{} })
	}
}

// fault is one thing that goes wrong with the link, for a while.
func (w *world) fault() {
	lasts, times := w.upTo(90*time.Second), 1+w.rng.IntN(3)
	switch w.rng.IntN(9) {
	case 0:
		w.drop()
	case 1:
		w.qq.RefuseConnections(true)
		w.drop()
		w.later(lasts, func() { w.qq.RefuseConnections(false) })
	case 2:
		w.halfOpen(true)
		w.later(lasts, func() { w.halfOpen(false) })
	case 3:
		w.qq.WithholdResponse([]string{"send_group_msg", "send_private_msg", ""}[w.rng.IntN(3)], times)
	case 4:
		w.qq.UnconfirmSends(times)
	case 5:
		action := []string{"", "send_group_msg", "get_group_msg_history"}[w.rng.IntN(3)]
		w.qq.DelayResponse(action, w.upTo(45*time.Second))
		w.later(lasts, func() { w.qq.DelayResponse(action, 0) })
	case 6:
		w.qq.Fail([]string{"get_group_msg_history", "get_friend_msg_history"}[w.rng.IntN(2)], 1200, times)
	case 7:
		w.qq.Fail("send_group_msg", 1200, times)
	case 8:
		if l := w.life(); l != nil {
			w.ail(l, true)
			w.later(lasts/3, func() { w.ail(l, false) })
		}
	}
}

func (w *world) heal() {
	w.qq.RefuseConnections(false)
	w.halfOpen(false)
	for _, action := range []string{"", "send_group_msg", "send_private_msg", "get_group_msg_history", "get_friend_msg_history"} {
		w.qq.WithholdResponse(action, 0)
		w.qq.DelayResponse(action, 0)
		w.qq.Fail(action, 0, 0)
	}
	w.qq.UnconfirmSends(0)
	for _, p := range w.places {
		if p.group != nil {
			p.group.Ban(bot, 0)
			p.group.Ban(0, 0)
		}
	}
}

func (w *world) drop() {
	w.disturb()
	w.qq.DropLinks()
}

// halfOpen ends with the link: what a link swallowed is known to be lost only when it drops.
func (w *world) halfOpen(on bool) {
	w.mu.Lock()
	was := w.dead
	w.dead = on
	w.mu.Unlock()
	w.disturb()
	w.qq.HalfOpen(on)
	if was && !on {
		w.qq.DropLinks()
	}
}

// ail has the disk be full.
func (w *world) ail(l *life, on bool) {
	w.mu.Lock()
	l.sick = on
	w.mu.Unlock()
	w.disturb()
	l.store.ail(on)
}

// disturb notes that what was just said may not have been dealt with.
func (w *world) disturb() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, l := range w.order {
		l.sure = l.sure && now.Sub(l.at) > unsure
		l.goneSure = l.goneSure && now.Sub(l.gone) > unsure
	}
}
