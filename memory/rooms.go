package memory

import (
	"context"
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
	s = s.Base()
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

// enter waits for the turns of all these spaces, in one order for everybody.
func (rs *rooms) enter(ctx context.Context, spaces ...Space) (leave func(), err error) {
	for i := range spaces {
		spaces[i] = spaces[i].Base()
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

func spacesOf(recs []Record) []Space {
	var spaces []Space
	for i := range recs {
		if s := recs[i].Space; len(spaces) == 0 || spaces[len(spaces)-1] != s {
			spaces = append(spaces, s)
		}
	}
	return spaces
}
