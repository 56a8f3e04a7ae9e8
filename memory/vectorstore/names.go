package vectorstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/hearth-bot/hearth/memory"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
)

// nameOf is what a space's collection is called. Spaces are whatever people call their groups, and some stores write
// names into their queries as they are; they may also be nobody's business.
func nameOf(s memory.Space) string { return "hearth_" + digest([]byte(s)) }

// keyOf stands for a record with its vector in the store. It is the same in every process, so that a document which a former one left
// is either still right or unknown.
func keyOf(s memory.Space, id string, unit []float32) string {
	var b []byte
	for _, part := range [...]string{string(s), id} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	b, _ = binary.Append(b, binary.LittleEndian, unit) // floats always can
	return digest(b)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Namespaces serves a store that keeps namespaces apart, such as Pinecone or Weaviate, for [New]: each space gets one of its own.
// Not all stores know namespaces, and some ignore them: then all spaces lie together, which is safe and slower.
func Namespaces(store vectorstores.VectorStore) func(context.Context, string) (vectorstores.VectorStore, error) {
	return func(_ context.Context, name string) (vectorstores.VectorStore, error) {
		return namespace{store, name}, nil
	}
}

type namespace struct {
	store vectorstores.VectorStore
	name  string
}

func (n namespace) AddDocuments(ctx context.Context, docs []schema.Document, o ...vectorstores.Option) ([]string, error) {
	return n.store.AddDocuments(ctx, docs, append(slices.Clip(o), vectorstores.WithNameSpace(n.name))...)
}

func (n namespace) SimilaritySearch(ctx context.Context, query string, k int, o ...vectorstores.Option) ([]schema.Document, error) {
	return n.store.SimilaritySearch(ctx, query, k, append(slices.Clip(o), vectorstores.WithNameSpace(n.name))...)
}
