package onebottest

import (
	"strings"
	"time"
)

// faults are the injected faults. Server.mu guards them.
type faults struct {
	refuse    bool
	halfOpen  bool
	failing   map[string]*failing
	delays    map[string]time.Duration
	withheld  map[string]int
	unconfirm int

	gate      chan struct{} // closed when links read again; nil while they read
	wrongEcho map[string]int
	duplicate map[string]int
	breaking  map[string]int
	reorder   int // number of responses to hold
	held      []func()
}

type failing struct{ retcode, times int }

// A fault is the fault of one call.
type fault struct {
	retcode   int
	delay     time.Duration
	withhold  bool
	wrongEcho bool // another echo
	duplicate bool
	half      bool
}

// allActions is the action name for all actions.
const allActions = ""

// take returns the fault of a call and counts it. A fault for the action takes precedence over a fault for every
// action.
func (f *faults) take(action string) (ft fault) {
	for _, name := range []string{action, allActions} {
		if r := f.failing[name]; r != nil && ft.retcode == 0 {
			ft.retcode = r.retcode
			if r.times--; r.times == 0 {
				delete(f.failing, name)
			}
		}
		count(f.withheld, name, &ft.withhold)
		count(f.wrongEcho, name, &ft.wrongEcho)
		count(f.duplicate, name, &ft.duplicate)
		count(f.breaking, name, &ft.half)
		if d, ok := f.delays[name]; ok && ft.delay == 0 {
			ft.delay = d
		}
	}
	return ft
}

// count sets on if name has a count left, and decrements the count.
func count(times map[string]int, name string, on *bool) {
	n := times[name]
	if n == 0 || *on {
		return
	}
	*on = true
	if times[name] = n - 1; n == 1 {
		delete(times, name)
	}
}

// DropLinks cuts every link without a close frame, as if the implementation was killed. Unwritten frames are lost.
// Bots may dial again at once: see [Server.RefuseConnections].
func (s *Server) DropLinks() {
	s.mu.Lock()
	links := s.links
	s.links = nil
	s.changed()
	s.mu.Unlock()
	for _, l := range links {
		l.drop()
	}
}

// RefuseConnections refuses new connections and calls of the HTTP API with HTTP status 503, and fails the dials of
// [Server.Connect]. Existing links stay open. RefuseConnections(false) ends it.
func (s *Server) RefuseConnections(on bool) {
	s.locked(func() { s.faults.refuse = on })
}

// HalfOpen makes all present and future links half-open: the server reads frames of the bot but ignores them, pushes
// nothing, and responds to no pings. After HalfOpen(false) the ignored frames stay lost. Messages of users are in the
// history.
func (s *Server) HalfOpen(on bool) {
	s.locked(func() { s.faults.halfOpen = on })
}

// DelayResponse sends the response to an action after d. The action itself runs at once. Action "" means every action; d 0
// ends it.
func (s *Server) DelayResponse(action string, d time.Duration) {
	s.locked(func() { set(&s.faults.delays, action, d, d > 0) })
}

// Fail fails the next calls of an action with retcode, without executing them. Action "" means every action. A
// negative times means all calls; 0 ends it.
func (s *Server) Fail(action string, retcode, times int) {
	s.locked(func() { set(&s.faults.failing, action, &failing{retcode, times}, times != 0) })
}

// WithholdResponse executes the next calls of an action and sends no response, as if QQ sent the message but the response was
// lost. Action "" means every action. A negative times means all calls; 0 ends it.
func (s *Server) WithholdResponse(action string, times int) {
	s.locked(func() { set(&s.faults.withheld, action, times, times != 0) })
}

// UnconfirmSends delivers the next sends but responds with NapCat's "Timeout", retcode 1200, as under QQ's risk control. A
// negative times means all sends; 0 ends it.
func (s *Server) UnconfirmSends(times int) {
	s.locked(func() { s.faults.unconfirm = times })
}

// set adds a fault to a map, which it creates if needed, or removes it.
func set[V any](m *map[string]V, action string, v V, on bool) {
	if *m == nil {
		*m = make(map[string]V)
	}
	if on {
		(*m)[action] = v
	} else {
		delete(*m, action)
	}
}

// SendLargeEvent pushes a notice of an unknown type. Its frame has n bytes, or the minimum size if n is less. For a large
// message use [Group.Say].
func (s *Server) SendLargeEvent(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ev := s.event("notice", object{"notice_type": "onebottest_big", "padding": ""})
	ev["padding"] = strings.Repeat("x", max(0, n-len(s.encode(ev))))
	s.emitFrame(s.encode(ev))
}
