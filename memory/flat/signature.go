package flat

import (
	"math"

	"github.com/hearth-bot/hearth/memory"
)

// A signature summarizes the filter fields of a record in 24 bytes. It has no false negatives and few false positives.
// A matching row is checked again by [memory.Query.Match] if it can be among the best.
type signature struct {
	at     int64  // seconds
	tags   uint64 // one bit per tag
	kind   uint32 // one bit
	person uint32
}

func newSignature(r *memory.Record) signature {
	return signature{at: r.At.Unix(), tags: tagBits(r.Tags), kind: 1 << (hash(r.Kind) % 32), person: hash(r.Person)}
}

func tagBits(tags []string) (bits uint64) {
	for _, t := range tags {
		bits |= 1 << (hash(t) % 64)
	}
	return bits
}

// hash is FNV-1a.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// A filter holds the fields of a query.
type filter struct {
	q                  *memory.Query
	active             bool // the query has filters
	since, until       int64
	tags               uint64
	kinds              uint32
	person, personMask uint32 // personMask selects the bits of person to compare
}

func newFilter(q *memory.Query) filter {
	f := filter{q: q, since: math.MinInt64, until: math.MaxInt64, tags: tagBits(q.Tags), kinds: math.MaxUint32}
	if q.Person != "" {
		f.person, f.personMask = hash(q.Person), math.MaxUint32
	}
	if len(q.Kinds) > 0 {
		f.kinds = 0
		for _, k := range q.Kinds {
			f.kinds |= 1 << (hash(k) % 32)
		}
	}
	if !q.Since.IsZero() {
		f.since = q.Since.Unix()
	}
	if !q.Until.IsZero() {
		f.until = q.Until.Unix()
	}
	f.active = q.Person != "" || len(q.Kinds) > 0 || len(q.Tags) > 0 || !q.Since.IsZero() || !q.Until.IsZero()
	return f
}

// pass returns one bit per row, set if the row may match. rows has at most 64 elements.
func (f *filter) pass(rows []signature) (bits uint64) {
	for i := range rows {
		s := &rows[i]
		if (s.person^f.person)&f.personMask == 0 && s.kind&f.kinds != 0 && s.tags&f.tags == f.tags && s.at >= f.since && s.at <= f.until {
			bits |= 1 << i
		}
	}
	return bits
}

func (f *filter) admits(r *rec) bool {
	return !f.active || f.q.Match(&memory.Record{Person: r.person, Kind: r.kind, Tags: r.tags, At: r.at})
}
