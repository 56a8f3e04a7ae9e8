package vectorstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tmc/langchaingo/embeddings"
)

// ErrWrongEmbedder means that a store was not made with [Embedder], or does not hand it the context that it was called with.
var ErrWrongEmbedder = errors.New("the store does not use vectorstore.Embedder")

// Embedder hands a store the vectors that records have already; it makes none. Give it to every store that an [Index] uses, and use such a store for nothing else.
// The zero value is ready, and all are the same.
type Embedder struct{}

var _ embeddings.Embedder = Embedder{}

// EmbedDocuments implements [embeddings.Embedder].
func (Embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	g, _ := ctx.Value(givenKey{}).(*given)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := g.vector(text)
		if v == nil {
			return nil, fmt.Errorf("vectorstore: no vector for what was asked: %w", ErrWrongEmbedder)
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

// given are the vectors of one call to a store, by the text that stands for each.
type given struct {
	vectors map[string][]float32
	used    atomic.Bool
}

type givenKey struct{}

func (g *given) vector(text string) []float32 {
	if g == nil {
		return nil
	}
	g.used.Store(true)
	return g.vectors[text]
}

// give returns a context with vectors for the store that is called with it.
func give(ctx context.Context, vectors map[string][]float32) (context.Context, *given) {
	g := &given{vectors: vectors}
	return context.WithValue(ctx, givenKey{}, g), g
}
