// Package vectorstore finds records with any vector store of langchaingo (pgvector, Qdrant, Milvus, Redis and others), as an index of a [memory.Memory]:
//
//	index, err := vectorstore.New(func(ctx context.Context, name string) (vectorstores.VectorStore, error) {
//		return pgvector.New(ctx,
//			pgvector.WithConn(pool),
//			pgvector.WithCollectionName("mybot_"+name),
//			pgvector.WithPreDeleteCollection(true), // an index begins empty
//			pgvector.WithEmbedder(vectorstore.Embedder{}))
//	}, vectorstore.Options{})
//	mem, err := memory.New(store, memory.Options{Embedder: embedder, EmbedderID: "bge-small-zh-v1.5", Indexes: []memory.Index{index}})
//	go mem.Run(ctx) // makes the vectors of what is kept
//
// Where a process has room for its vectors, memory/flat and memory/chromem are faster and exact; this is for those who run such a server anyway.
//
// # What the store gets
//
// Vectors of length 1, and for each a key of 32 hexadecimal digits as the text of a document. Neither words nor names, IDs, persons, tags or times leave
// the process. The vector goes through [Embedder], with which every store must be made; a store that has another is found out at the first record ([ErrWrongEmbedder]).
//
// None of its filters is used: some are open to injection, some are dropped without a word. Each space is a collection of its own, whose name is made of
// hexadecimal digits too, whatever the space is called; [Namespaces] serves stores that have namespaces instead.
//
// # What comes back
//
// Every document is checked against what this index knows: its key must belong to a record that lies in the space now, with the vector that it has now, and the
// record must match the query's fields. All else is dropped, so that one collection for all spaces, documents of others, and what could not be
// deleted do no harm but cost time: where too little is left, the store is asked for more, up to [Options].MaxAsk documents. Equal scores are ordered by time, newest first, then by
// ID, wherever the cut falls.
//
// # Forgetting
//
// langchaingo's interface has no deletion. Without [Options].Delete, [Index.Delete] returns [memory.ErrCannotForget]: the record is found no more, but its vector stays in the store. Vectors that
// were replaced stay there likewise.
//
// # Caveats
//
// The index is filled from the memory's store anew in every process, as all are, so the function given to [New] must return an empty collection. What a former process
// left is not answered, but takes up places. Give two beings on one server different names of collections.
//
// Approximate stores may miss what they should find, all the more where the fields of a query admit few. In memory about 300 bytes are kept for each record.
//
// # Concurrency
//
// All methods may be called concurrently, if the stores may. Writes to one space and its secret twin take turns; no lock is held while a store is asked.
package vectorstore
