package memory

import (
	"context"
	"errors"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory/when"
)

// found is a record of the truth with what the indexes said about it.
type found struct {
	*Record             // nobody else has it
	words, near, vector float64
	then                bool     // of the time that was asked for
	same                []string // IDs of what it stands for
	folded              bool     // something else stands for it
}

// find asks all indexes about one space, and the store about what they answer. Where most of it says the same it asks for more.
func (x *indexes) find(ctx context.Context, s Space, q Query, then when.Span) ([]found, error) {
	if err := x.load(ctx, s); err != nil {
		return nil, err
	}
	const most = 16
	least := max(4*q.Limit, 40) // more than are returned: vectors and priors may lift the lower ones
	for k := least; ; k *= 4 {
		p := proposals{by: make(map[string]int, 2*k), list: make([]proposal, 0, 2*k)}
		if err := x.propose(ctx, &p, s, q, then, k); err != nil {
			return nil, err
		}
		fs, err := x.check(ctx, &p, s, q, then)
		if err != nil || q.KeepDuplicates || !q.asks() {
			return fs, err
		}
		if fs = foldRepeats(fs, x.words.gists(s, fs)); len(fs) >= q.Limit || !p.more || k >= most*least {
			return fs, nil
		}
	}
}

// proposals are what indexes answered, each ID once.
type proposals struct {
	by   map[string]int // places in list
	list []proposal
	more bool // an index gave as many as it was asked for
}

type proposal struct {
	id                  string
	words, near, vector float64
}

func (p *proposals) of(id string) *proposal {
	i, ok := p.by[id]
	if !ok {
		i = len(p.list)
		p.by[id], p.list = i, append(p.list, proposal{id: id})
	}
	return &p.list[i]
}

// propose asks the indexes. Where a time is asked for they are asked about it, too.
func (x *indexes) propose(ctx context.Context, p *proposals, s Space, q Query, then when.Span, k int) error {
	best, ofThen, err := x.words.searchThen(ctx, s, &q, then, k)
	if err != nil {
		return err
	}
	p.words(best, k)
	p.words(ofThen, k)
	if err := x.angles(ctx, p, s, q, k); err != nil || then == (when.Span{}) {
		return err
	}
	q.Since, q.Until = then.Since, then.Until
	return x.angles(ctx, p, s, q, k)
}

// words enters what words found.
func (p *proposals) words(cs []Candidate, k int) {
	p.more = p.more || len(cs) >= k
	for _, c := range cs {
		f := p.of(c.ID)
		f.words, f.near = c.Score, c.NeighborScore
	}
}

// angles asks the indexes of vectors.
func (x *indexes) angles(ctx context.Context, p *proposals, s Space, q Query, k int) error {
	for _, v := range x.vectors {
		cs, err := v.Search(ctx, s, q, k)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			x.logger.WarnContext(ctx, "memory: an index failed, recall goes on without it", "space", string(s), "err", err)
			continue
		}
		p.more = p.more || len(cs) >= k
		for _, c := range cs {
			f := p.of(c.ID)
			f.vector = max(f.vector, c.Score)
		}
	}
	return nil
}

// check reads what was proposed from the store: an index may be stale, foreign or wrong; the record decides.
func (x *indexes) check(ctx context.Context, p *proposals, s Space, q Query, then when.Span) ([]found, error) {
	if len(p.list) == 0 {
		return nil, nil
	}
	ids := make([]string, len(p.list))
	for i := range p.list {
		ids[i] = p.list[i].id
	}
	recs, err := x.skim(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	fs := make([]found, 0, len(recs))
	for i := range recs {
		r := &recs[i]
		at, proposed := p.by[r.ID]
		if !proposed || r.Space != s || !q.Match(r) || !q.readable(r) {
			continue
		}
		f := &p.list[at]
		fs = append(fs, found{Record: r, words: f.words, near: f.near, vector: f.vector, then: then.Contains(r.At)})
	}
	return fs, nil
}

// skim reads records of a space without their vectors.
func (x *indexes) skim(ctx context.Context, s Space, ids []string) ([]Record, error) {
	if sk, ok := x.store.(VectorlessGetter); ok {
		return sk.GetWithoutVectors(ctx, s, ids...)
	}
	recs, err := x.store.Get(ctx, s, ids...)
	for i := range recs {
		recs[i].Vector = nil
	}
	return recs, err
}

// ask completes a query with its vector. An embedder that fails costs recall, not the answer.
func (x *indexes) ask(ctx context.Context, q Query) Query {
	switch {
	case len(x.vectors) == 0:
		q.Vector = nil
	case q.Vector == nil && x.embed.Embedder != nil && strings.TrimSpace(q.Text) != "":
		v, err := x.embed.EmbedQuery(ctx, clip.Bytes(q.Text, maxIndexed))
		if err == nil && !ValidVector(v) {
			err = errors.New("its vector is unusable")
		}
		if err != nil {
			x.logger.WarnContext(ctx, "memory: recall by words alone", "err", err)
			return q
		}
		q.Vector = v
	}
	return q
}
