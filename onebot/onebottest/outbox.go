package onebottest

// An outgoing is a frame on its way to a bot.
type outgoing struct {
	frame []byte
	half  bool // it breaks off in the middle, and the link with it
}

// An outbox holds what is pushed to one bot, so that the world never waits for a slow one.
type outbox struct {
	s       *Server
	queue   []outgoing    // guarded by s.mu
	greeted bool          // guarded by s.mu: it gets what is pushed
	wake    chan struct{} // holds one: the queue has something
}

func (s *Server) outbox() outbox { return outbox{s: s, wake: make(chan struct{}, 1)} }

// push queues an event or an answer. s.mu is held.
func (o *outbox) push(v object) { o.pushFrame(o.s.encode(v)) }

func (o *outbox) pushFrame(frame []byte) { o.add(outgoing{frame: frame}) }

func (o *outbox) add(out outgoing) {
	if o.s.faults.silent {
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
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	o.push(s.event("meta_event", object{
		"meta_event_type": "heartbeat",
		"status":          s.status(),
		"interval":        s.opts.Heartbeat.Milliseconds(),
	}))
}

func (o *outbox) greet() {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	o.greeted = true
	o.s.changed()
}

// lifecycle is the first event.
func (s *Server) lifecycle() object {
	return s.event("meta_event", object{"meta_event_type": "lifecycle", "sub_type": "connect"})
}
