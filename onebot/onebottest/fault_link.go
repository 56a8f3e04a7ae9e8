package onebottest

import (
	"context"
	"encoding/json"
)

// StopReading lets links stay open and read nothing any more, as when the implementation hangs:
// what bots write fills the buffers of the sockets, over pipes none, and then blocks them. Events
// are pushed on. At most a part of the frame that comes next is read. StopReading(false) reads on,
// and answers.
func (s *Server) StopReading(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch gate := s.faults.gate; {
	case on && gate == nil:
		s.faults.gate = make(chan struct{})
	case !on && gate != nil:
		close(gate)
		s.faults.gate = nil
	}
}

// mayRead waits while StopReading holds.
func (s *Server) mayRead(ctx context.Context) error {
	s.mu.Lock()
	gate := s.faults.gate
	s.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WrongEcho answers the next calls of an action over WebSocket with an echo that nobody gave. An
// action of "" is every one; times below 0 is for ever, 0 ends it.
func (s *Server) WrongEcho(action string, times int) {
	s.locked(func() { set(&s.faults.wrong, action, times, times != 0) })
}

// DuplicateResponse answers the next calls of an action over WebSocket twice. An action of "" is every
// one; times below 0 is for ever, 0 ends it.
func (s *Server) DuplicateResponse(action string, times int) {
	s.locked(func() { set(&s.faults.twice, action, times, times != 0) })
}

// TruncateResponse does the next calls of an action, writes half of the answer's frame or body and drops
// the connection. Of a stream it is the last frame. An action of "" is every one; times below 0
// is for ever, 0 ends it.
func (s *Server) TruncateResponse(action string, times int) {
	s.locked(func() { set(&s.faults.breaking, action, times, times != 0) })
}

// ReorderResponses holds the next n answers over WebSocket until all are there, and gives the newest first.
// Less than 2 gives at once what is held, and ends it.
func (s *Server) ReorderResponses(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.reorder = n
	if n < 2 {
		s.release()
	}
}

// release gives the answers that Reorder holds.
func (s *Server) release() {
	held := s.faults.held
	s.faults.held, s.faults.reorder = nil, 0
	for i := len(held) - 1; i >= 0; i-- {
		held[i]()
	}
}

// deliver pushes the frames of an answer as the faults want it. s.mu is held.
func (l *link) deliver(answers []object, ft fault) {
	push := func() { l.pushAnswer(answers, ft) }
	f := &l.s.faults
	if f.reorder < 2 {
		push()
		return
	}
	if f.held = append(f.held, push); len(f.held) == f.reorder {
		l.s.release()
	}
}

func (l *link) pushAnswer(answers []object, ft fault) {
	times := 1
	if ft.twice {
		times = 2
	}
	for range times {
		for i, a := range answers {
			if ft.wrong {
				a["echo"] = json.RawMessage(`"onebottest-nobody-asked"`)
			}
			l.add(outgoing{frame: l.s.encode(a), half: ft.half && i == len(answers)-1})
		}
	}
}

// SendRaw sends any text frame to every bot, JSON or not. The frame must not be changed afterwards.
func (s *Server) SendRaw(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.pushFrame(frame)
	}
}

// SendRawTruncated announces a text frame to every bot, sends its first half and drops the link, as when
// the implementation is killed while it writes. What was pushed before arrives.
func (s *Server) SendRawTruncated(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.add(outgoing{frame: frame, half: true})
	}
}
