package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/hearth-bot/hearth/persona"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A RowError tells of a row that cannot be read. The row stays as it is, and the others are not held up by it.
type RowError struct {
	Key string
	Err error
}

// Error names the row by its key, and says what is wrong with it.
func (e *RowError) Error() string { return fmt.Sprintf("persona: row %q: %v", e.Key, e.Err) }

// Unwrap gives what is wrong with the row.
func (e *RowError) Unwrap() error { return e.Err }

// A shelved is a row as it is kept in memory. It is replaced, never changed.
type shelved[V any] interface {
	key() string   // its id
	row() any      // what is written of it
	compare(V) int // the order of all
}

// A shelf keeps rows of one kind in a State and in memory, and gives them ids. Every change is written before it takes
// effect. When writing fails, it is not known whether it was written: the next change reads the rows anew.
type shelf[V shelved[V]] struct {
	state  persona.State
	prefix string // of the rows' keys: "timer/"
	letter string // of the ids: "t"

	// read makes what a row holds. known is what was in memory before the rows had to be read again; dirty says that it
	// differs from its row and has to be written.
	read func(id string, row []byte, known V) (v V, dirty bool, err error)

	writer chan struct{} // holds a token while a change is made: a lock that is held across I/O, so not a mutex
	ready  bool          // the rows are in memory; looked at with the token only
	number uint64        // the last one given out

	mu     sync.Mutex // guards what follows, for those who only look
	all    []V        // in order; the slice is replaced, never changed
	broken []*RowError
}

// lastRow is the key of the row that keeps the last number, so that no id comes twice.
func (s *shelf[V]) lastRow() string { return strings.TrimSuffix(s.prefix, "/") + "-last" }

// view gives all that is kept, in order. The slice must not be changed.
func (s *shelf[V]) view() []V {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// A shelving is one change to a shelf.
type shelving[V shelved[V]] struct {
	letter  string
	all     []V          // as they are
	put     map[string]V // what becomes of them
	quiet   map[string]V // the same, where the row stays as it is
	removed map[string]bool
	number  uint64
}

func (s *shelf[V]) begin(all []V) *shelving[V] {
	return &shelving[V]{
		letter: s.letter, all: all, number: s.number,
		put: make(map[string]V), quiet: make(map[string]V), removed: make(map[string]bool),
	}
}

func (c *shelving[V]) find(id string) (v V, ok bool) {
	i := slices.IndexFunc(c.all, func(v V) bool { return v.key() == id })
	if i < 0 {
		return v, false
	}
	return c.all[i], true
}

func (c *shelving[V]) set(v V)          { c.put[v.key()] = v }
func (c *shelving[V]) remove(id string) { c.removed[id] = true }

// newID gives an id that was never given before.
func (c *shelving[V]) newID() string {
	c.number++
	return c.letter + strconv.FormatUint(c.number, 10)
}

// change lets f look at all and say what to change, and does that in one step. One change at a time is under way.
func (s *shelf[V]) change(ctx context.Context, f func(*shelving[V]) error) error {
	select {
	case s.writer <- struct{}{}:
		defer func() { <-s.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	c := s.begin(s.view())
	if err := f(c); err != nil {
		return err
	}
	return s.apply(ctx, c)
}

func (s *shelf[V]) apply(ctx context.Context, c *shelving[V]) error {
	rows := make(map[string][]byte, len(c.put)+len(c.removed)+1)
	for id, v := range c.put {
		row, err := json.Marshal(v.row())
		if err != nil {
			return fmt.Errorf("persona: row %q: %w", s.prefix+id, err)
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
			s.ready = false // it may have been written all the same
			return fmt.Errorf("persona: write %s: %w", s.prefix, err)
		}
	}
	s.number = c.number
	s.keep(c)
	return nil
}

// keep takes a change into memory.
func (s *shelf[V]) keep(c *shelving[V]) {
	changed := maps.Clone(c.quiet)
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
	for id, v := range changed { // in any order: each is put in its place
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

// load reads the rows, once and after every failure to write.
func (s *shelf[V]) load(ctx context.Context) error {
	if s.ready {
		return nil
	}
	rows, err := s.state.Load(ctx, s.prefix)
	if err != nil {
		return fmt.Errorf("persona: read %s: %w", s.prefix, err)
	}
	last, err := s.state.Load(ctx, s.lastRow())
	if err != nil {
		return fmt.Errorf("persona: read %s: %w", s.prefix, err)
	}
	number, _ := strconv.ParseUint(string(last[s.lastRow()]), 10, 64) // one that is lost is found again by the ids
	known := make(map[string]V)
	for _, v := range s.view() {
		known[v.key()] = v
	}
	var all, dirty []V
	var broken []*RowError
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		id := strings.TrimPrefix(key, s.prefix)
		if n, err := strconv.ParseUint(strings.TrimPrefix(id, s.letter), 10, 64); err == nil {
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
	c := s.begin(all)
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

// resume reads the rows, if they were not, and gives those that cannot be read.
func (s *shelf[V]) resume(ctx context.Context) ([]*RowError, error) {
	if err := s.change(ctx, func(*shelving[V]) error { return nil }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken), nil
}

// forget removes what drop says.
func (s *shelf[V]) forget(ctx context.Context, drop func(V) bool) error {
	return s.change(ctx, func(c *shelving[V]) error {
		for _, v := range c.all {
			if drop(v) {
				c.remove(v.key())
			}
		}
		return nil
	})
}
