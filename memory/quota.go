package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// A Quota bounds a space (and its twin by itself). Zero fields bound nothing.
type Quota struct {
	Records int   // at most so many
	Bytes   int64 // of text, names and vectors together
}

// quotaFloor is the importance from which a record goes last.
const quotaFloor = .7

// Trim removes what a space holds beyond the quota, and says how many records went. They go in this order, the oldest of each first:
//
//  1. messages that a dream has consolidated;
//  2. other records of an importance below .7, the least important first;
//  3. messages that no dream has seen;
//  4. the rest, the least important first.
//
// What was made of evicted messages stays: this is not forgetting ([Memory.Delete]).
func (m *Memory) Trim(ctx context.Context, s Space, q Quota) (int, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	if q.Records < 0 || q.Bytes < 0 {
		return 0, fmt.Errorf("memory: quota %+v: %w", q, ErrInvalid)
	}
	leave, err := m.rooms.enter(ctx, s)
	if err != nil {
		return 0, err
	}
	defer leave()
	var d dreamt
	if m.state.State != nil {
		if _, err := m.state.read(ctx, row(s, "dream"), &d); err != nil {
			return 0, err
		}
	}
	type kept struct {
		id         string
		size       int64
		class      int
		importance float64
		seq        uint64
	}
	var all []kept
	var bytes int64
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return 0, err
		}
		k := kept{r.ID, int64(len(r.Text) + len(r.Name) + 4*len(r.Vector)), 0, r.Importance, r.Seq}
		switch {
		case r.Kind == KindMessage && r.Seq <= d.Last:
			k.importance = 0
		case r.Kind == KindMessage:
			k.class, k.importance = 2, 0
		case r.Importance < quotaFloor:
			k.class = 1
		default:
			k.class = 3
		}
		all, bytes = append(all, k), bytes+k.size
	}
	slices.SortFunc(all, func(a, b kept) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.importance, b.importance), cmp.Compare(a.seq, b.seq))
	})
	var ids []string
	for _, k := range all {
		if over := q.Records > 0 && len(all)-len(ids) > q.Records || q.Bytes > 0 && bytes > q.Bytes; !over {
			break
		}
		ids, bytes = append(ids, k.id), bytes-k.size
	}
	_, err = m.remove(ctx, s, ids)
	return len(ids), err
}
