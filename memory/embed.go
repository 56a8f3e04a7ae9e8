package memory

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/tmc/langchaingo/embeddings"
)

// An embedder embeds records.
type embedder struct {
	embeddings.Embedder // nil: none
	id                  string
	dims                atomic.Int64 // length of its vectors; 0 before the first
	backlog             *backlog
	outcome             embedOutcome
}

// comparable reports whether the record has a vector of this embedder.
func (e *embedder) comparable(r *Record) bool {
	return len(r.Vector) > 0 && r.Embedder == e.id
}

// fits reports whether a vector has the common length. The first vector sets it.
func (e *embedder) fits(v []float32) bool {
	return e.dims.CompareAndSwap(0, int64(len(v))) || e.dims.Load() == int64(len(v))
}

// needsVector reports whether the record should be embedded.
func (e *embedder) needsVector(r *Record) bool {
	return e.Embedder != nil && r.searched() && !e.comparable(r) && strings.TrimSpace(r.Text) != ""
}

// enqueue lists the records that need a vector.
func (e *embedder) enqueue(recs []Record) {
	var as []recordKey
	for i := range recs {
		if e.needsVector(&recs[i]) {
			as = append(as, recordKey{recs[i].Space.Base(), recs[i].ID})
		}
	}
	e.backlog.add(as...)
}

// embedTexts embeds all texts in one call. If that fails, it embeds them one by one. A rejected text has a nil vector.
func (e *embedder) embedTexts(ctx context.Context, recs []Record) ([][]float32, error) {
	texts := make([]string, len(recs))
	for i, r := range recs {
		texts[i] = clip.Bytes(r.Text, maxIndexed)
	}
	vectors, err := e.documents(ctx, texts)
	if err == nil {
		e.outcome.note(time.Now(), nil)
		return vectors, nil
	}
	if _, down := e.documents(ctx, []string{"memory"}); down != nil { // are these texts rejected, or is the embedder down?
		if ctx.Err() == nil {
			e.outcome.note(time.Now(), err)
		}
		return nil, err
	}
	e.outcome.note(time.Now(), nil)
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
