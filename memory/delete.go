package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Delete removes records from the store and from every index, together with all data derived from them. Derived data
// are records, notes and impressions with a deleted record among their Sources. Messages of the bot that quote a deleted
// message of at least 8 characters are removed, too. The summary that covers a record is discarded and becomes due
// again. Unknown IDs are ignored.
//
// An error that matches [ErrCannotDelete] means that the store has deleted the records, and Recall no longer returns
// them, but an index keeps its entries. After a crash, call Delete again to complete it: derived data is deleted before
// its sources.
func (m *Memory) Delete(ctx context.Context, s Space, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return err
	}
	defer unlock()
	_, failed, err := m.deleteRecords(ctx, s, ids, &removal{})
	return errors.Join(err, failed)
}

// sharedSpaces may contain data derived from other spaces. Lock them after the source space, in this order.
var sharedSpaces = [...]Space{Owner, Self}

// deleteFromShared removes from the shared spaces the records, notes and impressions derived from s. With ids it
// removes only those derived from these records. Callers must hold the lock of s.
func (m *Memory) deleteFromShared(ctx context.Context, s Space, ids map[string]bool, src quoteSource) (n int, failed, err error) {
	if s = s.Base(); s == Self || ids != nil && len(ids) == 0 {
		return 0, nil, nil
	}
	derivedFrom := func(l Label, sources []string) bool {
		if ids == nil {
			return slices.Contains(l.Spaces(), s)
		}
		return (l.IsOwnerOnly() || slices.Contains(l.Spaces(), s)) && slices.ContainsFunc(sources, func(id string) bool { return ids[id] })
	}
	if err := m.deleteOwnerQuotes(ctx, s, src); err != nil {
		return 0, nil, err
	}
	for _, at := range sharedSpaces {
		if at == s {
			continue
		}
		k, bad, err := m.deleteDerivedIn(ctx, at, slices.Collect(maps.Keys(ids)), derivedFrom)
		if n += k; err != nil {
			return n, nil, err
		}
		failed = errors.Join(failed, bad)
	}
	return n, failed, nil
}

// deleteDerivedIn removes the records, notes and impressions of a space and its counterpart for which derivedFrom
// returns true. With ids it checks only records derived from these IDs.
func (m *Memory) deleteDerivedIn(ctx context.Context, s Space, ids []string, derivedFrom func(Label, []string) bool) (n int, failed, err error) {
	unlock, err := m.locks.lock(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	defer unlock()
	overrides, err := m.loadOverrides(ctx)
	if err != nil {
		return 0, nil, err
	}
	for _, s := range [...]Space{s, s.Secret()} {
		rows, err := m.state.loadRowsIfState(ctx, row(s)+"/")
		if err != nil {
			return n, nil, err
		}
		changed := map[string][]byte{}
		for key, value := range rows {
			keep := true
			switch _, path := splitKey(key); path[0] {
			case "note":
				keep, err = purgeRow(key, value, changed, func(n *Note) bool { return !derivedFrom(labelOrDefault(n.Label, s, n.Sources), n.Sources) })
			case "person":
				keep, err = purgeRow(key, value, changed, func(person *Person) bool {
					if derivedFrom(labelOrDefault(person.Label, s, person.Sources), person.Sources) {
						person.clearImpression()
					}
					return person.hasData()
				})
			}
			if err != nil {
				return n, nil, err
			}
			if !keep {
				changed[key] = nil
			}
		}
		if err := m.state.apply(ctx, changed); err != nil {
			return n, nil, err
		}
		var out []string
		recs, err := m.findDerived(ctx, s, ids)
		if err != nil {
			return n, nil, err
		}
		for i := range recs {
			if derivedFrom(overrides.originalLabel(&recs[i]), recs[i].Sources) {
				out = append(out, recs[i].ID)
			}
		}
		if ids == nil {
			for r, err := range m.store.Scan(ctx, s, 0) {
				if err != nil {
					return n, nil, err
				}
				if (r.Kind != KindMessage || len(r.Sources) > 0) && derivedFrom(overrides.originalLabel(&r), r.Sources) {
					out = append(out, r.ID)
				}
			}
		}
		bad, err := m.removeRecords(ctx, s, out)
		if err != nil {
			return n, nil, err
		}
		n, failed = n+len(out), errors.Join(failed, bad)
	}
	return n, failed, nil
}

// minQuoteRunes is the minimum number of characters that a reply must repeat to count as a quotation.
const minQuoteRunes = 8

// A quoteSource holds the texts of messages that may be quoted. Quotations of them have a Seq above after.
type quoteSource struct {
	texts []string
	after uint64
}

func newQuoteSource(recs []Record) (w quoteSource) {
	w.after = math.MaxUint64
	for i := range recs {
		if r := &recs[i]; !r.Own && utf8.RuneCountInString(r.Text) >= minQuoteRunes {
			w.texts, w.after = append(w.texts, r.Text), min(w.after, r.Seq)
		}
	}
	return w
}

// findQuotes returns the IDs of the bot's own messages in a space that quote src, if may returns true for them.
func (m *Memory) findQuotes(ctx context.Context, s Space, src quoteSource, may func(*Record) bool) (ids []string, err error) {
	if len(src.texts) == 0 {
		return nil, nil
	}
	for r, err := range m.store.Scan(ctx, s, src.after) {
		if err != nil {
			return nil, err
		}
		if r.Own && r.Kind == KindMessage && may(&r) && slices.ContainsFunc(src.texts, func(text string) bool { return strings.Contains(r.Text, text) }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// deleteOwnerQuotes removes the bot's answers to the owner that come from a space and quote src. Callers must hold the
// lock of that space.
func (m *Memory) deleteOwnerQuotes(ctx context.Context, of Space, src quoteSource) error {
	if of == Owner || len(src.texts) == 0 {
		return nil
	}
	unlock, err := m.locks.lock(ctx, Owner)
	if err != nil {
		return err
	}
	defer unlock()
	overrides, err := m.loadOverrides(ctx)
	if err != nil {
		return err
	}
	src.after = 0 // the Seqs of two spaces cannot be compared
	ids, err := m.findQuotes(ctx, Owner, src, func(r *Record) bool {
		l := overrides.originalLabel(r)
		return l.IsOwnerOnly() || slices.Contains(l.Spaces(), of)
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	_, failed, err := m.deleteRecords(ctx, Owner, ids, &removal{})
	return errors.Join(failed, err)
}

// A removal describes deleted records for the cleanup of rows.
type removal struct {
	ids    map[string]bool
	seqs   []uint64
	person string   // the erased person; "": none
	names  []string // names of that person
}

func newRemoval(recs []Record, target *removal) *removal {
	g := &removal{ids: make(map[string]bool, len(recs)), person: target.person, names: target.names}
	for i := range recs {
		g.ids[recs[i].ID] = true
		g.seqs = append(g.seqs, recs[i].Seq)
	}
	return g
}

// deleteRecords removes records and all data derived from them. It returns the number of deleted records; failed
// reports index errors. Callers must hold the lock.
func (m *Memory) deleteRecords(ctx context.Context, s Space, ids []string, target *removal) (n int, failed, err error) {
	recs, err := m.store.Get(ctx, s, ids...)
	if err != nil {
		return 0, nil, fmt.Errorf("memory: delete: %w", err)
	}
	src := newQuoteSource(recs)
	quotes, err := m.findQuotes(ctx, s, src, func(*Record) bool { return true })
	if err == nil && len(quotes) > 0 {
		ids = append(slices.Clip(ids), quotes...)
		recs, err = m.store.Get(ctx, s, ids...)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("memory: delete: %w", err)
	}
	g := newRemoval(recs, target)
	k, failed, err := m.deleteFromShared(ctx, s, g.ids, src) // first, because a repeated call after a crash no longer finds the texts
	if err != nil {
		return 0, nil, err
	}
	var derived [2][]Record
	for i, at := range [...]Space{s, s.Counterpart()} {
		if derived[i], err = m.findDerived(ctx, at, ids); err != nil {
			return 0, nil, fmt.Errorf("memory: delete: %w", err)
		}
		n += len(derived[i])
		h := newRemoval(derived[i], target)
		for id := range g.ids { // a space and its counterpart share their IDs
			h.ids[id] = true
		}
		if i == 0 {
			h.seqs = append(h.seqs, g.seqs...)
		}
		if err := m.purge(ctx, at, h); err != nil {
			return 0, nil, err
		}
	}
	for i, at := range [...]Space{s.Counterpart(), s} { // the requested records are deleted last
		out := recordIDs(derived[1-i])
		if at == s {
			out = append(out, ids...)
		}
		bad, err := m.removeRecords(ctx, at, out)
		if err != nil {
			return 0, nil, err
		}
		failed = errors.Join(failed, bad)
	}
	return n + k + len(recs), failed, nil
}

func recordIDs(recs []Record) []string {
	ids := make([]string, len(recs))
	for i := range recs {
		ids[i] = recs[i].ID
	}
	return ids
}

// findDerived returns the records of a space that are derived from these, directly or indirectly.
func (m *Memory) findDerived(ctx context.Context, s Space, ids []string) ([]Record, error) {
	var derived []Record
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		seen[id] = true
	}
	for len(ids) > 0 {
		var next []string
		for some := range slices.Chunk(ids, 500) {
			found, err := m.findDirectlyDerived(ctx, s, some)
			if err != nil {
				return nil, err
			}
			for _, id := range found {
				if !seen[id] {
					seen[id] = true
					next = append(next, id)
				}
			}
		}
		recs, err := m.store.Get(ctx, s, next...)
		if err != nil {
			return nil, err
		}
		derived = append(derived, recs...)
		ids = next
	}
	return derived, nil
}

func (m *Memory) findDirectlyDerived(ctx context.Context, s Space, sources []string) (ids []string, err error) {
	if d, ok := m.store.(DerivedFinder); ok {
		return d.FindDerived(ctx, s, sources...)
	}
	from := make(map[string]bool, len(sources))
	for _, id := range sources {
		from[id] = true
	}
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(r.Sources, func(id string) bool { return from[id] }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// Derived returns the records of a space and its secret counterpart that are derived from these, directly or indirectly, in order of
// arrival. [Memory.Delete] deletes them with these, and so it does with those in [Owner] and [Self].
func Derived(ctx context.Context, m *Memory, s Space, ids ...string) (all []Record, err error) {
	if err := s.Validate(); err != nil || len(ids) == 0 {
		return nil, err
	}
	for _, at := range []Space{s.Base(), s.Secret()} {
		found, err := m.findDerived(ctx, at, ids)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
