package memory

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A MemStore is a [Store] in memory, for tests and for bots without persistence. It also implements [State],
// [VectorlessGetter], [Tailer], [DerivedFinder], [AuthorCounter] and [Transactor]. Make one with [NewMemStore].
type MemStore struct {
	mu    sync.RWMutex
	seq   uint64
	byID  map[Space]map[string]*Record // by base space; stored Records are never changed
	order map[Space][]*Record          // sorted by Seq
	rows  map[string][]byte
}

// A recordKey identifies a record in a space and its counterpart.
type recordKey struct {
	base Space
	id   string
}

// NewMemStore returns an empty store.
func NewMemStore() *MemStore {
	return &MemStore{byID: map[Space]map[string]*Record{}, order: map[Space][]*Record{}, rows: map[string][]byte{}}
}

// Put implements [Store].
func (m *MemStore) Put(ctx context.Context, recs ...Record) error {
	return m.PutApply(ctx, nil, recs...)
}

// PutApply implements [Transactor].
func (m *MemStore) PutApply(ctx context.Context, rows map[string][]byte, recs ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range recs {
		if err := recs[i].Validate(); err != nil {
			return err
		}
	}
	for k := range rows {
		if err := ValidateKey(k); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, v := range rows {
		if v == nil {
			delete(m.rows, k)
		} else {
			m.rows[k] = append([]byte{}, v...)
		}
	}
	for _, r := range recs {
		r = r.Clone()
		base := r.Space.Base()
		old := m.byID[base][r.ID]
		switch {
		case old == nil:
			m.seq++
			r.Seq = m.seq
			m.order[r.Space] = append(m.order[r.Space], &r)
		case old.Space == r.Space:
			r.Seq = old.Seq
			i, _ := m.search(r.Space, r.Seq)
			m.order[r.Space][i] = &r
		default:
			r.Seq = old.Seq
			m.remove(old)
			i, _ := m.search(r.Space, r.Seq)
			m.order[r.Space] = slices.Insert(m.order[r.Space], i, &r)
		}
		if m.byID[base] == nil {
			m.byID[base] = map[string]*Record{}
		}
		m.byID[base][r.ID] = &r
	}
	return nil
}

// search returns the position of a Seq in its space.
func (m *MemStore) search(s Space, seq uint64) (int, bool) {
	return slices.BinarySearchFunc(m.order[s], seq, func(r *Record, seq uint64) int { return cmp.Compare(r.Seq, seq) })
}

func (m *MemStore) remove(r *Record) {
	if i, ok := m.search(r.Space, r.Seq); ok {
		m.order[r.Space] = slices.Delete(m.order[r.Space], i, i+1)
	}
	if len(m.order[r.Space]) == 0 {
		delete(m.order, r.Space)
	}
	byID := m.byID[r.Space.Base()]
	if delete(byID, r.ID); len(byID) == 0 {
		delete(m.byID, r.Space.Base())
	}
}

// Delete implements [Store].
func (m *MemStore) Delete(ctx context.Context, s Space, ids ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	byID := m.byID[s.Base()]
	for _, id := range ids {
		if r := byID[id]; r != nil && r.Space == s {
			m.remove(r)
		}
	}
	return nil
}

// Get implements [Store].
func (m *MemStore) Get(ctx context.Context, s Space, ids ...string) ([]Record, error) {
	return m.get(ctx, s, ids, true)
}

// GetWithoutVectors implements [VectorlessGetter].
func (m *MemStore) GetWithoutVectors(ctx context.Context, s Space, ids ...string) ([]Record, error) {
	return m.get(ctx, s, ids, false)
}

func (m *MemStore) get(ctx context.Context, s Space, ids []string, vectors bool) ([]Record, error) {
	recs := make([]Record, 0, len(ids))
	m.mu.RLock()
	defer m.mu.RUnlock()
	byID := m.byID[s.Base()]
	for _, id := range ids {
		if r := byID[id]; r != nil && r.Space == s {
			c := *r
			if !vectors {
				c.Vector = nil
			}
			recs = append(recs, c.Clone())
		}
	}
	return recs, ctx.Err()
}

// Scan implements [Store]. It reads in pages.
func (m *MemStore) Scan(ctx context.Context, s Space, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		page := make([]*Record, 256)
		for after := after; ; {
			if err := ctx.Err(); err != nil {
				yield(Record{}, err)
				return
			}
			m.mu.RLock()
			i, ok := m.search(s, after)
			if ok {
				i++
			}
			n := copy(page, m.order[s][i:])
			m.mu.RUnlock()
			for _, r := range page[:n] {
				if !yield(r.Clone(), nil) {
					return
				}
				after = r.Seq
			}
			if n < len(page) {
				return
			}
		}
	}
}

// Tail implements [Tailer].
func (m *MemStore) Tail(ctx context.Context, s Space, kind string, n int) ([]Record, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	recs := make([]Record, 0, min(max(n, 0), len(m.order[s])))
	for _, r := range slices.Backward(m.order[s]) {
		if len(recs) >= n {
			break
		}
		if r.Kind == kind {
			recs = append(recs, r.Clone())
		}
	}
	slices.Reverse(recs)
	return recs, ctx.Err()
}

// FindDerived implements [DerivedFinder].
func (m *MemStore) FindDerived(ctx context.Context, s Space, sources ...string) ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var ids []string
	for _, r := range m.order[s] {
		if len(r.Sources) > 0 && slices.ContainsFunc(sources, func(id string) bool { return slices.Contains(r.Sources, id) }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, ctx.Err()
}

// Spaces implements [Store].
func (m *MemStore) Spaces(ctx context.Context) ([]Space, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Sorted(maps.Keys(m.order)), ctx.Err()
}

// Load implements [State].
func (m *MemStore) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	rows := map[string][]byte{}
	for k, v := range m.rows {
		if strings.HasPrefix(k, prefix) {
			rows[k] = append([]byte{}, v...)
		}
	}
	return rows, ctx.Err()
}

// Apply implements [State].
func (m *MemStore) Apply(ctx context.Context, rows map[string][]byte) error {
	return m.PutApply(ctx, rows)
}

// CountAuthors implements [AuthorCounter].
func (m *MemStore) CountAuthors(ctx context.Context) ([]AuthorEntry, error) {
	return scanAuthors(ctx, m)
}
