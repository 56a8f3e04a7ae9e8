package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
)

const (
	jobRow    = "errand/"
	cursorRow = "cursor/"
)

// changes collects the changes of one transaction. They are applied to memory after the write has succeeded.
type changes struct {
	q              *Queue
	rows           map[string][]byte
	jobs           map[string]*record // nil means removed
	cursors        map[persona.Chat]Cursor
	removedCursors []persona.Chat // chats with a removed cursor
	done           []string
	erasing        bool // finished jobs may be removed out of order
}

// change calls f to collect changes, and writes them. Only one change runs at a time.
func (q *Queue) change(ctx context.Context, f func(*changes) error) error {
	select {
	case q.writer <- struct{}{}:
		defer func() { <-q.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := q.load(ctx); err != nil {
		return err
	}
	c := &changes{q: q, rows: make(map[string][]byte), jobs: make(map[string]*record), cursors: make(map[persona.Chat]Cursor)}
	if err := f(c); err != nil {
		return err
	}
	if len(c.rows) == 0 {
		return nil
	}
	if err := q.state.Apply(ctx, c.rows); err != nil {
		q.loaded = false // the write may have succeeded
		return fmt.Errorf("jobs: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, j := range c.jobs {
		if j == nil {
			delete(q.jobs, id)
		} else {
			q.jobs[id] = j
		}
	}
	maps.Copy(q.cursors, c.cursors)
	for _, chat := range c.removedCursors {
		delete(q.cursors, chat)
	}
	q.done = append(q.done, c.done...)
	for len(q.done) > 0 && q.jobs[q.done[0]] == nil {
		q.done = q.done[1:]
	}
	if c.erasing {
		q.done = slices.DeleteFunc(q.done, func(id string) bool { return q.jobs[id] == nil })
	}
	return nil
}

func (c *changes) put(j *record) error {
	row, err := json.Marshal(j.Job)
	if err != nil {
		return fmt.Errorf("jobs: job %q: %w", j.ID, err)
	}
	c.rows[jobRow+j.ID] = row
	c.jobs[j.ID] = j
	return nil
}

func (c *changes) remove(id string) {
	c.rows[jobRow+id] = nil
	c.jobs[id] = nil
}

// moveCursor moves the cursor of the job's chat forward to its last message.
func (c *changes) moveCursor(j *record) error {
	if j.LastRecord == "" || j.Chat == (persona.Chat{}) {
		return nil
	}
	old, ok := c.cursors[j.Chat]
	if !ok {
		old, ok = c.q.cursors[j.Chat]
	}
	next := Cursor{RecordID: j.LastRecord, At: j.At}
	if ok && (j.At.Before(old.At) || next == old) {
		return nil
	}
	row, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("jobs: job %q: %w", j.ID, err)
	}
	c.rows[cursorRow+j.Chat.String()] = row
	c.cursors[j.Chat] = next
	return nil
}

// finish marks a job as done and removes some expired jobs.
func (c *changes) finish(old *record, now time.Time, outcome string) error {
	next := old.copy()
	next.Status, next.Outcome, next.Finished, next.Payload = Done, outcome, now.Round(0), nil
	if err := c.moveCursor(next); err != nil {
		return err
	}
	c.done = append(c.done, next.ID)
	done := c.q.done
	for range min(pruneStep, len(done)) {
		first := c.q.jobs[done[0]]
		if first != nil && len(done) < keepCount && now.Sub(first.Finished) < keepDone {
			break
		}
		c.remove(done[0])
		done = done[1:]
	}
	return c.put(next)
}

// load reads the rows once, and again after a failed write. Jobs that ran when the program crashed become open again.
func (q *Queue) load(ctx context.Context) error {
	if q.loaded {
		return nil
	}
	rows, err := q.state.Load(ctx, jobRow)
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	cursorRows, err := q.state.Load(ctx, cursorRow)
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	all, cursors := make(map[string]*record, len(rows)), make(map[persona.Chat]Cursor, len(cursorRows))
	var done []string
	for key, row := range rows {
		j := new(record)
		if err := json.Unmarshal(row, &j.Job); err != nil {
			return fmt.Errorf("jobs: row %q: %w", key, err)
		}
		j.ID = strings.TrimPrefix(key, jobRow)
		if known := q.jobs[j.ID]; known != nil {
			j.current = known.current
		}
		switch {
		case j.Status == Claimed && !j.current:
			j.Status = Open
		case j.Status == Done:
			done = append(done, j.ID)
		}
		all[j.ID] = j
	}
	slices.SortFunc(done, func(a, b string) int {
		return cmp.Or(all[a].Finished.Compare(all[b].Finished), cmp.Compare(a, b))
	})
	for key, row := range cursorRows {
		var chat persona.Chat
		var cursor Cursor
		if err := json.Unmarshal(row, &cursor); err != nil {
			return fmt.Errorf("jobs: row %q: %w", key, err)
		}
		if err := chat.UnmarshalText([]byte(strings.TrimPrefix(key, cursorRow))); err != nil {
			return fmt.Errorf("jobs: row %q: %w", key, err)
		}
		cursors[chat] = cursor
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs, q.cursors, q.done, q.loaded = all, cursors, done, true
	return nil
}
