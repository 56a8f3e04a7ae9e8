package qqbot

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/latency"
)

// A Health is the state of a client's connection. Its counters are since New. A client with a [Webhook] has no connection: then
// only Heard and what is said about calls are set.
type Health struct {
	Connected bool      // the gateway has a session for events
	Since     time.Time // Connected has its value since then; zero: there was no session yet
	Heard     time.Time // when the last frame or request of the platform arrived; zero: none did
	Heartbeat time.Time // when the gateway answered a heartbeat last; zero: it did not

	P50, P95 time.Duration // round trip times of the last calls that were answered: the median, and what 5 % exceed
	Calls    int           // number of these calls, at most 128
	TimedOut uint64        // calls without an answer in time

	Reconnects uint64
	Lost       time.Time // when a session's link ended last; zero: none did
	LostReason string    // why it ended
	DialError  string    // why there is no session; "" if there is one
}

// Health returns the state of the connection.
func (c *Client) Health() Health { return c.health.state() }

// connection is what a client keeps for its Health.
type connection struct {
	calls       latency.Window
	timedOut    atomic.Uint64
	heard, beat atomic.Int64 // in Unix nanoseconds; 0: never

	mu         sync.Mutex
	up         bool
	since      time.Time
	ups        uint64
	lost       time.Time
	lostReason string
	dialError  string
}

// countCall counts a request that was answered, or that failed with err before.
func (h *connection) countCall(took time.Duration, err error) {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		h.calls.Add(took)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		h.timedOut.Add(1)
	}
}

// ready notes that a session is ready.
func (h *connection) ready(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.up, h.since, h.dialError = true, now, ""
	h.ups++
}

// ended notes that a link has ended; err is nil if Run has ended.
func (h *connection) ended(now time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
	case h.up:
		h.lost, h.lostReason = now, err.Error()
	default:
		h.dialError = err.Error()
	}
	if h.up {
		h.up, h.since = false, now
	}
}

func (h *connection) state() Health {
	p50, p95, calls := h.calls.Percentiles()
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Health{
		Connected: h.up, Since: h.since, Heard: unixNano(&h.heard), Heartbeat: unixNano(&h.beat), P50: p50, P95: p95, Calls: calls, TimedOut: h.timedOut.Load(),
		Lost: h.lost, LostReason: h.lostReason, DialError: h.dialError,
	}
	if h.ups > 0 {
		s.Reconnects = h.ups - 1
	}
	return s
}

// unixNano returns a time in Unix nanoseconds; 0 is the zero time.
func unixNano(t *atomic.Int64) time.Time {
	if n := t.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}
