package qqbotlink

import (
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/trace"
)

// health returns the state of the link. A webhook has no connection: it is online while Run runs.
func (l *link) health() []trace.LinkHealth {
	of, stats := l.client.Health(), l.client.Stats()
	h := trace.LinkHealth{
		Self: l.self(), Online: of.Connected, Since: of.Since, Heard: of.Heard, Heartbeat: of.Heartbeat, P50: of.P50, P95: of.P95, Calls: of.Calls, TimedOut: int(of.TimedOut),
		Reconnects: int(of.Reconnects), Lost: of.Lost, LostReason: of.LostReason, Problem: of.DialError,
		Queued: stats.Queued, QueuedBytes: stats.QueuedBytes, QueueLimit: stats.QueueLimit, Dropped: int(stats.Dropped + stats.Unhandled),
	}
	if began := l.webhookSince.Load(); began != nil {
		h.Online, h.Since = true, *began
	}
	return []trace.LinkHealth{h}
}

// allowance implements LinkFeatures.Allowance. Unlike permit it does not change the windows.
func (w *windows) allowance(now time.Time, chat persona.Chat) (a trace.Allowance, ok bool) {
	if _, err := receiver(chat); err != nil {
		return a, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.chats[chat]
	if c == nil {
		c = newWindow(chat)
	}
	lasts, _ := limits(chat)
	for _, t := range c.targets {
		if left := t.left(now, chat); left > 0 {
			a.Replies += left
			if end := t.at.Add(lasts); end.After(a.RepliesUntil) {
				a.RepliesUntil = end
			}
		}
	}
	minute, day := c.quota(now)
	_, err := w.mayStart(now, c)
	if err == nil {
		a.Minute, a.Day = minute, day
	}
	switch {
	case now.Before(c.muted):
		a = trace.Allowance{Refused: errMuted.Error()}
	case a.Replies == 0 && err != nil:
		a.Refused = err.Error()
	}
	return a, true
}
