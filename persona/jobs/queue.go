package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

// A Queue stores jobs durably. After a crash no job is lost and no message is sent twice. A job goes from open to
// claimed to committed to done:
//
//   - Call [Queue.Commit] before the first side effect. It sets the status, adds messages to the outbox and moves the chat's cursor
//     in one transaction. Before this the job may run again or be released with [Queue.Release].
//   - After Commit the job never runs again. After a crash, an entry without a result is unclear: look it up or report it.
//
// If Commit fails, do not perform the side effect.
//
// The rows in the [persona.State] are "errand/<id>" and "cursor/<chat>". Finished jobs are kept for one day to prevent
// a second run. At most 4096 of them are kept, without their payload.
//
// All methods may be called concurrently. Changes are serialized, and each is durable when the method returns. Use only
// one Queue for each State at a time. After a failed write the outcome of the write is unknown. The next call then
// reads all rows again.
type Queue struct {
	state  persona.State
	writer chan struct{} // holds one token during a change; it is held during I/O, therefore it is not a mutex
	loaded bool          // the rows are in memory; read and set only with the token

	mu      sync.Mutex // guards the fields below, for methods that only read
	jobs    map[string]*record
	cursors map[persona.Chat]Cursor
	done    []string // ids of finished jobs, oldest first
}

// An record is the copy of a row in memory. It is immutable: a change replaces it.
type record struct {
	Job
	current bool // opened or claimed since the program started
}

const (
	keepDone  = 24 * time.Hour
	keepCount = 4096
	pruneStep = 64 // rows that one change deletes at most, to keep every change small
)

// NewQueue returns a queue that stores its jobs in s. It reads nothing. Call [Queue.Recover] before any other method.
func NewQueue(s persona.State) *Queue {
	return &Queue{state: s, writer: make(chan struct{}, 1)}
}

// Add stores a job for later. If the job is already open, Add changes nothing. Add returns [ErrClaimed] if the job is
// running, and [ErrDone] if it is finished.
func (q *Queue) Add(ctx context.Context, now time.Time, j Job) error {
	return q.start(ctx, now, j, Open)
}

// Claim marks a job as running. It adds the job if it is new. It returns [ErrClaimed] if the job is already running. It
// returns [ErrDone] if the job is finished or was committed before a crash. Only one of several concurrent callers
// succeeds.
func (q *Queue) Claim(ctx context.Context, now time.Time, j Job) error {
	return q.start(ctx, now, j, Claimed)
}

var errNoID = errors.New("jobs: job without an id")

func (q *Queue) start(ctx context.Context, now time.Time, j Job, to Status) error {
	if j.ID == "" {
		return errNoID
	}
	return q.change(ctx, func(c *changes) error {
		next := newRecord(now, j)
		if old := q.jobs[j.ID]; old != nil {
			if err := old.startError(); err != nil || to == Open {
				return err
			}
			*next = record{Job: old.clone(), current: true} // the stored fields take precedence over j
		}
		next.Status = to
		return c.put(next)
	})
}

// Ack finishes a job without running it, in one write. It moves the chat's cursor and keeps no row. Use it for a batch
// that needs no model call and no side effect. It returns [ErrClaimed] and [ErrDone] like Claim.
func (q *Queue) Ack(ctx context.Context, now time.Time, j Job) error {
	if j.ID == "" {
		return errNoID
	}
	return q.change(ctx, func(c *changes) error {
		if old := q.jobs[j.ID]; old != nil {
			if err := old.startError(); err != nil {
				return err
			}
			c.remove(j.ID)
		}
		return c.moveCursor(newRecord(now, j))
	})
}

// Commit must be called before the first side effect of a job, and again before each further message. In one
// transaction it sets the status, adds entries to the outbox as pending, and moves the chat's cursor. It returns the
// index of the first new entry for [Queue.Result]. A side effect without a message, such as a poke or a deletion,
// commits no entries.
//
// Commit returns [ErrNotClaimed] if the job is not running, or if it was started before a crash.
func (q *Queue) Commit(ctx context.Context, now time.Time, id string, entries ...Entry) (first int, err error) {
	err = q.change(ctx, func(c *changes) error {
		old := q.jobs[id]
		if old == nil || !old.current || old.Status != Claimed && old.Status != Committed {
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

// Result stores the result of sending an entry. If failure is nil, the entry was sent as messageID. If unclear is true,
// it is not known whether the entry was sent. Otherwise the entry failed. Call Result also to settle an unclear entry
// after a lookup.
func (q *Queue) Result(ctx context.Context, now time.Time, id string, entry int, messageID string, failure error, unclear bool) error {
	return q.change(ctx, func(c *changes) error {
		old := q.jobs[id]
		if old == nil || old.Status < Committed || entry < 0 || entry >= len(old.Outbox) {
			return fmt.Errorf("jobs: job %q has no entry %d", id, entry)
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

// Done finishes a job. The outcome is a text for logs. If the job has committed nothing, Done moves the chat's cursor,
// because a silent job has handled its messages, too. For a finished job, Done does nothing.
func (q *Queue) Done(ctx context.Context, now time.Time, id, outcome string) error {
	return q.change(ctx, func(c *changes) error {
		old := q.jobs[id]
		switch {
		case old == nil:
			return ErrNotClaimed
		case old.Status == Done:
			return nil
		}
		return c.finish(old, now, outcome)
	})
}

// Release removes a job without side effects. Use it if its input was put back and will arrive in another job. Release
// returns [ErrCommitted] if the job is committed. It does nothing for an unknown or finished job.
func (q *Queue) Release(ctx context.Context, id string) error {
	return q.change(ctx, func(c *changes) error {
		old := q.jobs[id]
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

// Cursor returns the cursor of a chat. It returns false before [Queue.Recover].
func (q *Queue) Cursor(chat persona.Chat) (Cursor, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c, ok := q.cursors[chat]
	return c, ok
}

// Lookup returns a known job. It returns false before [Queue.Recover].
func (q *Queue) Lookup(id string) (Job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil {
		return Job{}, false
	}
	return j.clone(), true
}

// SentLabel returns the label of the newest entry for a chat that has one and whose text matches. It returns "" if there
// is none, or before [Queue.Recover]. It reads all jobs.
func (q *Queue) SentLabel(chat persona.Chat, matches func(text string) bool) (label string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var newest time.Time
	for _, j := range q.jobs {
		for i := range j.Outbox {
			if o := &j.Outbox[i]; o.Label != "" && o.Chat == chat && !o.At.Before(newest) && matches(o.Text) {
				label, newest = o.Label, o.At
			}
		}
	}
	return label
}

// newRecord returns a new open job with the given data.
func newRecord(now time.Time, j Job) *record {
	next := &record{Job: j.clone(), current: true}
	next.Status, next.Outbox, next.Outcome, next.Finished = Open, nil, "", time.Time{}
	if next.At.IsZero() {
		next.At = now.Round(0)
	}
	return next
}

// startError returns the reason if the job cannot start, and nil if it can.
func (j *record) startError() error {
	switch {
	case j.Status == Open:
		return nil
	case j.Status == Done || j.Status == Committed && !j.current:
		return ErrDone
	}
	return ErrClaimed
}

func (j *Job) clone() Job {
	c := *j
	c.At, c.ExpiresAt = c.At.Round(0), c.ExpiresAt.Round(0) // without the monotonic clock reading, so that jobs can be compared after a restart
	c.Outbox, c.Payload = slices.Clone(c.Outbox), slices.Clone(c.Payload)
	return c
}

func (j *record) copy() *record { return &record{Job: j.clone(), current: j.current} }
