package jobs

import (
	"context"
	"errors"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"slices"
	"sync"
	"time"
)

// Queue keeps what the being set out to do, so that nothing is lost and nothing is said twice, whenever the program
// dies. An errand goes from open to taken to committed to done:
//
//   - before its first effect, [Queue.Commit] writes in one step that it acts, what it says, and that its chat has been
//     dealt with up to its last message. Up to there it may be run anew, or given back by [Queue.Release];
//   - from there on it never runs again: what has no result after a crash is unclear, to be looked up or told.
//
// The rows are "errand/<id>" and "cursor/<chat>" in a [State], each written whole. Errands that are over stay known for
// a day, the last 4096 of them and without their payload, so that the same one is not run again.
//
// All methods may be called concurrently; changes are made one after the other, each durable when it returns. One
// Errands at a time may use a State. When writing fails it is not known whether it was written: the next call reads the
// rows anew and goes by them. Whoever gets an error from Commit must not act.
type Queue struct {
	state  persona.State
	writer chan struct{} // holds a token while a change is made: a lock that is held across I/O, so not a mutex
	loaded bool          // the rows are in memory; looked at with the token only

	mu      sync.Mutex // guards what follows, for the methods that only look
	errands map[string]*errand
	cursors map[persona.Chat]Cursor
	over    []string // ids of those that are done, the oldest first
}

// An errand is a row as it is kept in memory. It is replaced, never changed.
type errand struct {
	Job
	live bool // it was opened or taken in this life of the program
}

const (
	keepOver  = 24 * time.Hour
	keepCount = 4096
	pruneStep = 64 // rows that go with one change, so that no change is large
)

// NewQueue keeps errands in s. It reads nothing yet; call [Queue.Recover] before anything else.
func NewQueue(s persona.State) *Queue {
	return &Queue{state: s, writer: make(chan struct{}, 1)}
}

// Add writes an errand down as something to be done later. One that is open already stays as it is; one that is being
// run gives [ErrClaimed], one that is over [ErrDone].
func (e *Queue) Add(ctx context.Context, now time.Time, d Job) error {
	return e.begin(ctx, now, d, Open)
}

// Claim begins to run an errand, and opens it in the same step when it is new. It gives [ErrClaimed] when the errand is
// being run, and [ErrDone] when it has acted before, or is over. Of several callers one gets it.
func (e *Queue) Claim(ctx context.Context, now time.Time, d Job) error {
	return e.begin(ctx, now, d, Claimed)
}

var errNoID = errors.New("persona: an errand needs an id")

func (e *Queue) begin(ctx context.Context, now time.Time, d Job, to Status) error {
	if d.ID == "" {
		return errNoID
	}
	return e.change(ctx, func(c *changes) error {
		next := fresh(now, d)
		if old := e.errands[d.ID]; old != nil {
			if err := old.busy(); err != nil || to == Open {
				return err
			}
			*next = errand{Job: old.clone(), live: true} // what was written down first holds
		}
		next.Status = to
		return c.put(next)
	})
}

// Ack deals with what an errand is about without running it, in one write: it moves its chat's cursor and keeps no
// row. It is for what needs no model and has no effect, and gives [ErrClaimed] and [ErrDone] as Take does.
func (e *Queue) Ack(ctx context.Context, now time.Time, d Job) error {
	if d.ID == "" {
		return errNoID
	}
	return e.change(ctx, func(c *changes) error {
		if old := e.errands[d.ID]; old != nil {
			if err := old.busy(); err != nil {
				return err
			}
			c.remove(d.ID)
		}
		return c.moveCursor(fresh(now, d))
	})
}

// Commit is called before the errand's first effect, and again before each further thing that it says. In one step it
// writes that the errand acts, adds the entries to its outbox as pending, and moves its chat's cursor. It gives the
// index of the first entry for [Queue.Result]. An effect that says nothing (a poke, a deletion) commits no entries.
//
// It gives [ErrNotClaimed] for an errand that is not being run, or was being run when the program died.
func (e *Queue) Commit(ctx context.Context, now time.Time, id string, entries ...Entry) (first int, err error) {
	err = e.change(ctx, func(c *changes) error {
		old := e.errands[id]
		if old == nil || !old.live || old.Status != Claimed && old.Status != Committed {
			return ErrNotClaimed
		}
		next := old.copy()
		next.Status = Committed
		first = len(next.Outbox)
		for _, entry := range entries {
			entry.Status, entry.At, entry.MessageID, entry.Error = Pending, now.Round(0), "", ""
			next.Outbox = append(next.Outbox, entry)
		}
		if err := c.moveCursor(next); err != nil {
			return err
		}
		return c.put(next)
	})
	return first, err
}

// Result writes what became of an entry: sent as messageID when failure is nil, unclear when it is not known whether it
// was sent, failed otherwise. It is also how an unclear entry that was looked up is settled.
func (e *Queue) Result(ctx context.Context, now time.Time, id string, entry int, messageID string, failure error, unclear bool) error {
	return e.change(ctx, func(c *changes) error {
		old := e.errands[id]
		if old == nil || old.Status < Committed || entry < 0 || entry >= len(old.Outbox) {
			return fmt.Errorf("persona: errand %q has no entry %d", id, entry)
		}
		next := old.copy()
		o := &next.Outbox[entry]
		o.MessageID, o.Status, o.Error, o.At = messageID, Sent, "", now.Round(0)
		if failure != nil {
			o.Status, o.Error = Failed, failure.Error()
		}
		if unclear {
			o.Status = Unclear
		}
		return c.put(next)
	})
}

// Done ends an errand, with a word on how for those who read logs. One that said nothing moves its chat's cursor now:
// silence, too, deals with what was heard. An errand that is over stays as it is.
func (e *Queue) Done(ctx context.Context, now time.Time, id, outcome string) error {
	return e.change(ctx, func(c *changes) error {
		old := e.errands[id]
		switch {
		case old == nil:
			return ErrNotClaimed
		case old.Status == Done:
			return nil
		}
		return c.finish(old, now, outcome)
	})
}

// Release forgets an errand that has not acted: what it was about was given back and will come again, as another one. It
// gives [ErrCommitted] for one that has acted. One that is not known, or is over, is left as it is.
func (e *Queue) Release(ctx context.Context, id string) error {
	return e.change(ctx, func(c *changes) error {
		old := e.errands[id]
		switch {
		case old == nil || old.Status == Done:
			return nil
		case old.Status == Committed:
			return ErrCommitted
		}
		c.remove(id)
		return nil
	})
}

// Cursor tells up to where a chat has been dealt with. It knows nothing before [Queue.Recover].
func (e *Queue) Cursor(chat persona.Chat) (Cursor, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.cursors[chat]
	return c, ok
}

// Lookup gives an errand that is known. It knows nothing before [Queue.Recover].
func (e *Queue) Lookup(id string) (Job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.errands[id]
	if d == nil {
		return Job{}, false
	}
	return d.clone(), true
}

// fresh is a new errand as it was given.
func fresh(now time.Time, d Job) *errand {
	next := &errand{Job: d.clone(), live: true}
	next.Status, next.Outbox, next.Outcome, next.Finished = Open, nil, "", time.Time{}
	if next.At.IsZero() {
		next.At = now.Round(0)
	}
	return next
}

// busy tells why an errand cannot begin: nil when it can.
func (d *errand) busy() error {
	switch {
	case d.Status == Open:
		return nil
	case d.Status == Done || d.Status == Committed && !d.live:
		return ErrDone
	}
	return ErrClaimed
}

func (d *Job) clone() Job {
	c := *d
	c.At, c.ExpiresAt = c.At.Round(0), c.ExpiresAt.Round(0) // no monotonic part: rows are compared over restarts
	c.Outbox, c.Payload = slices.Clone(c.Outbox), slices.Clone(c.Payload)
	return c
}

func (d *errand) copy() *errand { return &errand{Job: d.clone(), live: d.live} }
