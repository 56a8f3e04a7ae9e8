package vectorstore

import (
	"context"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory"
	"github.com/tmc/langchaingo/vectorstores"
)

// A space is the state of one collection. mu is held only briefly and never during a call of the store. Writers hold
// Index.lock.
type space struct {
	mu        sync.RWMutex
	store     vectorstores.VectorStore // nil before the first record
	byID      map[string]*entry
	byKey     map[string]*entry
	stale     map[string][]Document // by record: deleted or replaced documents that the store still has
	uncertain map[string][]Document // by record: documents of failed calls, which the store may have
	dims      int                   // of all vectors in the store; 0 if it has none
}

// An entry is an indexed record. It is immutable.
type entry struct {
	rec memory.Record // without text, name, sources and vector
	doc Document
}

func (x *Index) at(s memory.Space) *space {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.spaces[s]
}

func (x *Index) make(s memory.Space) *space {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spaces[s] == nil {
		x.spaces[s] = &space{byID: map[string]*entry{}, byKey: map[string]*entry{}, stale: map[string][]Document{}, uncertain: map[string][]Document{}}
	}
	return x.spaces[s]
}

// lock locks a space and its counterpart.
func (x *Index) lock(ctx context.Context, base memory.Space) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.Lock()
	lock := x.locks[base]
	if lock == nil {
		lock = make(chan struct{}, 1)
		x.locks[base] = lock
	}
	x.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// openOnce returns the store and opens it on first use. After an error the next call tries again.
func (s *space) openOnce(ctx context.Context, open func(context.Context) (vectorstores.VectorStore, error)) (vectorstores.VectorStore, error) {
	if store, _, _ := s.state(); store != nil {
		return store, nil
	}
	store, err := open(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store = store
	return store, nil
}

func (s *space) state() (store vectorstores.VectorStore, live, dims int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.store, len(s.byID), s.dims
}

func (s *space) length() int {
	_, _, dims := s.state()
	return dims
}

// lookUp returns the current record of a key, or nil.
func (s *space) lookUp(key string) *memory.Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if e := s.byKey[key]; e != nil {
		return &e.rec
	}
	return nil
}

// updateFields replaces an entry with the same document. It reports whether there was one.
func (s *space) updateFields(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byID[e.rec.ID]
	if old == nil || old.doc.Key != e.doc.Key {
		return false
	}
	e.doc = old.doc
	s.byID[e.rec.ID], s.byKey[e.doc.Key] = e, e
	return true
}

// restore makes a stale document current again, if the store still has it.
func (s *space) restore(e *entry, dims int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range s.stale[e.rec.ID] {
		if d.Key == e.doc.Key {
			e.doc = d
			s.stale[e.rec.ID] = slices.Delete(s.stale[e.rec.ID], i, i+1)
			s.byID[e.rec.ID], s.byKey[e.doc.Key], s.dims = e, e, dims
			return true
		}
	}
	return false
}

func (s *space) add(e *entry, dims int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[e.rec.ID], s.byKey[e.doc.Key], s.dims = e, e, dims
}

// invalidate makes records unfindable and their documents stale.
func (s *space) invalidate(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		e := s.byID[id]
		if e == nil {
			continue
		}
		delete(s.byID, id)
		delete(s.byKey, e.doc.Key)
		s.stale[id] = append(s.stale[id], e.doc)
	}
}

// addUncertain lists documents that a failed call may have added.
func (s *space) addUncertain(es []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range es {
		if id := e.rec.ID; !slices.Contains(s.uncertain[id], e.doc) {
			s.uncertain[id] = append(s.uncertain[id], e.doc)
		}
	}
}

// documentsOf lists the documents of these records in a map, stale or uncertain.
func (s *space) documentsOf(of map[string][]Document, ids []string) (docs []Document) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			docs = append(docs, of[id]...)
		}
		seen[id] = true
	}
	return docs
}

func (s *space) clearDeleted(of map[string][]Document, ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(of, id)
	}
	if len(s.byID)+len(s.stale)+len(s.uncertain) == 0 { // the store has no vector left
		s.dims = 0
	}
}
