package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearth-bot/hearth/persona"
)

// Reasons to cancel a turn.
var (
	errPreempted  = errors.New("social: a user waits for a turn in this chat") // of a background turn
	errSuperseded = errors.New("social: the author sent another message")
	ErrRetracted  = errors.New("social: the message was recalled")
	ErrErased     = fmt.Errorf("social: the author was erased: %w", ErrRetracted)
)

// setActive makes t the running turn. It cancels t at once if a message that t would answer was retracted meanwhile.
func (c *Chat) setActive(t *Turn) {
	c.mu.Lock()
	c.active = t
	gone := slices.ContainsFunc(t.Items, func(m persona.Message) bool { return !c.isValid(t.Engine, &m) })
	c.mu.Unlock()
	if gone {
		t.cancelWith(ErrRetracted)
	}
}

// clearActive ends what setActive began.
func (c *Chat) clearActive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active = nil
}

// supersede cancels the running turn, because the author of its message sent another one.
func (c *Chat) supersede() {
	c.mu.Lock()
	t := c.active
	c.mu.Unlock()
	if t != nil {
		t.cancelWith(errSuperseded)
	}
}

// cancelRetracted cancels the running turn if the retracted message is one that it would answer.
func (c *Chat) cancelRetracted(key string) {
	c.mu.Lock()
	t := c.active
	c.mu.Unlock()
	if t != nil && slices.ContainsFunc(t.Items, func(m persona.Message) bool { return messageID(m.Key) == key }) {
		t.cancelWith(ErrRetracted)
	}
}

// lockTurn takes the chat's turn lock for a turn that answers. called means that a user waits for this turn. If a
// user waits for it, or for a turn behind it, a background turn that has not acted yet is cancelled, and is retried
// afterwards.
func (c *Chat) lockTurn(ctx context.Context, called bool) error {
	if err := c.queueMu.Lock(ctx); err != nil {
		return err
	}
	defer c.queueMu.Unlock()
	c.mu.Lock()
	c.waiting, c.callerWaits = true, c.callerWaits || called
	c.mu.Unlock()
	c.preempt()
	err := c.TurnMu.Lock(ctx)
	c.mu.Lock()
	c.waiting, c.callerWaits = false, c.callerWaits && !called
	c.mu.Unlock()
	return err
}

// requestTurn notes that a user waits for a turn, perhaps behind another one that waits for the turn lock.
func (c *Chat) requestTurn() {
	c.mu.Lock()
	c.callerWaits = true
	c.mu.Unlock()
	c.preempt()
}

// AwaitQueued waits until the turns that wait already have the turn lock. A preempted turn calls it, so that its retry does
// not overtake them.
func (c *Chat) AwaitQueued(ctx context.Context) error {
	if err := c.queueMu.Lock(ctx); err != nil {
		return err
	}
	c.queueMu.Unlock()
	return nil
}

// setBackground makes t preemptible until end is called. It cancels t at once if a user already waits.
func (c *Chat) setBackground(t *Turn) (end func()) {
	c.mu.Lock()
	c.background = t
	c.mu.Unlock()
	c.preempt()
	return func() {
		c.mu.Lock()
		c.background = nil
		c.mu.Unlock()
	}
}

// preempt cancels the background turn if another turn waits for the lock, and a user for that turn or one after it.
func (c *Chat) preempt() {
	c.mu.Lock()
	t := c.background
	if !c.callerWaits || !c.waiting {
		t = nil
	}
	c.mu.Unlock()
	if t != nil {
		t.cancelWith(errPreempted)
	}
}

// cancelWith cancels a turn that has not acted yet. A turn that has acted sends nothing more if its message was
// retracted.
func (t *Turn) cancelWith(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.acting && t.haltErr == nil && errors.Is(why, ErrRetracted) {
		t.haltErr = why // messages that were sent remain, and no more are sent
	}
	if t.acting || t.cancelErr != nil {
		return
	}
	t.cancelErr = why
	t.cancel(why)
}

// startActing is the last check before an effect. After it the turn cannot be superseded.
func (t *Turn) startActing() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancelErr == nil {
		t.acting = true
	}
	return t.cancelErr
}

// haltCause returns why a turn that has acted must send nothing more, or nil.
func (t *Turn) haltCause() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.haltErr
}

// CancelCause returns why the turn was cancelled, or nil.
func (t *Turn) CancelCause() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cancelErr
}
