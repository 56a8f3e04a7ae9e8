package memory

import (
	"context"
	"fmt"
	"slices"
)

// PutDerived stores records that were derived from messages of a space, and returns how many it stored. Each needs Sources.
// It skips a record if one of its sources was deleted or hidden, so that deleted data cannot return. The record gets the join of the labels of
// its sources, and tags that name their authors, by which [Memory.ErasePerson] finds it after the messages are evicted.
// kind is a kind of derived data for [Options].Relabel.
func PutDerived(ctx context.Context, m *Memory, s Space, kind string, recs ...Record) (n int, err error) {
	if err := s.Validate(); err != nil || len(recs) == 0 {
		return 0, err
	}
	overrides, err := m.loadOverrides(ctx)
	if err != nil {
		return 0, err
	}
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return 0, err
	}
	defer unlock()
	kept := make([]Record, 0, len(recs))
	for _, r := range recs {
		if len(r.Sources) == 0 {
			return 0, fmt.Errorf("memory: derived record %q has no sources: %w", r.ID, ErrInvalid)
		}
		from, err := m.indexes.getWithoutVectors(ctx, s, r.Sources)
		if err != nil {
			return 0, fmt.Errorf("memory: put derived: %w", err)
		}
		if len(from) != len(r.Sources) {
			continue
		}
		r.Space, r.Text, r.Name, r.At = s, sanitize(r.Text), sanitize(r.Name), r.At.Round(0)
		r.Tags = slices.Clone(r.Tags)
		for i := range from {
			if tag := authorTagPrefix + from[i].Person; from[i].Person != "" && !from[i].Own && len(tag) <= MaxAddress && !slices.Contains(r.Tags, tag) {
				r.Tags = append(r.Tags, tag)
			}
		}
		r.setLabel(m.derivedLabel(kind, overrides.joinLabels(s, from)))
		if err := r.Validate(); err != nil {
			return 0, err
		}
		kept = append(kept, r)
	}
	if len(kept) == 0 {
		return 0, nil
	}
	if err := m.store.Put(ctx, kept...); err != nil {
		return 0, fmt.Errorf("memory: put derived: %w", err)
	}
	return len(kept), m.indexes.put(ctx, kept)
}
