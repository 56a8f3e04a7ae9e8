package memory

import (
	"cmp"
	"context"
	"fmt"
	"math"
)

// A Hashed is an Embedder (of langchaingo) without network, weights or dictionary: each word and piece of a word that [Lexical] would
// look for is hashed to one component, up or down, and the vector is brought to length 1.
//
// It is weak: it knows no meaning, so that texts are alike only where their letters are, and it finds less than words do by themselves, the less
// the fewer components it has. It is there so that a store of vectors can be tried and tested offline. With it recall is not better than without any embedder.
// The zero value makes vectors of 1024 components. It may be used concurrently.
type Hashed struct {
	Dims int // components; 0 means 1024
}

// ID names the embedder in records: vectors of another length are another embedder's.
func (h Hashed) ID() string { return fmt.Sprintf("hearth-hashed-%d", h.dims()) }

func (h Hashed) dims() int { return cmp.Or(max(h.Dims, 0), 1024) }

// EmbedDocuments makes a vector of each text.
func (h Hashed) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var b bag
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = h.embed(&b, text)
	}
	return vectors, nil
}

// EmbedQuery makes a vector of one text.
func (h Hashed) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return h.embed(new(bag), text), ctx.Err()
}

// embed adds up the terms of a text. A term that comes again counts less; a text without any has a vector all the same.
func (h Hashed) embed(b *bag, text string) []float32 {
	v := make([]float32, h.dims())
	b.terms(text, "")
	for _, f := range [...]struct {
		terms  []uint64
		weight float64
	}{{b.words, 1}, {b.pieces, .5}} {
		count(f.terms, func(term uint64, n int) {
			x := scatter(term)
			w := float32(f.weight * (1 + math.Log(float64(n))))
			if x>>63 != 0 {
				w = -w
			}
			v[x%uint64(len(v))] += w
		})
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0] = 1
		return v
	}
	for i, x := range v {
		v[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return v
}

// scatter is the finalizer of splitmix64: glyphs that stand side by side in Unicode fall far apart.
func scatter(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
