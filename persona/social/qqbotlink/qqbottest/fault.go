package qqbottest

import (
	"net/http"
	"time"
)

// A Point is when a call is cut off.
type Point int

// Points.
const (
	Never  Point = iota
	Before       // the request was received, and nothing was done
	After        // everything was done, and the answer is lost
)

// faults are the injected faults. Server.mu guards them.
type faults struct {
	failing map[Endpoint]*failing
	delays  map[Endpoint]time.Duration
	cuts    map[Endpoint]*cutting
}

type failing struct {
	status, code, times int
	header              http.Header
}

type cutting struct {
	at    Point
	times int
}

type fault struct {
	status, code int
	delay        time.Duration
	cut          Point
	header       http.Header
}

// take returns the fault of a call and counts it.
func (f *faults) take(e Endpoint) (ft fault) {
	ft.delay = f.delays[e]
	if r := f.failing[e]; r != nil && r.times != 0 {
		ft.status, ft.code, ft.header = r.status, r.code, r.header
		r.times--
	}
	if c := f.cuts[e]; c != nil && c.times != 0 {
		ft.cut = c.at
		c.times--
	}
	return ft
}

// Fail answers the next calls of an endpoint with an HTTP status and one of the platform's codes, and does nothing else. code 0
// is an answer that is not JSON, such as one of a proxy. A negative times means all calls; 0 ends it.
func (s *Server) Fail(e Endpoint, status, code, times int) { s.failWith(e, status, code, times, nil) }

// FailRetryAfter is like Fail with status 429, code 100017 and a Retry-After of whole seconds.
func (s *Server) FailRetryAfter(e Endpoint, seconds string, times int) {
	s.failWith(e, http.StatusTooManyRequests, 100017, times, http.Header{"Retry-After": {seconds}})
}

func (s *Server) failWith(e Endpoint, status, code, times int, header http.Header) {
	s.locked(func() {
		if s.faults.failing == nil {
			s.faults.failing = make(map[Endpoint]*failing)
		}
		s.faults.failing[e] = &failing{status, code, times, header}
	})
}

// Delay makes calls of an endpoint wait before they are handled; 0 ends it.
func (s *Server) Delay(e Endpoint, d time.Duration) {
	s.locked(func() {
		if s.faults.delays == nil {
			s.faults.delays = make(map[Endpoint]time.Duration)
		}
		s.faults.delays[e] = d
	})
}

// Cut cuts the connections of the next calls of an endpoint, before or after they are handled. A negative times means all
// calls; 0 ends it.
func (s *Server) Cut(e Endpoint, at Point, times int) {
	s.locked(func() {
		if s.faults.cuts == nil {
			s.faults.cuts = make(map[Endpoint]*cutting)
		}
		s.faults.cuts[e] = &cutting{at, times}
	})
}
