package memory

import (
	"context"
	"fmt"
	"strings"
)

// comparable reports whether the record has a vector that this Memory may compare with others.
func (m *Memory) comparable(r *Record) bool {
	return len(r.Vector) > 0 && r.Embedder == m.o.EmbedderID
}

// fits reports whether a vector is as long as all others; the first decides.
func (m *Memory) fits(v []float32) bool {
	return m.dims.CompareAndSwap(0, int64(len(v))) || m.dims.Load() == int64(len(v))
}

// embed gives vectors to records that lie in the store already: a slow or broken embedder never keeps a message from being kept.
func (m *Memory) embed(ctx context.Context, recs []Record) error {
	if m.o.Embedder == nil {
		return nil
	}
	var want []Record
	var texts []string
	for _, r := range recs {
		if !m.comparable(&r) && strings.TrimSpace(r.Text) != "" {
			want, texts = append(want, r), append(texts, r.Text)
		}
	}
	if len(want) == 0 {
		return nil
	}
	vectors, err := m.o.Embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, err)
	}
	if len(vectors) != len(want) {
		return fmt.Errorf("memory: embed: %d vectors for %d texts: %w", len(vectors), len(want), ErrNotIndexed)
	}
	var bad error
	good := want[:0]
	for i, r := range want {
		if !ValidVector(vectors[i]) || !m.fits(vectors[i]) {
			bad = fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, ErrVector)
			continue
		}
		r.Vector, r.Embedder = vectors[i], m.o.EmbedderID
		good = append(good, r)
	}
	if err := m.adorn(ctx, good); err != nil {
		return err
	}
	return bad
}

// adorn stores the vectors of records that are still there and still say the same.
func (m *Memory) adorn(ctx context.Context, recs []Record) error {
	leave, err := m.rooms.enter(ctx, recs)
	if err != nil {
		return fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, err)
	}
	defer leave()
	var still []Record
	for _, r := range recs {
		now, err := m.store.Get(ctx, r.Space, r.ID)
		if err != nil {
			return fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, err)
		}
		if len(now) == 1 && now[0].Text == r.Text {
			now[0].Vector, now[0].Embedder = r.Vector, r.Embedder
			still = append(still, now[0])
		}
	}
	if len(still) == 0 {
		return nil
	}
	if err := m.store.Put(ctx, still...); err != nil {
		return fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, err)
	}
	return m.index(ctx, still)
}

// ask completes a query with its vector. An embedder that fails costs recall, not the answer.
func (m *Memory) ask(ctx context.Context, q Query) Query {
	switch {
	case len(m.vectors) == 0:
		q.Vector = nil
	case q.Vector == nil && m.o.Embedder != nil && strings.TrimSpace(q.Text) != "":
		v, err := m.o.Embedder.EmbedQuery(ctx, q.Text)
		if err != nil {
			m.o.Logger.WarnContext(ctx, "memory: recall by words alone", "err", err)
			return q
		}
		q.Vector = v
	}
	return q
}
