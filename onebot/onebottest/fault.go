package onebottest

import (
	"strings"
	"time"
)

// faults are what goes wrong on demand. Server.mu guards them.
type faults struct {
	refuse    bool
	silent    bool
	failing   map[string]*failing
	delays    map[string]time.Duration
	withheld  map[string]int
	unconfirm int

	gate     chan struct{} // closed when links read again; nil while they read
	wrong    map[string]int
	twice    map[string]int
	breaking map[string]int
	reorder  int // answers are held until there are so many
	held     []func()
}

type failing struct{ retcode, times int }

// A fault is what goes wrong with one call.
type fault struct {
	retcode  int
	delay    time.Duration
	withhold bool
	wrong    bool // another echo
	twice    bool
	half     bool
}

// every is the action name that stands for all.
const every = ""

// take gives the fault of a call and counts it. What was said of an action goes before what was
// said of every one.
func (f *faults) take(action string) (ft fault) {
	for _, name := range []string{action, every} {
		if r := f.failing[name]; r != nil && ft.retcode == 0 {
			ft.retcode = r.retcode
			if r.times--; r.times == 0 {
				delete(f.failing, name)
			}
		}
		count(f.withheld, name, &ft.withhold)
		count(f.wrong, name, &ft.wrong)
		count(f.twice, name, &ft.twice)
		count(f.breaking, name, &ft.half)
		if d, ok := f.delays[name]; ok && ft.delay == 0 {
			ft.delay = d
		}
	}
	return ft
}

// count sets on when times has something for name, and takes one off it.
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

// DropLinks cuts every link without a word, as when the implementation is killed. What was not
// written yet is lost. Bots may dial again at once: see [Server.RefuseConnections].
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

// RefuseConnections turns new dials and calls of the HTTP API away by 503, and those of [Server.Connect] too, until it is called with
// false. Links that are there stay.
func (s *Server) RefuseConnections(on bool) {
	s.locked(func() { s.faults.refuse = on })
}

// HalfOpen makes every link, and those to come, look alive and be dead: what the bot writes is
// taken and never acted on, nothing is pushed, no ping is answered. What was swallowed stays
// lost after HalfOpen(false); messages that were said are in the history.
func (s *Server) HalfOpen(on bool) {
	s.locked(func() { s.faults.silent = on })
}

// DelayResponse answers an action only after d; what it does, it does at once. An action of "" is every
// one, a d of 0 ends it.
func (s *Server) DelayResponse(action string, d time.Duration) {
	s.locked(func() { set(&s.faults.delays, action, d, d > 0) })
}

// Fail answers the next calls of an action by retcode, without doing anything. An action of ""
// is every one; times below 0 is for ever, 0 ends it.
func (s *Server) Fail(action string, retcode, times int) {
	s.locked(func() { set(&s.faults.failing, action, &failing{retcode, times}, times != 0) })
}

// WithholdResponse does the next calls of an action and never answers them, as when QQ took a message and
// the answer got lost. An action of "" is every one; times below 0 is for ever, 0 ends it.
func (s *Server) WithholdResponse(action string, times int) {
	s.locked(func() { set(&s.faults.withheld, action, times, times != 0) })
}

// UnconfirmSends lets the next sends be delivered and yet answered by NapCat's "Timeout", retcode 1200,
// as when QQ's risk control looks into them. Times below 0 is for ever, 0 ends it.
func (s *Server) UnconfirmSends(times int) {
	s.locked(func() { s.faults.unconfirm = times })
}

// set puts a fault into a map that is made when it is first needed, or takes it out.
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

// SendLargeEvent pushes a notice of an unknown type whose frame is n bytes long, or as long as the
// smallest one if n is less. To have a big message, say one.
func (s *Server) SendLargeEvent(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ev := s.event("notice", object{"notice_type": "onebottest_big", "padding": ""})
	ev["padding"] = strings.Repeat("x", max(0, n-len(s.encode(ev))))
	s.emitFrame(s.encode(ev))
}
