package qqbottest

import (
	"context"
	"time"
)

// GatewayStats count what the gateway saw.
type GatewayStats struct {
	Links      int // that are open now
	Ready      int // open links with a session
	Identifies int
	Resumes    int // also those that were refused
	Heartbeats int
}

// GatewayStats returns the gateway's counts.
func (s *Server) GatewayStats() (st GatewayStats) {
	s.locked(func() { st = s.gateway.stats() })
	return st
}

func (g *gateway) stats() GatewayStats {
	st := GatewayStats{Links: len(g.links), Identifies: g.identifies, Resumes: g.resumes, Heartbeats: g.beats}
	for _, l := range g.links {
		if l.sess != nil {
			st.Ready++
		}
	}
	return st
}

// WaitGateway waits until ok returns true for the gateway's counts.
func (s *Server) WaitGateway(ctx context.Context, ok func(GatewayStats) bool) error {
	return s.wait(ctx, func() bool { return ok(s.gateway.stats()) })
}

// WaitLink waits for a bot with a session.
func (s *Server) WaitLink(ctx context.Context) error {
	return s.WaitGateway(ctx, func(st GatewayStats) bool { return st.Ready > 0 })
}

// takeLinks removes all links, so that events from now on wait for a resume.
func (s *Server) takeLinks() (links []*link) {
	s.locked(func() { links, s.gateway.links = s.gateway.links, nil })
	return links
}

// askLinks sends a frame to every link and ends its session's use of it, so that events from now on wait for a resume. The link
// stays open until the bot closes it, or CloseLinks, DropLinks or Close does.
func (s *Server) askLinks(frame object) {
	s.locked(func() {
		for _, l := range s.gateway.links {
			l.sess = nil
			l.push(frame)
		}
	})
}

// DropLinks cuts every link without a close frame.
func (s *Server) DropLinks() {
	for _, l := range s.takeLinks() {
		l.ws.CloseNow()
		l.stop()
	}
}

// CloseLinks closes every link with a code such as 4009, which the platform sends to a link of half an hour.
func (s *Server) CloseLinks(code int) {
	for _, l := range s.takeLinks() {
		l.close(code, "as the test wishes")
	}
}

// Reconnect asks every bot to reconnect (op 7). A link gets no more events, but stays open: see [Server.CloseLinks].
func (s *Server) Reconnect() { s.askLinks(object{"op": opReconnect}) }

// InvalidateSessions tells every bot that its session is invalid (op 9). If it is not resumable, it is dead. A link stays open,
// as after [Server.Reconnect].
func (s *Server) InvalidateSessions(resumable bool) {
	if !resumable {
		s.KillSessions()
	}
	s.askLinks(object{"op": opInvalid, "d": resumable})
}

// KillSessions makes all sessions unknown to later resumes. Open links stay, but get no more events.
func (s *Server) KillSessions() {
	s.locked(func() {
		for _, e := range s.gateway.sessions {
			e.dead = true
		}
	})
}

// StaleSessions makes the gateway accept resumed sessions and close them at once.
func (s *Server) StaleSessions(on bool) { s.locked(func() { s.gateway.stale = on }) }

// ReplayDelivered makes resumes replay the last n events that were already delivered, too, as the platform does.
func (s *Server) ReplayDelivered(n int) { s.locked(func() { s.gateway.replay = n }) }

// HalfOpen makes the gateway neither send events nor acknowledge heartbeats, as if the network was gone.
func (s *Server) HalfOpen(on bool) { s.locked(func() { s.gateway.halfOpen = on }) }

// RefuseLinks refuses new WebSockets with HTTP status 503.
func (s *Server) RefuseLinks(on bool) { s.locked(func() { s.gateway.refuse = on }) }

// LimitSessions sets how many sessions may be started, and when more may be.
func (s *Server) LimitSessions(left int, resetAfter time.Duration) {
	s.locked(func() { s.gateway.left, s.gateway.resetAfter = left, resetAfter })
}

// SendFrame sends any text to every bot.
func (s *Server) SendFrame(text string) {
	s.locked(func() {
		for _, l := range s.gateway.links {
			l.queue([]byte(text))
		}
	})
}
