package social

// patience is how often a batch is given back because its author went on writing: after that it is answered.
const patience = 2

// begin makes t the turn in flight.
func (r *room) begin(t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn, t.again = t, r.again
}

// end takes t out of flight. givenBack: its batch comes again.
func (r *room) end(t *turn, givenBack bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn, r.again = nil, 0
	if givenBack {
		r.again = t.again + 1
	}
}

// supersede ends the turn in flight when the one whom it would answer writes on.
func (r *room) supersede(author string) {
	r.mu.Lock()
	t := r.turn
	r.mu.Unlock()
	if t != nil && t.again < patience && t.caller.From == author {
		t.lose(errSuperseded)
	}
}

// lose ends a turn that has not begun to act.
func (t *turn) lose(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
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

// lost says why the turn may not act any more; nil: it may.
func (t *turn) lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}
