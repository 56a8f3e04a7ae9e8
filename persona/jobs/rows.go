package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	errandRow = "errand/"
	cursorRow = "cursor/"
)

// changes are made to the rows in one step, and to what is kept in memory when that has succeeded.
type changes struct {
	e       *Queue
	rows    map[string][]byte
	errands map[string]*errand // nil: removed
	cursors map[persona.Chat]Cursor
	lost    []persona.Chat // whose cursors go
	over    []string
	forgets bool // some that are over go, wherever they are among those
}

// change lets f look at the errands and say what to change, and writes that. Only one change is under way at a time.
func (e *Queue) change(ctx context.Context, f func(*changes) error) error {
	select {
	case e.writer <- struct{}{}:
		defer func() { <-e.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := e.load(ctx); err != nil {
		return err
	}
	c := &changes{e: e, rows: make(map[string][]byte), errands: make(map[string]*errand), cursors: make(map[persona.Chat]Cursor)}
	if err := f(c); err != nil {
		return err
	}
	if len(c.rows) == 0 {
		return nil
	}
	if err := e.state.Apply(ctx, c.rows); err != nil {
		e.loaded = false // it may have been written all the same
		return fmt.Errorf("persona: errands: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, d := range c.errands {
		if d == nil {
			delete(e.errands, id)
		} else {
			e.errands[id] = d
		}
	}
	maps.Copy(e.cursors, c.cursors)
	for _, chat := range c.lost {
		delete(e.cursors, chat)
	}
	e.over = append(e.over, c.over...)
	for len(e.over) > 0 && e.errands[e.over[0]] == nil {
		e.over = e.over[1:]
	}
	if c.forgets {
		e.over = slices.DeleteFunc(e.over, func(id string) bool { return e.errands[id] == nil })
	}
	return nil
}

func (c *changes) put(d *errand) error {
	row, err := json.Marshal(d.Job)
	if err != nil {
		return fmt.Errorf("persona: errand %q: %w", d.ID, err)
	}
	c.rows[errandRow+d.ID] = row
	c.errands[d.ID] = d
	return nil
}

func (c *changes) remove(id string) {
	c.rows[errandRow+id] = nil
	c.errands[id] = nil
}

// moveCursor moves the cursor of an errand's chat to its last message, but never back.
func (c *changes) moveCursor(d *errand) error {
	if d.LastRecord == "" || d.Chat == (persona.Chat{}) {
		return nil
	}
	old, ok := c.cursors[d.Chat]
	if !ok {
		old, ok = c.e.cursors[d.Chat]
	}
	next := Cursor{RecordID: d.LastRecord, At: d.At}
	if ok && (d.At.Before(old.At) || next == old) {
		return nil
	}
	row, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("persona: errand %q: %w", d.ID, err)
	}
	c.rows[cursorRow+d.Chat.String()] = row
	c.cursors[d.Chat] = next
	return nil
}

// finish ends an errand and lets go of some that were over long ago.
func (c *changes) finish(old *errand, now time.Time, outcome string) error {
	next := old.copy()
	next.Status, next.Outcome, next.Finished, next.Payload = Done, outcome, now.Round(0), nil
	if err := c.moveCursor(next); err != nil {
		return err
	}
	c.over = append(c.over, next.ID)
	over := c.e.over
	for range min(pruneStep, len(over)) {
		first := c.e.errands[over[0]]
		if first != nil && len(over) < keepCount && now.Sub(first.Finished) < keepOver {
			break
		}
		c.remove(over[0])
		over = over[1:]
	}
	return c.put(next)
}

// load reads the rows, once and after every failure to write. What was being run when the program died is open again:
// nobody runs it.
func (e *Queue) load(ctx context.Context) error {
	if e.loaded {
		return nil
	}
	rows, err := e.state.Load(ctx, errandRow)
	if err != nil {
		return fmt.Errorf("persona: errands: %w", err)
	}
	cursorRows, err := e.state.Load(ctx, cursorRow)
	if err != nil {
		return fmt.Errorf("persona: errands: %w", err)
	}
	errands, cursors := make(map[string]*errand, len(rows)), make(map[persona.Chat]Cursor, len(cursorRows))
	var over []string
	for key, row := range rows {
		d := new(errand)
		if err := json.Unmarshal(row, &d.Job); err != nil {
			return fmt.Errorf("persona: errands: row %q: %w", key, err)
		}
		d.ID = strings.TrimPrefix(key, errandRow)
		if known := e.errands[d.ID]; known != nil {
			d.live = known.live
		}
		switch {
		case d.Status == Claimed && !d.live:
			d.Status = Open
		case d.Status == Done:
			over = append(over, d.ID)
		}
		errands[d.ID] = d
	}
	slices.SortFunc(over, func(a, b string) int {
		return cmp.Or(errands[a].Finished.Compare(errands[b].Finished), cmp.Compare(a, b))
	})
	for key, row := range cursorRows {
		var chat persona.Chat
		var cursor Cursor
		if err := json.Unmarshal(row, &cursor); err != nil {
			return fmt.Errorf("persona: errands: row %q: %w", key, err)
		}
		if err := chat.UnmarshalText([]byte(strings.TrimPrefix(key, cursorRow))); err != nil {
			return fmt.Errorf("persona: errands: row %q: %w", key, err)
		}
		cursors[chat] = cursor
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errands, e.cursors, e.over, e.loaded = errands, cursors, over, true
	return nil
}
