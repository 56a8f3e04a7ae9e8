package memory

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
)

// An overlay is a Store that keeps writes to itself. Other data comes from the store below it. It is not safe for concurrent use.
type overlay struct {
	Store   // the store below
	records map[recordKey]*overlaid
	added   uint64 // number of new records
}

// An overlaid is a record that was written. Neither field has a vector.
type overlaid struct {
	before *Record // nil: there was none
	after  *Record // nil: deleted
}

// firstAddedSeq begins the Seqs of new records. They come after all others.
const firstAddedSeq = 1 << 62

// of returns the entry of a record. The first call reads the record from the store below.
func (o *overlay) of(ctx context.Context, s Space, id string) (*overlaid, error) {
	key := recordKey{s.Base(), id}
	if r := o.records[key]; r != nil {
		return r, nil
	}
	r := &overlaid{}
	for _, at := range [...]Space{s, s.Counterpart()} {
		found, err := o.Store.Get(ctx, at, id)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			found[0].Vector = nil
			r.before, r.after = &found[0], &found[0]
			break
		}
	}
	o.records[key] = r
	return r, nil
}

// Put implements [Store].
func (o *overlay) Put(ctx context.Context, recs ...Record) error {
	for i := range recs {
		if err := recs[i].Validate(); err != nil {
			return err
		}
	}
	for _, rec := range recs {
		r, err := o.of(ctx, rec.Space, rec.ID)
		if err != nil {
			return err
		}
		rec = rec.Clone()
		rec.Vector = nil
		switch {
		case r.after != nil:
			rec.Seq = r.after.Seq
		case r.before != nil:
			rec.Seq = r.before.Seq
		default:
			rec.Seq = firstAddedSeq + o.added
			o.added++
		}
		r.after = &rec
	}
	return nil
}

// Delete implements [Store].
func (o *overlay) Delete(ctx context.Context, s Space, ids ...string) error {
	for _, id := range ids {
		r, err := o.of(ctx, s, id)
		if err != nil {
			return err
		}
		if r.after != nil && r.after.Space == s {
			r.after = nil
		}
	}
	return ctx.Err()
}

// Get implements [Store].
func (o *overlay) Get(ctx context.Context, s Space, ids ...string) ([]Record, error) {
	ask := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return o.records[recordKey{s.Base(), id}] != nil })
	found, err := o.Store.Get(ctx, s, ask...)
	if err != nil || len(ask) == len(ids) {
		return found, err
	}
	by := make(map[string]Record, len(found))
	for _, r := range found {
		by[r.ID] = r
	}
	recs := make([]Record, 0, len(ids))
	for _, id := range ids {
		if r := o.records[recordKey{s.Base(), id}]; r != nil {
			if r.after != nil && r.after.Space == s {
				recs = append(recs, r.after.Clone())
			}
		} else if rec, ok := by[id]; ok {
			recs = append(recs, rec.Clone())
		}
	}
	return recs, nil
}

// Scan implements [Store].
func (o *overlay) Scan(ctx context.Context, s Space, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		mine := o.in(s, after)
		for r, err := range o.Store.Scan(ctx, s, after) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			for len(mine) > 0 && mine[0].Seq < r.Seq {
				if !yield(mine[0].Clone(), nil) {
					return
				}
				mine = mine[1:]
			}
			if o.records[recordKey{s.Base(), r.ID}] == nil && !yield(r, nil) {
				return
			}
		}
		for _, r := range mine {
			if !yield(r.Clone(), nil) {
				return
			}
		}
	}
}

// in returns the written records of a space in order of arrival.
func (o *overlay) in(s Space, after uint64) (recs []*Record) {
	for _, r := range o.records {
		if r.after != nil && r.after.Space == s && r.after.Seq > after {
			recs = append(recs, r.after)
		}
	}
	slices.SortFunc(recs, func(a, b *Record) int { return cmp.Compare(a.Seq, b.Seq) })
	return recs
}

// Spaces implements [Store].
func (o *overlay) Spaces(ctx context.Context) ([]Space, error) {
	spaces, err := o.Store.Spaces(ctx)
	for _, r := range o.records {
		if r.after != nil {
			spaces = append(spaces, r.after.Space)
		}
	}
	slices.Sort(spaces)
	return slices.Compact(spaces), err
}

// FindDerived implements [DerivedFinder].
func (o *overlay) FindDerived(ctx context.Context, s Space, sources ...string) ([]string, error) {
	ids, err := (&Memory{store: o.Store}).findDirectlyDerived(ctx, s, sources)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return o.records[recordKey{s.Base(), id}] != nil })
	for _, r := range o.in(s, 0) {
		if slices.ContainsFunc(r.Sources, func(id string) bool { return slices.Contains(sources, id) }) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// A stateOverlay is a State that keeps writes to itself. It is not safe for concurrent use.
type stateOverlay struct {
	State                           // the state below
	before, after map[string][]byte // of the written rows; nil values: no row
}

// Load implements [State].
func (o *stateOverlay) Load(ctx context.Context, prefix string) (map[string][]byte, error) {
	rows, err := o.State.Load(ctx, prefix)
	if err != nil {
		return nil, err
	}
	for key, value := range o.after {
		switch {
		case !strings.HasPrefix(key, prefix):
		case value == nil:
			delete(rows, key)
		default:
			rows[key] = bytes.Clone(value)
		}
	}
	return rows, nil
}

// Apply implements [State].
func (o *stateOverlay) Apply(ctx context.Context, rows map[string][]byte) error {
	for key, value := range rows {
		if _, known := o.before[key]; !known {
			below, err := o.State.Load(ctx, key)
			if err != nil {
				return err
			}
			o.before[key] = below[key]
		}
		o.after[key] = bytes.Clone(value)
	}
	return nil
}

// changes decodes the rows that differ.
func (o *stateOverlay) changes() (c Changes, err error) {
	for _, key := range slices.Sorted(maps.Keys(o.after)) {
		before, after := o.before[key], o.after[key]
		if before == nil || bytes.Equal(before, after) {
			continue
		}
		switch s, path := splitKey(key); {
		case s == "" && path[0] == "release" && after == nil:
			err = appendRow(&c.Overrides, key, before)
		case s == "":
		case path[0] == "summary":
			err = c.addSummary(s, key, before, after)
		case path[0] == "person":
			change := PersonChange{Space: s}
			if err = cmp.Or(decode(key, before, &change.Before), decode(key, after, &change.After)); err == nil {
				change.Before.fillLabel(s)
				change.After.fillLabel(s)
				c.People = append(c.People, change)
			}
		case path[0] == "note" && after == nil:
			var n NoteEntry
			if n, err = noteEntry(s, path, key, before); err == nil {
				c.Notes = append(c.Notes, n)
			}
		}
		if err != nil {
			return Changes{}, err
		}
	}
	return c, nil
}

// addSummary adds a space whose summary loses its text.
func (c *Changes) addSummary(s Space, key string, before, after []byte) error {
	var was, is RollingSummary
	err := cmp.Or(decode(key, before, &was), decode(key, after, &is))
	if err == nil && was.Text != "" && is.Text != was.Text {
		c.Summaries = append(c.Summaries, s)
	}
	return err
}

func appendRow[T any](all *[]T, key string, b []byte) error {
	var v T
	err := decode(key, b, &v)
	if err == nil {
		*all = append(*all, v)
	}
	return err
}
