package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// TagCorrected marks a record whose text was replaced by [Correct].
const TagCorrected = "corrected"

// Correct replaces the text of a record by words of the owner. old is the text that the owner has seen: if the record has another
// text by now, Correct changes nothing and returns false.
//
// Everything that was derived from the old text is deleted as by [Memory.Delete]: records, notes and impressions with the record
// among their Sources. The bot's messages that quote the old text stay, because they were said. The record keeps its Sources and its
// Label. Call [Memory.Endorse] to make it trusted. It gets [TagCorrected] and, from [Memory.Run], a new vector.
//
// A message is never corrected, because it stays as it was said. The error matches [ErrInvalid] then, and for an empty text. If the
// record does not exist, it matches [ErrNotFound].
func Correct(ctx context.Context, m *Memory, s Space, id, old, text string) (changed bool, err error) {
	if err := s.Validate(); err != nil {
		return false, err
	}
	if text = strings.TrimSpace(sanitize(text)); text == "" {
		return false, fmt.Errorf("memory: correct record %q: the text is empty: %w", id, ErrInvalid)
	}
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return false, err
	}
	defer unlock()
	recs, err := m.store.Get(ctx, s, id)
	switch {
	case err != nil:
		return false, fmt.Errorf("memory: correct: %w", err)
	case len(recs) == 0:
		return false, fmt.Errorf("memory: record %q in %q: %w", id, string(s), ErrNotFound)
	case recs[0].Kind == KindMessage:
		return false, fmt.Errorf("memory: record %q is a message, and messages are not corrected: %w", id, ErrInvalid)
	case recs[0].Text != old:
		return false, nil
	}
	rec := recs[0]
	if rec.Text == text {
		return true, nil
	}
	rec.Text, rec.Vector, rec.Embedder = text, nil, ""
	if !slices.Contains(rec.Tags, TagCorrected) {
		rec.Tags = append(slices.Clip(rec.Tags), TagCorrected)
	}
	if err := rec.Validate(); err != nil {
		return false, err
	}
	failed, err := deleteDerivedFrom(ctx, m, s, id)
	if err != nil {
		return false, err
	}
	if err := m.store.Put(ctx, rec); err != nil {
		return false, fmt.Errorf("memory: correct: %w", err)
	}
	err = errors.Join(failed, m.indexes.put(ctx, []Record{rec}))
	m.embed.enqueue([]Record{rec})
	return true, err
}

// deleteDerivedFrom deletes what was derived from a record that is no message, and keeps the record. failed reports index errors. Callers
// must hold the lock of s.
func deleteDerivedFrom(ctx context.Context, m *Memory, s Space, id string) (failed, err error) {
	_, failed, err = m.deleteFromShared(ctx, s, map[string]bool{id: true}, quoteSource{})
	if err != nil {
		return nil, err
	}
	for _, at := range [...]Space{s.Counterpart(), s} {
		derived, err := m.findDerived(ctx, at, []string{id})
		if err != nil {
			return nil, fmt.Errorf("memory: correct: %w", err)
		}
		messages := slices.DeleteFunc(slices.Clone(derived), func(r Record) bool { return r.Kind != KindMessage })
		g := newRemoval(derived, &removal{})
		g.ids[id], g.seqs = true, newRemoval(messages, &removal{}).seqs // a summary covers messages only
		if err := m.purge(ctx, at, g); err != nil {
			return nil, err
		}
		bad, err := m.removeRecords(ctx, at, recordIDs(derived))
		if err != nil {
			return nil, err
		}
		failed = errors.Join(failed, bad)
	}
	return failed, nil
}
