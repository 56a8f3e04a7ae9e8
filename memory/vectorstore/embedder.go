package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tmc/langchaingo/embeddings"
)

// ErrWrongEmbedder means that a store was not made with [Embedder], or does not pass the context of the call to it.
var ErrWrongEmbedder = errors.New("the store does not use vectorstore.Embedder")

// Embedder passes the existing vectors of records to a store. It embeds nothing. Create every store of an [Index] with
// it, and use such a store for nothing else. The zero value is ready to use.
type Embedder struct{}

var _ embeddings.Embedder = Embedder{}

// EmbedDocuments implements [embeddings.Embedder].
func (Embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	g, _ := ctx.Value(callVectorsKey{}).(*callVectors)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := g.vector(text)
		if v == nil {
			return nil, fmt.Errorf("vectorstore: no vector for this text: %w", ErrWrongEmbedder)
		}
		out[i] = v
	}
	return out, nil
}

// EmbedQuery implements [embeddings.Embedder].
func (e Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vs, err := e.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// callVectors are the vectors of one call to a store, by document text.
type callVectors struct {
	vectors map[string][]float32
	used    atomic.Bool
}

type callVectorsKey struct{}

func (g *callVectors) vector(text string) []float32 {
	if g == nil {
		return nil
	}
	g.used.Store(true)
	return g.vectors[text]
}

// withVectors returns a context with vectors for a call to a store.
func withVectors(ctx context.Context, vectors map[string][]float32) (context.Context, *callVectors) {
	g := &callVectors{vectors: vectors}
	return context.WithValue(ctx, callVectorsKey{}, g), g
}
