package memorytest

import "context"

// An Embedder is an offline embeddings.Embedder for tests. It returns the vectors of [Vector]. The zero value is ready
// to use. It may be used concurrently.
type Embedder struct{}

// EmbedDocuments returns the [Vector] of each text.
func (Embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	vs := make([][]float32, len(texts))
	for i, text := range texts {
		vs[i] = Vector(text)
	}
	return vs, ctx.Err()
}

// EmbedQuery returns the [Vector] of a text.
func (Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return Vector(text), ctx.Err()
}
