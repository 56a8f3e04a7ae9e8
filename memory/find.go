package memory

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory/when"
)

// A found is a record of the store with its index scores.
type found struct {
	*Record             // exclusively owned
	words, near, vector float64
	inSpan              bool     // within the time span of the query
	duplicates          []string // IDs of older near duplicates
	merged              bool     // merged into another record
}

// find searches one space in all indexes and reads the candidates from the store. If most of them are near duplicates,
// it asks for more candidates.
func (x *indexes) find(ctx context.Context, s Space, q Query, span when.Span) ([]found, error) {
	if err := x.load(ctx, s); err != nil {
		return nil, err
	}
	const most = 16
	least := max(4*q.Limit, 40) // more than Limit, because vectors and priors may raise lower candidates
	for k := least; ; k *= 4 {
		p := proposals{byID: make(map[string]int, 2*k), list: make([]proposal, 0, 2*k)}
		if err := x.searchAll(ctx, &p, s, q, span, k); err != nil {
			return nil, err
		}
		fs, err := x.verify(ctx, &p, s, q, span)
		if err != nil || q.KeepDuplicates || !q.isSearch() {
			return fs, err
		}
		if fs = mergeDuplicates(fs, x.words.sketches(s, fs)); len(fs) >= q.Limit || !p.more || k >= most*least {
			return fs, nil
		}
	}
}

// proposals are the candidates of all indexes, each ID once.
type proposals struct {
	byID map[string]int // positions in list
	list []proposal
	more bool // an index returned as many as requested
}

type proposal struct {
	id                  string
	words, near, vector float64
}

func (p *proposals) get(id string) *proposal {
	i, ok := p.byID[id]
	if !ok {
		i = len(p.list)
		p.byID[id], p.list = i, append(p.list, proposal{id: id})
	}
	return &p.list[i]
}

// searchAll searches all indexes. With a time span it searches within the span, too.
func (x *indexes) searchAll(ctx context.Context, p *proposals, s Space, q Query, span when.Span, k int) error {
	best, inSpan, err := x.words.searchSpan(ctx, s, &q, span, k)
	if err != nil {
		return err
	}
	p.addWords(best, k)
	p.addWords(inSpan, k)
	if err := x.searchVectors(ctx, p, s, q, k); err != nil || span == (when.Span{}) {
		return err
	}
	q.Since, q.Until = span.Since, span.Until
	return x.searchVectors(ctx, p, s, q, k)
}

// addWords adds the candidates of the word search.
func (p *proposals) addWords(cs []Candidate, k int) {
	p.more = p.more || len(cs) >= k
	for _, c := range cs {
		f := p.get(c.ID)
		f.words, f.near = c.Score, c.NeighborScore
	}
}

// searchVectors adds the candidates of the vector indexes.
func (x *indexes) searchVectors(ctx context.Context, p *proposals, s Space, q Query, k int) error {
	for _, v := range x.vectors {
		cs, err := v.Search(ctx, s, q, k)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			x.logger.WarnContext(ctx, "memory: an index failed, recall continues without it", "space", string(s), "err", err)
			continue
		}
		p.more = p.more || len(cs) >= k
		for _, c := range cs {
			f := p.get(c.ID)
			f.vector = max(f.vector, c.Score)
		}
	}
	return nil
}

// verify reads the candidates from the store and drops those that do not match. An index may be stale or wrong.
func (x *indexes) verify(ctx context.Context, p *proposals, s Space, q Query, span when.Span) ([]found, error) {
	if len(p.list) == 0 {
		return nil, nil
	}
	ids := make([]string, len(p.list))
	for i := range p.list {
		ids[i] = p.list[i].id
	}
	recs, err := x.getWithoutVectors(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	fs := make([]found, 0, len(recs))
	for i := range recs {
		r := &recs[i]
		at, proposed := p.byID[r.ID]
		if !proposed || r.Space != s || !q.Match(r) || !q.readableBy(r) {
			continue
		}
		f := &p.list[at]
		fs = append(fs, found{Record: r, words: f.words, near: f.near, vector: f.vector, inSpan: span.Contains(r.At)})
	}
	return fs, nil
}

// getWithoutVectors reads records of a space without their vectors.
func (x *indexes) getWithoutVectors(ctx context.Context, s Space, ids []string) ([]Record, error) {
	if sk, ok := x.store.(VectorlessGetter); ok {
		return sk.GetWithoutVectors(ctx, s, ids...)
	}
	recs, err := x.store.Get(ctx, s, ids...)
	for i := range recs {
		recs[i].Vector = nil
	}
	return recs, err
}

// embedQuery adds the vector to a query. If the embedder fails, recall uses words only.
func (x *indexes) embedQuery(ctx context.Context, q Query) Query {
	switch {
	case len(x.vectors) == 0:
		q.Vector = nil
	case q.Vector == nil && x.embed.Embedder != nil && strings.TrimSpace(q.Text) != "":
		v, err := x.embed.EmbedQuery(ctx, clip.Bytes(q.Text, maxIndexed))
		if err == nil && !ValidVector(v) {
			err = errors.New("its vector is unusable")
		}
		if ctx.Err() == nil {
			x.embed.outcome.note(time.Now(), err)
		}
		if err != nil {
			x.logger.WarnContext(ctx, "memory: embedding the query failed, recall uses words only", "err", err)
			return q
		}
		q.Vector = v
	}
	return q
}
