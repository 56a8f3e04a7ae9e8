package onebot

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/latency"
)

// A Health is the state of an account's connection. Its counters are since the Client or Server was created.
type Health struct {
	SelfID    int64         // 0: unknown
	Connected bool          // the link for events is up
	Since     time.Time     // Connected has its value since then; zero: there was no link yet
	Heard     time.Time     // when the last frame arrived on the link for events; zero: none did
	Heartbeat time.Time     // when the last heartbeat arrived there; zero: none did
	Interval  time.Duration // between heartbeats; 0: unknown

	P50, P95 time.Duration // round trip times of the last calls that were answered: the median, and what 5 % exceed
	Calls    int           // number of these calls, at most 128
	TimedOut uint64        // calls that match ErrTimeout

	Reconnects uint64
	Lost       time.Time // when a link dropped last; zero: none did
	LostReason string    // why it dropped
	DialError  string    // why the last dial failed; "" after a link is up
}

// Health returns the state of the client's account.
func (c *Client) Health() []Health { return []Health{c.acc.state()} }

// Health returns the states of all accounts that have connected, ordered by id.
func (s *Server) Health() []Health {
	s.mu.Lock()
	all := make([]*account, 0, len(s.accounts))
	for _, a := range s.accounts {
		all = append(all, a)
	}
	s.mu.Unlock()
	states := make([]Health, len(all))
	for i, a := range all {
		states[i] = a.state()
	}
	slices.SortFunc(states, func(a, b Health) int { return cmp.Compare(a.SelfID, b.SelfID) })
	return states
}

// accountHealth is what an account keeps for its Health. account.mu guards the fields of links.
type accountHealth struct {
	calls    latency.Window
	timedOut atomic.Uint64

	since       time.Time
	heard, beat time.Time // on links that dropped
	interval    time.Duration
	seen        [rolesOfLinks]bool // a link with these roles was up
	dialErrors  [rolesOfLinks]string
	reconnects  uint64
	lost        time.Time
	lostReason  string
}

// rolesOfLinks is the number of values of roleOf.
const rolesOfLinks = 3

// roleOf returns an index for the roles of a link.
func roleOf(api, events bool) int {
	switch {
	case api && events:
		return 0
	case api:
		return 1
	}
	return 2
}

// countCall counts a call that has ended.
func (h *accountHealth) countCall(took time.Duration, err error) {
	switch {
	case err == nil:
	case errors.Is(err, ErrTimeout):
		h.timedOut.Add(1)
		return
	default:
		if !errors.As(err, new(*APIError)) {
			return
		}
	}
	h.calls.Add(took)
}

// up notes that a link is up. account.mu is held.
func (h *accountHealth) up(role int, events bool) {
	if h.seen[role] {
		h.reconnects++
	}
	h.seen[role], h.dialErrors[role] = true, ""
	if events {
		h.since = time.Now()
	}
}

// down notes that a link has dropped; err is nil if Run has ended. account.mu is held.
func (h *accountHealth) down(l *link, wasEvents bool, err error) {
	now := time.Now()
	if wasEvents {
		h.since = now
		h.heard, h.beat, h.interval = l.heard()
	}
	if err != nil {
		h.lost, h.lostReason = now, err.Error()
	}
}

// noteDialError notes why a dial failed.
func (a *account) noteDialError(role int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.health.dialErrors[role] = err.Error()
}

// heard returns when the last frame and the last heartbeat arrived, and the interval of heartbeats.
func (l *link) heard() (frame, beat time.Time, interval time.Duration) {
	at := func(since *atomic.Int64) time.Time {
		if d := since.Load(); d != 0 {
			return l.began.Add(time.Duration(d))
		}
		return time.Time{}
	}
	return at(&l.lastFrame), at(&l.lastBeat), time.Duration(l.interval.Load())
}

// state returns the account's Health.
func (a *account) state() Health {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := &a.health
	s := Health{
		SelfID: a.bot.SelfID(), Since: h.since, Heard: h.heard, Heartbeat: h.beat, Interval: h.interval, TimedOut: h.timedOut.Load(),
		Reconnects: h.reconnects, Lost: h.lost, LostReason: h.lostReason, DialError: cmp.Or(h.dialErrors[:]...),
	}
	s.P50, s.P95, s.Calls = h.calls.Percentiles()
	if l := a.events.Load(); l != nil {
		s.Connected = true
		frame, beat, interval := l.heard()
		s.Heard, s.Interval = frame, cmp.Or(interval, s.Interval)
		if !beat.IsZero() {
			s.Heartbeat = beat
		}
	}
	return s
}
