package onebottest

import (
	"context"
	"encoding/json"
)

// StopReading keeps links open but reads nothing, as if the implementation hangs. Frames of bots fill the socket
// buffers and then block their writers; pipes have no buffer. Events are still pushed. At most a part of the next
// frame is read. StopReading(false) reads and responds again.
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

// mayRead waits while StopReading is on.
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

// WrongEcho responds to the next calls of an action over WebSocket with an unknown echo. Action "" means every
// action. A negative times means all calls; 0 ends it.
func (s *Server) WrongEcho(action string, times int) {
	s.locked(func() { set(&s.faults.wrongEcho, action, times, times != 0) })
}

// DuplicateResponse sends the response to the next calls of an action over WebSocket twice. Action "" means every action. A
// negative times means all calls; 0 ends it.
func (s *Server) DuplicateResponse(action string, times int) {
	s.locked(func() { set(&s.faults.duplicate, action, times, times != 0) })
}

// TruncateResponse executes the next calls of an action, writes half of the response's frame or body and drops the
// connection. For a stream it truncates the last frame. Action "" means every action. A negative times means all
// calls; 0 ends it.
func (s *Server) TruncateResponse(action string, times int) {
	s.locked(func() { set(&s.faults.breaking, action, times, times != 0) })
}

// ReorderResponses holds the next n responses over WebSocket and sends them in reverse order. n less than 2 sends the held
// responses and ends it.
func (s *Server) ReorderResponses(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.reorder = n
	if n < 2 {
		s.release()
	}
}

// release sends the responses held by [Server.ReorderResponses].
func (s *Server) release() {
	held := s.faults.held
	s.faults.held, s.faults.reorder = nil, 0
	for i := len(held) - 1; i >= 0; i-- {
		held[i]()
	}
}

// deliver pushes the frames of a response and applies the fault. s.mu is held.
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
	if ft.duplicate {
		times = 2
	}
	for range times {
		for i, a := range answers {
			if ft.wrongEcho {
				a["echo"] = json.RawMessage(`"onebottest-nobody-asked"`)
			}
			l.add(outgoing{frame: l.s.encode(a), half: ft.half && i == len(answers)-1})
		}
	}
}

// SendRaw sends any text frame to every bot. The frame must not be modified afterwards.
func (s *Server) SendRaw(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.pushFrame(frame)
	}
}

// SendRawTruncated sends the header and the first half of a text frame to every bot and drops the link, as if the
// implementation was killed while writing. Earlier frames arrive.
func (s *Server) SendRawTruncated(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.add(outgoing{frame: frame, half: true})
	}
}
