package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// A Quota limits the size of a space. The secret counterpart has its own. Zero fields mean no limit.
type Quota struct {
	Records int   // maximum number of records
	Bytes   int64 // maximum size of texts, names and vectors
}

// importantFrom is the importance from which a record is deleted last.
const importantFrom = .7

// Trim deletes records until the space is within the quota, and returns the number of deleted records. The order is as
// follows, oldest first in each class:
//
//  1. messages that a dream has processed;
//  2. other records with an importance below .7, least important first;
//  3. messages that no dream has processed;
//  4. the rest, least important first.
//
// Trim keeps data derived from evicted messages, unlike [Memory.Delete].
func (m *Memory) Trim(ctx context.Context, s Space, q Quota) (int, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	if q.Records < 0 || q.Bytes < 0 {
		return 0, fmt.Errorf("memory: quota %+v: %w", q, ErrInvalid)
	}
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return 0, err
	}
	defer unlock()
	var d dreamState
	if m.state.State != nil {
		if _, err := m.state.decodeRow(ctx, row(s, "dream"), &d); err != nil {
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
		case r.Importance < importantFrom:
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
	_, err = m.removeRecords(ctx, s, ids)
	return len(ids), err
}
