package vectorstore

import (
	"context"
	"slices"
	"sync"

	"github.com/hearth-bot/hearth/memory"
	"github.com/tmc/langchaingo/vectorstores"
)

// A space is what is known of one collection. Its lock is held for a look only, never while the store is asked; who changes it has the turn.
type space struct {
	mu    sync.RWMutex
	store vectorstores.VectorStore // nil until the first record
	byID  map[string]*entry
	byKey map[string]*entry
	dead  map[string][]Document // by record: documents that the store still has, and nobody may find
	maybe map[string][]Document // by record: documents that were handed over in vain, which the store may have all the same
	dims  int                   // of all vectors that the store has; 0 while it has none
}

// An entry is a record that can be found. It never changes: a new one takes its place.
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
		x.spaces[s] = &space{byID: map[string]*entry{}, byKey: map[string]*entry{}, dead: map[string][]Document{}, maybe: map[string][]Document{}}
	}
	return x.spaces[s]
}

// enter waits for the turn of a space and its twin.
func (x *Index) enter(ctx context.Context, plain memory.Space) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.Lock()
	turn := x.turns[plain]
	if turn == nil {
		turn = make(chan struct{}, 1)
		x.turns[plain] = turn
	}
	x.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// opened returns the store, which is opened once; a failure is tried again next time.
func (s *space) opened(ctx context.Context, open func(context.Context) (vectorstores.VectorStore, error)) (vectorstores.VectorStore, error) {
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

// known returns the record that a key stands for now; nil: nobody's.
func (s *space) known(key string) *memory.Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if e := s.byKey[key]; e != nil {
		return &e.rec
	}
	return nil
}

// renew takes an entry whose document is in the store already.
func (s *space) renew(e *entry) bool {
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

// revive takes back a document that was killed, where nothing has been deleted.
func (s *space) revive(e *entry, dims int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range s.dead[e.rec.ID] {
		if d.Key == e.doc.Key {
			e.doc = d
			s.dead[e.rec.ID] = slices.Delete(s.dead[e.rec.ID], i, i+1)
			s.byID[e.rec.ID], s.byKey[e.doc.Key], s.dims = e, e, dims
			return true
		}
	}
	return false
}

func (s *space) link(e *entry, dims int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[e.rec.ID], s.byKey[e.doc.Key], s.dims = e, e, dims
}

// kill makes records unfindable.
func (s *space) kill(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		e := s.byID[id]
		if e == nil {
			continue
		}
		delete(s.byID, id)
		delete(s.byKey, e.doc.Key)
		s.dead[id] = append(s.dead[id], e.doc)
	}
}

// doubt notes documents that the store may have got.
func (s *space) doubt(es []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range es {
		if id := e.rec.ID; !slices.Contains(s.maybe[id], e.doc) {
			s.maybe[id] = append(s.maybe[id], e.doc)
		}
	}
}

// leftOf lists what the store still has of these records and should not: of those that are dead, or may be there.
func (s *space) leftOf(of map[string][]Document, ids []string) (docs []Document) {
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

func (s *space) buried(of map[string][]Document, ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(of, id)
	}
	if len(s.byID)+len(s.dead)+len(s.maybe) == 0 { // the store has nothing left to compare with
		s.dims = 0
	}
}
