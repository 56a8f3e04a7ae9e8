package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// rooms lets writers to one space take turns, so that store and indexes agree on who came last. A space and its twin share a room.
// A turn is a token, not a mutex: who waits for it can be cancelled, and readers need none.
type rooms struct {
	mu sync.Mutex
	m  map[Space]*room
}

type room struct {
	turn   chan struct{} // holds one token while somebody writes
	loaded atomic.Bool   // the indexes hold what the store holds
}

func (rs *rooms) of(s Space) *room {
	s = s.Plain()
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.m[s]
	if r == nil {
		if rs.m == nil {
			rs.m = map[Space]*room{}
		}
		r = &room{turn: make(chan struct{}, 1)}
		rs.m[s] = r
	}
	return r
}

// enter waits for the turns of all spaces of these records, in one order for everybody.
func (rs *rooms) enter(ctx context.Context, recs []Record) (leave func(), err error) {
	var spaces []Space
	for i := range recs {
		if s := recs[i].Space.Plain(); len(spaces) == 0 || spaces[len(spaces)-1] != s {
			spaces = append(spaces, s)
		}
	}
	slices.Sort(spaces)
	var held []*room
	leave = func() {
		for _, r := range held {
			<-r.turn
		}
	}
	for _, s := range slices.Compact(spaces) {
		r := rs.of(s)
		select {
		case r.turn <- struct{}{}:
			held = append(held, r)
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
	return leave, nil
}

// Load reads every space of the store into the indexes, so that the first recall need not.
func (m *Memory) Load(ctx context.Context) error {
	spaces, err := m.store.Spaces(ctx)
	if err != nil {
		return fmt.Errorf("memory: load: %w", err)
	}
	for _, s := range spaces {
		if err := m.load(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// load reads a space and its twin into the indexes, once.
func (m *Memory) load(ctx context.Context, s Space) error {
	r := m.rooms.of(s)
	if r.loaded.Load() {
		return nil
	}
	leave, err := m.rooms.enter(ctx, []Record{{Space: s}})
	if err != nil {
		return err
	}
	defer leave()
	if r.loaded.Load() { // somebody else did meanwhile
		return nil
	}
	var failed error
	for _, s := range [...]Space{s.Plain(), s.Secret()} {
		if failed, err = m.read(ctx, s); err != nil {
			return fmt.Errorf("memory: load %q: %w", string(s), err)
		}
	}
	r.loaded.Store(true)
	if failed != nil {
		m.o.Logger.WarnContext(ctx, "memory: an index did not take what the store holds", "space", string(s), "err", failed)
	}
	return nil
}

func (m *Memory) read(ctx context.Context, s Space) (failed, err error) {
	const chunk = 256
	recs := make([]Record, 0, chunk)
	flush := func() {
		if len(recs) > 0 {
			if err := m.fill(ctx, recs); err != nil && failed == nil {
				failed = err
			}
			recs = recs[:0]
		}
	}
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return nil, err
		}
		if recs = append(recs, r); len(recs) == chunk {
			flush()
		}
	}
	flush()
	return failed, ctx.Err()
}
