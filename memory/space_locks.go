package memory

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// spaceLocks serializes the writers of each space, so that store and indexes agree on the last write. A space and its
// secret counterpart share a lock. The lock is a channel and not a mutex, so a waiting writer can be cancelled. Readers
// need no lock.
type spaceLocks struct {
	mu sync.Mutex
	m  map[Space]*spaceLock
}

type spaceLock struct {
	token  chan struct{} // contains one token while a writer has the lock
	loaded atomic.Bool   // the indexes contain all records of the store

	revision atomic.Uint64 // see [Revision]
}

func (rs *spaceLocks) get(s Space) *spaceLock {
	s = s.Base()
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.m[s]
	if r == nil {
		if rs.m == nil {
			rs.m = map[Space]*spaceLock{}
		}
		r = &spaceLock{token: make(chan struct{}, 1)}
		rs.m[s] = r
	}
	return r
}

// Revision returns a number that changes when records of a space or of its secret counterpart are deleted, hidden or relabeled, or when
// [Memory.Put] writes claims there. Caches of derived data compare it. It starts at 0 with each Memory.
func Revision(m *Memory, s Space) uint64 { return m.locks.get(s).revision.Load() }

func (rs *spaceLocks) revise(s Space) { rs.get(s).revision.Add(1) }

// lock locks these spaces, sorted to avoid deadlocks.
func (rs *spaceLocks) lock(ctx context.Context, spaces ...Space) (unlock func(), err error) {
	for i := range spaces {
		spaces[i] = spaces[i].Base()
	}
	slices.Sort(spaces)
	spaces = slices.Compact(spaces)
	held := make([]*spaceLock, len(spaces))
	for i, s := range spaces {
		r := rs.get(s)
		select {
		case r.token <- struct{}{}:
			held[i] = r
		case <-ctx.Done():
			release(held[:i])
			return nil, ctx.Err()
		}
	}
	return func() { release(held) }, nil
}

func release(held []*spaceLock) {
	for _, r := range held {
		<-r.token
	}
}

// appendSpaces appends the spaces of recs. Runs of the same space count once.
func appendSpaces(spaces []Space, recs []Record) []Space {
	for i := range recs {
		if s := recs[i].Space; len(spaces) == 0 || spaces[len(spaces)-1] != s {
			spaces = append(spaces, s)
		}
	}
	return spaces
}
