// Package chromem is a vector index for a [memory.Memory], based on chromem-go:
//
//	mem, err := memory.New(store, memory.Options{
//		Embedder:   embedder, // any langchaingo embedder
//		EmbedderID: "bge-small-zh-v1.5",
//		Indexes:    []memory.Index{chromem.New()},
//	})
//	go mem.Run(ctx) // embeds new records
//
// The search is exact. It is fast enough for spaces of about ten thousand records: 4 ms at 10 000 × 384 on two cores.
// Use memory/flat for larger ones.
//
// # Use of chromem-go
//
// Each space is a collection in memory, loaded from the store. Nothing is written to files, because a crash during a write leaves
// files that chromem-go cannot read. A document has only an ID and a vector, without text and metadata.
//
// chromem-go's filters are not used. This package applies the filters of a query itself before it picks the best records.
// chromem-go's default embedding function would send texts to OpenAI. Collections get a function that always fails instead.
//
// Vectors are copied and normalized. A vector that is NaN, infinite, all zero or of the wrong length is rejected with
// [memory.ErrVector]. Equal scores are ordered by time, newest first, then by ID.
//
// # Concurrency
//
// All methods may be called concurrently. Searches of a space run in parallel. A writer waits for running searches in its own space
// only.
package chromem
