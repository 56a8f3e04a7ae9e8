package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A Reader recalls from the spaces that it was made for and can name no other: it is a capability, handed to whoever may know.
// It can only be narrowed. It is immutable and may be used concurrently. The zero Reader reads nothing.
type Reader struct {
	m      *Memory
	spaces []Space // sorted, each once
}

// Reader reads these spaces. Secret spaces are dropped, however they are spelled: only an [Memory.OwnerReader] may name them.
func (m *Memory) Reader(spaces ...Space) *Reader {
	r := m.OwnerReader(spaces...)
	r.spaces = slices.DeleteFunc(r.spaces, Space.IsSecret)
	return r
}

// OwnerReader reads these spaces, secret ones where they are named. It is for the owner's own turns;
// nothing that a stranger reads may be made from what it finds.
func (m *Memory) OwnerReader(spaces ...Space) *Reader {
	spaces = slices.Clone(spaces)
	slices.Sort(spaces)
	spaces = slices.DeleteFunc(slices.Compact(spaces), func(s Space) bool { return s.Validate() != nil })
	return &Reader{m: m, spaces: spaces}
}

// Narrow reads those of the reader's spaces that are named. It never reads more than r.
func (r *Reader) Narrow(spaces ...Space) *Reader {
	both := slices.DeleteFunc(slices.Clone(r.spaces), func(s Space) bool { return !slices.Contains(spaces, s) })
	return &Reader{m: r.m, spaces: both}
}

// Spaces lists what the reader reads, sorted.
func (r *Reader) Spaces() []Space { return slices.Clone(r.spaces) }

// A Hit is a record that was found, and why.
type Hit struct {
	Record         // without its Vector; Sources of a message that has none is the message itself
	Score  float64 // the sum of the terms' Value × Weight
	Terms  []Term
}

// A Term is one reason of a score. The names: "words" (its own words), "near" (words of the messages around it), "vector",
// "recency", "importance".
type Term struct {
	Name   string
	Value  float64 // 0 to 1
	Weight float64
}

const (
	defaultLimit = 10
	maxLimit     = 1000
)

// Recall finds what the query asks for, best first; equal scores come in a fixed order, newer before older. It takes now because recency counts.
// Every hit was read from the store during this call, in the space that it is found in, and matches the query.
// A query without Text and Vector lists the newest records.
//
// The score is the relevance, from 0 to 1, plus .05 × recency plus .1 × importance; recency halves with every half-life.
// Relevance is the score by words over the best such score, or where vectors were compared .65 of it and .35 of the cosine over the best cosine.
func (r *Reader) Recall(ctx context.Context, now time.Time, q Query) ([]Hit, error) {
	if r == nil || r.m == nil || len(r.spaces) == 0 {
		return nil, ctx.Err()
	}
	q.Limit = min(max(cmp.Or(q.Limit, defaultLimit), 0), maxLimit)
	if q.Limit == 0 {
		return nil, ctx.Err()
	}
	q = r.m.ask(ctx, q)
	var found []found
	for _, s := range r.spaces {
		fs, err := r.m.candidates(ctx, s, q)
		if err != nil {
			return nil, fmt.Errorf("memory: recall: %w", err)
		}
		found = append(found, fs...)
	}
	return r.m.rank(now, q, found), nil
}

// found is a record of the truth with what the indexes said about it.
type found struct {
	Record
	words, near, vector float64
}

// candidates asks all indexes about one space, and the store about what they answer.
func (m *Memory) candidates(ctx context.Context, s Space, q Query) ([]found, error) {
	if err := m.load(ctx, s); err != nil {
		return nil, err
	}
	k := max(4*q.Limit, 40) // more than are returned: vectors and priors may lift the lower ones
	by := map[string]found{}
	var ids []string
	for i := -1; i < len(m.vectors); i++ {
		var x Index = m.words
		if i >= 0 {
			x = m.vectors[i]
		}
		cs, err := x.Search(ctx, s, q, k)
		if err != nil {
			if i < 0 || ctx.Err() != nil {
				return nil, err
			}
			m.o.Logger.WarnContext(ctx, "memory: an index failed, recall goes on without it", "space", string(s), "err", err)
			continue
		}
		for _, c := range cs {
			f, seen := by[c.ID]
			if !seen {
				ids = append(ids, c.ID)
			}
			if i < 0 {
				f.words, f.near = c.Score, c.Near
			} else {
				f.vector = max(f.vector, c.Score)
			}
			by[c.ID] = f
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	recs, err := m.store.Get(ctx, s, ids...)
	if err != nil {
		return nil, err
	}
	var fs []found
	for _, rec := range recs {
		f, asked := by[rec.ID]
		if !asked || rec.Space != s || !q.Match(&rec) {
			continue // an index may be stale, foreign or wrong; the record decides
		}
		rec.Vector = nil
		f.Record = rec
		fs = append(fs, f)
	}
	return fs, nil
}
