package memory

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/tmc/langchaingo/embeddings"
)

// An embedder makes vectors of records.
type embedder struct {
	embeddings.Embedder // nil: none
	id                  string
	dims                atomic.Int64 // length of its vectors; 0 until the first
	backlog             *backlog
}

// comparable reports whether the record has a vector that may be compared with others.
func (e *embedder) comparable(r *Record) bool {
	return len(r.Vector) > 0 && r.Embedder == e.id
}

// fits reports whether a vector is as long as all others; the first decides.
func (e *embedder) fits(v []float32) bool {
	return e.dims.CompareAndSwap(0, int64(len(v))) || e.dims.Load() == int64(len(v))
}

// wants reports whether the embedder is to make a vector of a record.
func (e *embedder) wants(r *Record) bool {
	return e.Embedder != nil && !e.comparable(r) && strings.TrimSpace(r.Text) != ""
}

// list notes which records wait for a vector.
func (e *embedder) list(recs []Record) {
	var as []address
	for i := range recs {
		if e.wants(&recs[i]) {
			as = append(as, address{recs[i].Space.Base(), recs[i].ID})
		}
	}
	e.backlog.add(as...)
}

// vectorsOf asks the embedder for all at once, and one by one where it takes some texts and not others.
// What it refuses has no vector.
func (e *embedder) vectorsOf(ctx context.Context, recs []Record) ([][]float32, error) {
	texts := make([]string, len(recs))
	for i, r := range recs {
		texts[i] = clip.Bytes(r.Text, maxIndexed)
	}
	vectors, err := e.documents(ctx, texts)
	if err == nil {
		return vectors, nil
	}
	if _, down := e.documents(ctx, []string{"memory"}); down != nil { // does it refuse these texts, or does it not work?
		return nil, err
	}
	vectors = make([][]float32, len(texts))
	for i := range texts {
		if one, err := e.documents(ctx, texts[i:i+1]); err == nil {
			vectors[i] = one[0]
		}
	}
	return vectors, ctx.Err()
}

func (e *embedder) documents(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Embedder.EmbedDocuments(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	if err != nil {
		return nil, fmt.Errorf("memory: embed: %w: %w", ErrNotIndexed, err)
	}
	return vectors, nil
}
