package social

import "errors"

// begin makes t the turn in flight.
func (r *room) begin(t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn = t
}

// end takes t out of flight.
func (r *room) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn = nil
}

// supersede ends the turn in flight: the one whom it would answer writes on.
func (r *room) supersede() {
	r.mu.Lock()
	t := r.turn
	r.mu.Unlock()
	if t != nil {
		t.lose(errSuperseded)
	}
}

// lose ends a turn that has not begun to act.
func (t *turn) lose(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.acting && t.halt == nil && errors.Is(why, errRecalled) {
		t.halt = why // what it has said stands, and it says no more
	}
	if t.acting || t.gone != nil {
		return
	}
	t.gone = why
	t.cancel(why)
}

// act is the last look before an effect: from here on the turn can't be superseded.
func (t *turn) act() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone == nil {
		t.acting = true
	}
	return t.gone
}

// halted says why a turn that has begun to act may not go on; nil: it may.
func (t *turn) halted() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.halt
}

// lost says why the turn may not act any more; nil: it may.
func (t *turn) lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}
