package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory/when"
)

// A Reader searches a fixed set of spaces and cannot name others. Hand it out as a capability. It can be narrowed and
// redacted, but never extended. A Reader is immutable and may be used concurrently. The zero Reader and a nil Reader
// read nothing.
type Reader struct {
	m      *Memory
	spaces []Space      // sorted, each once
	all    bool         // owner's reader: labels do not restrict it
	masks  []RedactFunc // applied to each hit, in this order
}

// A RedactFunc removes private data from a text. memory/redact provides one.
type RedactFunc func(ctx context.Context, text string) (string, error)

// Reader returns a reader of these spaces. It does not find a record whose [Label] names another space. It drops secret
// spaces, because only [Memory.OwnerReader] may read those.
func (m *Memory) Reader(spaces ...Space) *Reader {
	r := m.OwnerReader(spaces...)
	r.spaces, r.all = slices.DeleteFunc(r.spaces, Space.IsSecret), false
	return r
}

// OwnerReader returns a reader of these spaces, including secret ones, and ignores labels. Use it only for turns with
// the owner. Do not show its results to others, or data derived from them.
func (m *Memory) OwnerReader(spaces ...Space) *Reader {
	spaces = slices.Clone(spaces)
	slices.Sort(spaces)
	spaces = slices.DeleteFunc(slices.Compact(spaces), func(s Space) bool { return s.Validate() != nil })
	return &Reader{m: m, spaces: spaces, all: true}
}

// Narrow returns a reader of those of r's spaces that are listed.
func (r *Reader) Narrow(spaces ...Space) *Reader {
	if r == nil {
		return &Reader{}
	}
	both := slices.DeleteFunc(slices.Clone(r.spaces), func(s Space) bool { return !slices.Contains(spaces, s) })
	return &Reader{m: r.m, spaces: both, all: r.all, masks: r.masks}
}

// Redacted returns a reader that passes Text, Name and Tags of each hit through f. Use it to read the owner's data for
// a turn with other people. If f fails, Recall fails without hits. With a nil f, the reader reads nothing.
//
// Redaction does not affect matching: a query may find a record by words that f then removes.
func (r *Reader) Redacted(f RedactFunc) *Reader {
	if r == nil || f == nil {
		return &Reader{}
	}
	return &Reader{m: r.m, spaces: r.spaces, all: r.all, masks: append(slices.Clone(r.masks), f)}
}

// Spaces lists the reader's spaces, sorted.
func (r *Reader) Spaces() []Space {
	if r == nil {
		return nil
	}
	return slices.Clone(r.spaces)
}

// A Hit is a search result.
type Hit struct {
	Record                  // without its Vector; Sources of a message without any is its own ID; includes the Sources of near duplicates
	NearDuplicates []string // IDs of older near duplicates in the same space that are merged into this hit
	Score          float64  // sum of Value × Weight of the terms
	Terms          []ScoreTerm
}

// A ScoreTerm is one summand of a score. Its Name is "words" (words of the record), "near" (words of neighboring
// messages), "vector", "time" (within the time span of the query), "recency", "importance" or "affinity".
type ScoreTerm struct {
	Name   string
	Value  float64 // 0 to 1
	Weight float64
}

// Explain formats the score and its terms: "0.84 = words 0.80 × 1 + recency 0.82 × 0.05".
func (h *Hit) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.2f", h.Score)
	for i, t := range h.Terms {
		b.WriteString([...]string{" = ", " + "}[min(i, 1)])
		fmt.Fprintf(&b, "%s %.2f × %v", t.Name, t.Value, t.Weight)
	}
	return b.String()
}

const (
	defaultLimit = 10
	maxLimit     = 1000
)

// Recall returns the records that match the query, best first. Equal scores have a fixed order, newer before older.
// Recency is relative to now. Each hit was read from the store during this call, lies in one of the reader's spaces,
// and matches the query. A query without Text and Vector lists the newest records. If Vector is invalid or
// has the wrong length, the error matches [ErrVector].
//
// The score is relevance + .05 × recency + .1 × importance + .05 × affinity. A record within a time span that the text
// names ([when.Find]) gets .5 more; if there is none, a date is searched like other words. Recency halves with every half-life. Relevance ranges from 0 to 1. It is the word
// score divided by the best word score. With vectors, it is .65 of that plus .35 of the cosine divided by the best
// cosine. A text with only a time expression (昨天聊了什么) lists the newest records of that time.
//
// Near duplicates in a space are merged into the newest one, unless the query asks for all. See [Hit.NearDuplicates].
func (r *Reader) Recall(ctx context.Context, now time.Time, q Query) ([]Hit, error) {
	if r == nil || r.m == nil || len(r.spaces) == 0 {
		return nil, ctx.Err()
	}
	q.Limit = min(max(cmp.Or(q.Limit, defaultLimit), 0), maxLimit)
	if q.Limit == 0 {
		return nil, ctx.Err()
	}
	if err := r.m.embed.checker().query(&q); err != nil {
		return nil, err
	}
	text := q.Text
	q, span, isDate := r.m.indexes.embedQuery(ctx, q).extractTime(now)
	if err := r.limit(ctx, &q); err != nil {
		return nil, fmt.Errorf("memory: recall: %w", err)
	}
	all, err := r.find(ctx, q, span)
	if err == nil && isDate && !slices.ContainsFunc(all, func(f found) bool { return f.inSpan }) {
		q.Text = text // nothing was said then, so somebody tells of it: 2008年的决赛
		all, err = r.find(ctx, q, when.Span{})
	}
	if err != nil {
		return nil, fmt.Errorf("memory: recall: %w", err)
	}
	hits := rank(now, r.m.o.HalfLife, q, all)
	for i := range hits {
		if err := r.mask(ctx, &hits[i]); err != nil {
			return nil, fmt.Errorf("memory: redact: %w", err)
		}
	}
	return hits, nil
}

// find searches all spaces of the reader.
func (r *Reader) find(ctx context.Context, q Query, span when.Span) (all []found, err error) {
	for _, s := range r.spaces {
		fs, err := r.m.indexes.find(ctx, s, q, span)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			all = fs
		} else {
			all = append(all, fs...)
		}
	}
	return all, nil
}

// limit adds the restrictions by labels to a query.
func (r *Reader) limit(ctx context.Context, q *Query) (err error) {
	if q.overrides, err = r.m.loadOverrides(ctx); !r.all {
		q.readable = r.spaces
	}
	return err
}

// Get returns the records with these IDs as hits with score 0. The order is by space, then as in ids. It skips unknown
// IDs and records that Recall would not return.
func (r *Reader) Get(ctx context.Context, ids ...string) ([]Hit, error) {
	if r == nil || r.m == nil || len(ids) == 0 {
		return nil, ctx.Err()
	}
	var q Query
	if err := r.limit(ctx, &q); err != nil {
		return nil, fmt.Errorf("memory: get: %w", err)
	}
	var hits []Hit
	for _, s := range r.spaces {
		recs, err := r.m.indexes.getWithoutVectors(ctx, s, ids)
		if err != nil {
			return nil, fmt.Errorf("memory: get: %w", err)
		}
		for i := range recs {
			h := Hit{Record: recs[i]}
			if !q.readableBy(&h.Record) {
				continue
			}
			if err := r.mask(ctx, &h); err != nil {
				return nil, fmt.Errorf("memory: redact: %w", err)
			}
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// mask redacts a hit.
func (r *Reader) mask(ctx context.Context, h *Hit) (err error) {
	for _, f := range r.masks {
		if h.Text, err = f(ctx, h.Text); err != nil {
			return err
		}
		if h.Name, err = f(ctx, h.Name); err != nil {
			return err
		}
		for i := range h.Tags {
			if h.Tags[i], err = f(ctx, h.Tags[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
