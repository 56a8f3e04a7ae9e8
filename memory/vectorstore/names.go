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

// nameOf returns the collection name of a space. It is a hash, because spaces may contain any characters, some stores
// put names into queries without escaping, and spaces may be private.
func nameOf(s memory.Space) string { return "hearth_" + digest([]byte(s)) }

// keyOf returns the key of a record with its vector. It is the same in every process, so a document of an earlier
// process is either still valid or unknown.
func keyOf(s memory.Space, id string, unit []float32) string {
	var b []byte
	for _, part := range [...]string{string(s), id} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	b, _ = binary.Append(b, binary.LittleEndian, unit) // cannot fail for floats
	return digest(b)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Namespaces adapts a store with namespaces, such as Pinecone or Weaviate, to [New]. Each space gets its own namespace.
// Some stores ignore namespaces. Then all spaces share a collection, which is safe but slower.
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
