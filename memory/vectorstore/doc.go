// Package vectorstore turns any langchaingo vector store (pgvector, Qdrant, Milvus, Redis and others) into a vector index for a
// [memory.Memory]:
//
//	index, err := vectorstore.New(func(ctx context.Context, name string) (vectorstores.VectorStore, error) {
//		return pgvector.New(ctx,
//			pgvector.WithConn(pool),
//			pgvector.WithCollectionName("mybot_"+name),
//			pgvector.WithPreDeleteCollection(true), // an index starts empty
//			pgvector.WithEmbedder(vectorstore.Embedder{}))
//	}, vectorstore.Options{})
//	mem, err := memory.New(store, memory.Options{Embedder: embedder, EmbedderID: "bge-small-zh-v1.5", Indexes: []memory.Index{index}})
//	go mem.Run(ctx) // embeds new records
//
// Use it if you run such a server anyway. If the vectors fit into the memory of the process, memory/flat and memory/chromem are
// faster and exact.
//
// # Data sent to the store
//
// The store gets unit vectors. The text of each document is a key of 32 hexadecimal digits. Messages, names, IDs, tags and times do
// not leave the process. The vectors pass through [Embedder], so create every store with it. A store with another embedder fails
// at the first record with [ErrWrongEmbedder].
//
// The store's filters are not used, because some allow injection and others are silently ignored. Each space is a separate
// collection with a hashed name. For stores with namespaces, use [Namespaces].
//
// # Checks of results
//
// Each document in a result is checked. Its key must belong to a current record and vector of the space, and the record must match
// the query. All other documents are dropped. Foreign documents, vectors that could not be deleted, and one collection for all spaces are
// therefore safe, but they slow down searches. If too few documents remain, the search asks for more, up to [Options].MaxResults.
// Equal scores are ordered by time, newest first, then by ID.
//
// # Deletion
//
// langchaingo's interface cannot delete. Without [Options].Delete, [Index.Delete] returns [memory.ErrCannotDelete]. The record is no
// longer found, but its vector stays in the store. Replaced vectors stay there, too.
//
// # Concurrency
//
// All methods may be called concurrently if the stores allow it. Writes to one space and its secret counterpart are serialized. No
// mutex is held during calls of a store.
//
// # Caveats
//
// Like every index, it is filled from the memory's store in each process. The function passed to [New] must therefore return an empty collection.
// Documents of an earlier process are never returned, but use up results. Use different collection names for two bots
// on one server.
//
// Approximate stores may miss records, especially with selective filters. The index needs about 300 bytes of memory per record.
package vectorstore
