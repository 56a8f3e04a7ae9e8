package onebottest

// An outgoing is a queued frame.
type outgoing struct {
	frame []byte
	half  bool // truncate the frame and drop the link
}

// An outbox queues the frames for one bot, so that a slow bot does not block the server.
type outbox struct {
	s     *Server
	queue []outgoing    // guarded by s.mu
	ready bool          // guarded by s.mu: the first frame was written
	wake  chan struct{} // signals a new frame; buffered
}

func (s *Server) outbox() outbox { return outbox{s: s, wake: make(chan struct{}, 1)} }

// push queues an event or a response. s.mu is held.
func (o *outbox) push(v object) { o.pushFrame(o.s.encode(v)) }

func (o *outbox) pushFrame(frame []byte) { o.add(outgoing{frame: frame}) }

func (o *outbox) add(out outgoing) {
	if o.s.faults.halfOpen {
		return
	}
	o.queue = append(o.queue, out)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) take() []outgoing {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	q := o.queue
	o.queue = nil
	return q
}

// beat pushes a heartbeat.
func (o *outbox) beat() {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	o.push(o.s.heartbeat())
}

func (s *Server) heartbeat() object {
	return s.event("meta_event", object{
		"meta_event_type": "heartbeat",
		"status":          s.status(),
		"interval":        s.opts.Heartbeat.Milliseconds(),
	})
}

func (o *outbox) markReady() {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	o.ready = true
	o.s.changed()
}

// lifecycle returns the first event.
func (s *Server) lifecycle() object {
	return s.event("meta_event", object{"meta_event_type": "lifecycle", "sub_type": "connect"})
}
