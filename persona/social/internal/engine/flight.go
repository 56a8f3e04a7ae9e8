package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearth-bot/hearth/persona"
)

var errGaveWay = errors.New("social: somebody waits for a turn here")

var (
	errSuperseded = errors.New("social: the author went on writing")
	ErrRetracted  = errors.New("social: the message was taken back")
	ErrForgotten  = fmt.Errorf("social: who said it is forgotten: %w", ErrRetracted)
)

// begin makes t the turn in flight. It is lost at once where something that it would answer was taken back while it was
// written down.
func (r *Chat) begin(t *Turn) {
	r.mu.Lock()
	r.current = t
	gone := slices.ContainsFunc(t.Items, func(m persona.Message) bool { return !r.lives(t.Engine, &m) })
	r.mu.Unlock()
	if gone {
		t.lose(ErrRetracted)
	}
}

// end takes t out of flight.
func (r *Chat) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = nil
}

// supersede ends the turn in flight: the one whom it would answer writes on.
func (r *Chat) supersede() {
	r.mu.Lock()
	t := r.current
	r.mu.Unlock()
	if t != nil {
		t.lose(errSuperseded)
	}
}

// withdraw ends the turn in flight when a message that it would answer was taken back.
func (r *Chat) withdraw(key string) {
	r.mu.Lock()
	t := r.current
	r.mu.Unlock()
	if t != nil && slices.ContainsFunc(t.Items, func(m persona.Message) bool { return messageID(m.Key) == key }) {
		t.lose(ErrRetracted)
	}
}

// enter takes the mind for a turn; called: somebody waits for that turn. A talk of the background that has not begun to act
// gives way to it where somebody does, or waits behind it, and is held anew afterwards.
func (r *Chat) enter(ctx context.Context, called bool) error {
	if err := r.door.Lock(ctx); err != nil {
		return err
	}
	defer r.door.Unlock()
	r.mu.Lock()
	r.enters, r.called = true, r.called || called
	r.mu.Unlock()
	r.yield()
	err := r.Turn.Lock(ctx)
	r.mu.Lock()
	r.enters, r.called = false, r.called && !called
	r.mu.Unlock()
	return err
}

// call notes that somebody waits for a turn, which is perhaps behind another one that waits for the mind.
func (r *Chat) call() {
	r.mu.Lock()
	r.called = true
	r.mu.Unlock()
	r.yield()
}

// LetIn waits until whoever wants a turn has the mind: a talk that gave way would be at it again before them.
func (r *Chat) LetIn(ctx context.Context) error {
	if err := r.door.Lock(ctx); err != nil {
		return err
	}
	r.door.Unlock()
	return nil
}

// think makes t a talk that gives way, until the end. It does at once where somebody waits already.
func (r *Chat) think(t *Turn) (end func()) {
	r.mu.Lock()
	r.thinks = t
	r.mu.Unlock()
	r.yield()
	return func() {
		r.mu.Lock()
		r.thinks = nil
		r.mu.Unlock()
	}
}

// yield has the talk of the background give way, if there is one and it is to.
func (r *Chat) yield() {
	r.mu.Lock()
	t := r.thinks
	if !r.called || !r.enters {
		t = nil
	}
	r.mu.Unlock()
	if t != nil {
		t.lose(errGaveWay)
	}
}

// lose ends a turn that has not begun to act.
func (t *Turn) lose(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.acting && t.halt == nil && errors.Is(why, ErrRetracted) {
		t.halt = why // what it has said stands, and it says no more
	}
	if t.acting || t.gone != nil {
		return
	}
	t.gone = why
	t.cancel(why)
}

// Act is the last look before an effect: from here on the turn can't be superseded.
func (t *Turn) Act() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone == nil {
		t.acting = true
	}
	return t.gone
}

// Halted says why a turn that has begun to act may not go on; nil: it may.
func (t *Turn) Halted() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.halt
}

// Lost says why the turn may not act any more; nil: it may.
func (t *Turn) Lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}
