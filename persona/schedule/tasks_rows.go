package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/persona"
)

// A RowError reports a row that cannot be parsed. The row is not changed. The other rows are loaded.
type RowError struct {
	Key string
	Err error
}

// Error names the key of the row and the reason.
func (e *RowError) Error() string { return fmt.Sprintf("schedule: row %q: %v", e.Key, e.Err) }

// Unwrap returns the reason.
func (e *RowError) Unwrap() error { return e.Err }

// An entry is a row in memory. It is immutable: a change replaces it.
type entry[V any] interface {
	key() string   // its id
	row() any      // the value to encode
	compare(V) int // sort order
}

// A table keeps rows of one kind in a State and in memory, and assigns ids. Every change is written before it takes
// effect. After a failed write the outcome is unknown. The next change then reads the rows again.
type table[V entry[V]] struct {
	state    persona.State
	prefix   string // key prefix of the rows: "timer/"
	idPrefix string // prefix of the ids: "t"

	// read parses a row. known is the value in memory before a reload. dirty means that the value differs from its row
	// and must be written.
	read func(id string, row []byte, known V) (v V, dirty bool, err error)

	writer chan struct{} // holds one token during a change; it is held during I/O, therefore it is not a mutex
	ready  bool          // the rows are in memory; needs the token
	number uint64        // the last assigned number

	mu     sync.Mutex // guards the fields below for readers
	all    []V        // sorted; the slice is immutable
	broken []*RowError
}

// lastRow returns the key of the row with the last number. It prevents that an id is used twice.
func (s *table[V]) lastRow() string { return strings.TrimSuffix(s.prefix, "/") + "-last" }

// view returns all rows in order. Do not modify the slice.
func (s *table[V]) view() []V {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// A tableChange is one change of a table.
type tableChange[V entry[V]] struct {
	idPrefix   string
	all        []V          // the rows before the change
	put        map[string]V // changed rows
	memoryOnly map[string]V // changes in memory only
	removed    map[string]bool
	number     uint64
}

func (s *table[V]) newChange(all []V) *tableChange[V] {
	return &tableChange[V]{
		idPrefix: s.idPrefix, all: all, number: s.number,
		put: make(map[string]V), memoryOnly: make(map[string]V), removed: make(map[string]bool),
	}
}

func (c *tableChange[V]) find(id string) (v V, ok bool) {
	i := slices.IndexFunc(c.all, func(v V) bool { return v.key() == id })
	if i < 0 {
		return v, false
	}
	return c.all[i], true
}

func (c *tableChange[V]) set(v V)          { c.put[v.key()] = v }
func (c *tableChange[V]) remove(id string) { c.removed[id] = true }

// newID returns a new id. No id is used twice.
func (c *tableChange[V]) newID() string {
	c.number++
	return c.idPrefix + strconv.FormatUint(c.number, 10)
}

// change calls f to collect changes and writes them in one transaction. Only one change runs at a time.
func (s *table[V]) change(ctx context.Context, f func(*tableChange[V]) error) error {
	select {
	case s.writer <- struct{}{}:
		defer func() { <-s.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	c := s.newChange(s.view())
	if err := f(c); err != nil {
		return err
	}
	return s.apply(ctx, c)
}

func (s *table[V]) apply(ctx context.Context, c *tableChange[V]) error {
	rows := make(map[string][]byte, len(c.put)+len(c.removed)+1)
	for id, v := range c.put {
		row, err := json.Marshal(v.row())
		if err != nil {
			return fmt.Errorf("schedule: row %q: %w", s.prefix+id, err)
		}
		rows[s.prefix+id] = row
	}
	for id := range c.removed {
		rows[s.prefix+id] = nil
	}
	if c.number != s.number {
		rows[s.lastRow()] = strconv.AppendUint(nil, c.number, 10)
	}
	if len(rows) > 0 {
		if err := s.state.Apply(ctx, rows); err != nil {
			s.ready = false // the write may have succeeded
			return fmt.Errorf("schedule: write rows %s: %w", s.prefix, err)
		}
	}
	s.number = c.number
	s.store(c)
	return nil
}

// store applies a change to memory.
func (s *table[V]) store(c *tableChange[V]) {
	changed := maps.Clone(c.memoryOnly)
	maps.Copy(changed, c.put)
	if len(changed)+len(c.removed) == 0 {
		return
	}
	all := slices.Grow(slices.Clone(c.all), len(changed))
	out := func(id string) {
		if i := slices.IndexFunc(all, func(v V) bool { return v.key() == id }); i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
	}
	for id := range c.removed {
		out(id)
	}
	for id, v := range changed { // any order: each is inserted at its position
		if !c.removed[id] {
			out(id)
			at, _ := slices.BinarySearchFunc(all, v, V.compare)
			all = slices.Insert(all, at, v)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = all
}

// load reads the rows once, and again after a failed write.
func (s *table[V]) load(ctx context.Context) error {
	if s.ready {
		return nil
	}
	rows, err := s.state.Load(ctx, s.prefix)
	if err != nil {
		return fmt.Errorf("schedule: read rows %s: %w", s.prefix, err)
	}
	last, err := s.state.Load(ctx, s.lastRow())
	if err != nil {
		return fmt.Errorf("schedule: read rows %s: %w", s.prefix, err)
	}
	number, _ := strconv.ParseUint(string(last[s.lastRow()]), 10, 64) // if this row is lost, the ids provide the number
	known := make(map[string]V)
	for _, v := range s.view() {
		known[v.key()] = v
	}
	var all, dirty []V
	var broken []*RowError
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		id := strings.TrimPrefix(key, s.prefix)
		if n, err := strconv.ParseUint(strings.TrimPrefix(id, s.idPrefix), 10, 64); err == nil {
			number = max(number, n)
		}
		v, changed, err := s.read(id, rows[key], known[id])
		if err != nil {
			broken = append(broken, &RowError{key, err})
			continue
		}
		all = append(all, v)
		if changed {
			dirty = append(dirty, v)
		}
	}
	slices.SortFunc(all, V.compare)
	s.number = max(s.number, number)
	c := s.newChange(all)
	for _, v := range dirty {
		c.set(v)
	}
	if err := s.apply(ctx, c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(dirty) == 0 {
		s.all = all
	}
	s.broken, s.ready = broken, true
	return nil
}

// restore reads the rows if necessary and returns the rows that cannot be parsed.
func (s *table[V]) restore(ctx context.Context) ([]*RowError, error) {
	if err := s.change(ctx, func(*tableChange[V]) error { return nil }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken), nil
}

// remove removes all rows for which drop returns true.
func (s *table[V]) remove(ctx context.Context, drop func(V) bool) error {
	return s.change(ctx, func(c *tableChange[V]) error {
		for _, v := range c.all {
			if drop(v) {
				c.remove(v.key())
			}
		}
		return nil
	})
}
