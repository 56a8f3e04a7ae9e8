package memory

import "context"

// Between returns the first limit records of a space whose Seq lies from first to last, in order of arrival and without their vectors. The
// messages among them are those that a [RollingSummary] with these Seqs covers.
func Between(ctx context.Context, m *Memory, s Space, first, last uint64, limit int) (recs []Record, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	for r, err := range m.store.Scan(ctx, s, max(first, 1)-1) {
		if err != nil {
			return nil, err
		}
		if r.Seq > last || len(recs) >= limit {
			break
		}
		r.Vector = nil
		recs = append(recs, r)
	}
	return recs, nil
}
