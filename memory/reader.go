package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Reader recalls from the spaces that it was made for and can name no other: it is a capability, handed to whoever may know.
// It can only be narrowed, and redacted. It is immutable and may be used concurrently. The zero Reader reads nothing, nor does a nil one.
type Reader struct {
	m      *Memory
	spaces []Space      // sorted, each once
	all    bool         // it is the owner's: labels keep nothing from it
	masks  []RedactFunc // what is found passes them, in this order
}

// A RedactFunc takes out of a text what strangers may not know. memory/redact has one.
type RedactFunc func(ctx context.Context, text string) (string, error)

// Reader reads these spaces, and of them what came from no others: a record whose [Label] names a space that is not among
// them is not found. Secret spaces are dropped, however they are spelled: only a [Memory.OwnerReader] may name them.
func (m *Memory) Reader(spaces ...Space) *Reader {
	r := m.OwnerReader(spaces...)
	r.spaces, r.all = slices.DeleteFunc(r.spaces, Space.IsSecret), false
	return r
}

// OwnerReader reads these spaces, secret ones where they are named, wherever it came from what is there. It is for the owner's own turns;
// nothing that a stranger reads may be made from what it finds.
func (m *Memory) OwnerReader(spaces ...Space) *Reader {
	spaces = slices.Clone(spaces)
	slices.Sort(spaces)
	spaces = slices.DeleteFunc(slices.Compact(spaces), func(s Space) bool { return s.Validate() != nil })
	return &Reader{m: m, spaces: spaces, all: true}
}

// Narrow reads those of the reader's spaces that are named. It never reads more than r.
func (r *Reader) Narrow(spaces ...Space) *Reader {
	if r == nil {
		return &Reader{}
	}
	both := slices.DeleteFunc(slices.Clone(r.spaces), func(s Space) bool { return !slices.Contains(spaces, s) })
	return &Reader{m: r.m, spaces: both, all: r.all, masks: r.masks}
}

// Redacted reads what r reads, less what f takes out of it: it is how what the owner told is read for a turn that answers others. Text, Name and Tags of
// every hit pass f, and an error of f ends the recall, without hits. There is no way back to r. With a nil f it reads nothing.
//
// What is looked for is not masked: a query may find a record by the words that are then taken out of it.
func (r *Reader) Redacted(f RedactFunc) *Reader {
	if r == nil || f == nil {
		return &Reader{}
	}
	return &Reader{m: r.m, spaces: r.spaces, all: r.all, masks: append(slices.Clone(r.masks), f)}
}

// Spaces lists what the reader reads, sorted.
func (r *Reader) Spaces() []Space {
	if r == nil {
		return nil
	}
	return slices.Clone(r.spaces)
}

// A Hit is a record that was found, and why.
type Hit struct {
	Record                  // without its Vector; Sources of a message that has none is the message itself. Those of repeats are among them
	NearDuplicates []string // IDs of older records of the same space that were found and say nearly the same: the newest stands for them
	Score          float64  // the sum of the terms' Value × Weight
	Terms          []ScoreTerm
}

// A ScoreTerm is one reason of a score. The names: "words" (its own words), "near" (words of the messages around it), "vector",
// "time" (said when the question means), "recency", "importance", "affinity".
type ScoreTerm struct {
	Name   string
	Value  float64 // 0 to 1
	Weight float64
}

// Explain says how the score came about: "0.84 = words 0.80 × 1 + recency 0.82 × 0.05".
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

// Recall finds what the query asks for, best first; equal scores come in a fixed order, newer before older. It takes now because recency counts.
// Every hit was read from the store during this call, in the space that it is found in, and matches the query.
// A query without Text and Vector lists the newest records. A Vector that cannot be compared with those of the records gives [ErrVector].
//
// The score is the relevance, from 0 to 1, plus .5 where the text names a time ([when.Find]) and the record is of then, plus .05 × recency plus .1 × importance
// plus .05 × affinity; recency halves with every half-life. Relevance is the score by words over the best such score, or where vectors were
// compared .65 of it and .35 of the cosine over the best cosine. A text that names a time and asks for nothing else (昨天聊了什么) lists the newest of then.
//
// Of records of a space that say nearly the same the newest is the hit, unless the query asks for all: see [Hit.NearDuplicates].
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
	q, then := r.m.indexes.ask(ctx, q).when(now)
	if err := r.limit(ctx, &q); err != nil {
		return nil, fmt.Errorf("memory: recall: %w", err)
	}
	var found []found
	for _, s := range r.spaces {
		fs, err := r.m.indexes.find(ctx, s, q, then)
		if err != nil {
			return nil, fmt.Errorf("memory: recall: %w", err)
		}
		if len(found) == 0 {
			found = fs
		} else {
			found = append(found, fs...)
		}
	}
	hits := rank(now, r.m.o.HalfLife, q, found)
	for i := range hits {
		if err := r.mask(ctx, &hits[i]); err != nil {
			return nil, fmt.Errorf("memory: redact: %w", err)
		}
	}
	return hits, nil
}

// limit keeps what labels keep from the reader out of a query.
func (r *Reader) limit(ctx context.Context, q *Query) (err error) {
	if q.released, err = r.m.released(ctx); !r.all {
		q.from = r.spaces
	}
	return err
}

// Get reads the records that have these IDs, in the order of the reader's spaces, and in each in the order of ids. Unknown IDs are left out, and
// what Recall would not find. Their scores are 0.
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
		recs, err := r.m.indexes.skim(ctx, s, ids)
		if err != nil {
			return nil, fmt.Errorf("memory: get: %w", err)
		}
		for i := range recs {
			h := Hit{Record: recs[i]}
			if !q.readable(&h.Record) {
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

// mask passes a hit through the redactors.
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
