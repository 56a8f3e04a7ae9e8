package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tmc/langchaingo/embeddings"
)

// nameOf says what made a vector where the options do not.
func nameOf(e embeddings.Embedder) string {
	if named, ok := e.(interface{ ID() string }); ok {
		return named.ID()
	}
	return fmt.Sprintf("%T", e)
}

// comparable reports whether the record has a vector that this Memory may compare with others.
func (m *Memory) comparable(r *Record) bool {
	return len(r.Vector) > 0 && r.Embedder == m.o.EmbedderID
}

// fits reports whether a vector is as long as all others; the first decides.
func (m *Memory) fits(v []float32) bool {
	return m.dims.CompareAndSwap(0, int64(len(v))) || m.dims.Load() == int64(len(v))
}

// wants reports whether the embedder is to make a vector of a record.
func (m *Memory) wants(r *Record) bool {
	return m.o.Embedder != nil && !m.comparable(r) && strings.TrimSpace(r.Text) != ""
}

// list notes which records wait for a vector.
func (m *Memory) list(recs []Record) {
	var as []address
	for i := range recs {
		if m.wants(&recs[i]) {
			as = append(as, address{recs[i].Space.Plain(), recs[i].ID})
		}
	}
	m.backlog.add(as...)
}

// vectorise makes vectors of records of one space that lie in the store already, and returns how many got none: the embedder refuses their texts.
// It fails where the embedder refuses everything, or the store.
func (m *Memory) vectorise(ctx context.Context, recs []Record) (refused int, err error) {
	vectors, err := m.vectorsOf(ctx, recs)
	if err != nil {
		return 0, err
	}
	good := recs[:0:0]
	for i, r := range recs {
		if !ValidVector(vectors[i]) || !m.fits(vectors[i]) {
			continue
		}
		r.Vector, r.Embedder = vectors[i], m.o.EmbedderID
		good = append(good, r)
	}
	return len(recs) - len(good), m.adorn(ctx, good)
}

// vectorsOf asks the embedder for all at once, and one by one where it takes some texts and not others.
// What it refuses has no vector.
func (m *Memory) vectorsOf(ctx context.Context, recs []Record) ([][]float32, error) {
	texts := make([]string, len(recs))
	for i, r := range recs {
		texts[i] = searched(r.Text)
	}
	vectors, err := m.documents(ctx, texts)
	if err == nil {
		return vectors, nil
	}
	if _, down := m.documents(ctx, []string{"memory"}); down != nil { // does it refuse these texts, or does it not work?
		return nil, err
	}
	vectors = make([][]float32, len(texts))
	for i := range texts {
		if one, err := m.documents(ctx, texts[i:i+1]); err == nil {
			vectors[i] = one[0]
		}
	}
	return vectors, ctx.Err()
}

func (m *Memory) documents(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := m.o.Embedder.EmbedDocuments(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	if err != nil {
		return nil, fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, err)
	}
	return vectors, nil
}

// searched is how much of a text is searched.
func searched(text string) string {
	if len(text) <= maxIndexed {
		return text
	}
	n := maxIndexed
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// adorn stores the vectors of records of one space that are still there and still say the same.
func (m *Memory) adorn(ctx context.Context, recs []Record) error {
	if len(recs) == 0 {
		return nil
	}
	leave, err := m.rooms.enter(ctx, recs[:1])
	if err != nil {
		return err
	}
	defer leave()
	ids, by := make([]string, len(recs)), make(map[string]*Record, len(recs))
	for i := range recs {
		ids[i] = recs[i].ID
		by[recs[i].ID] = &recs[i]
	}
	now, err := m.store.Get(ctx, recs[0].Space, ids...)
	if err != nil {
		return fmt.Errorf("memory: embed: %w", err)
	}
	still := now[:0]
	for _, r := range now {
		if made := by[r.ID]; made != nil && made.Text == r.Text && m.wants(&r) {
			r.Vector, r.Embedder = made.Vector, made.Embedder
			still = append(still, r)
		}
	}
	if len(still) == 0 {
		return nil
	}
	if err := m.store.Put(ctx, still...); err != nil {
		return fmt.Errorf("memory: embed: %w", err)
	}
	if err := m.index(ctx, still); err != nil { // the store has the vectors: what is loaded next finds by them
		m.o.Logger.WarnContext(ctx, "memory: an index did not take vectors", "space", string(recs[0].Space), "err", err)
	}
	return nil
}

// ask completes a query with its vector. An embedder that fails costs recall, not the answer.
func (m *Memory) ask(ctx context.Context, q Query) Query {
	switch {
	case len(m.vectors) == 0:
		q.Vector = nil
	case q.Vector == nil && m.o.Embedder != nil && strings.TrimSpace(q.Text) != "":
		v, err := m.o.Embedder.EmbedQuery(ctx, searched(q.Text))
		if err == nil && !ValidVector(v) {
			err = errors.New("its vector is unusable")
		}
		if err != nil {
			m.o.Logger.WarnContext(ctx, "memory: recall by words alone", "err", err)
			return q
		}
		q.Vector = v
	}
	return q
}
