package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory"
)

// A receipt is in the context of the handler of an inbox event. If the event is a message, the first Put of a message with that
// context also deletes the event, in its transaction. So the message is stored exactly once. A call to the database that fails says
// that the event must be handled again.
type receipt struct {
	core    *core
	seq     int64
	message bool

	mu      sync.Mutex
	deleted bool
	err     error // of the last call that failed
}

type receiptKey struct{}

func (c *core) receiptIn(ctx context.Context) *receipt {
	r, _ := ctx.Value(receiptKey{}).(*receipt)
	if r == nil || r.core != c {
		return nil
	}
	return r
}

// takeEvent returns the statement that deletes the event of ctx together with the records of a Put.
func (db *DB) takeEvent(ctx context.Context, recs []memory.Record) (statement, *receipt) {
	r := db.receiptIn(ctx)
	if r == nil || !r.message || !slices.ContainsFunc(recs, func(rec memory.Record) bool { return rec.Kind == memory.KindMessage }) {
		return statement{}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deleted {
		return statement{}, nil
	}
	return statement{within(db.o.Schema, eventDoneSQL), []any{db.o.Being, r.seq}}, r
}

func (r *receipt) noteDeleted() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deleted = true
}

// noteFailure notes that a call with ctx has failed, and returns its error.
func (c *core) noteFailure(ctx context.Context, err error) error {
	if r := c.receiptIn(ctx); r != nil && err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.err = err
	}
	return err
}

// outcome returns whether the event is deleted, and why a call failed.
func (r *receipt) outcome() (deleted bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deleted, r.err
}
