// Package chromem finds records by vectors, with chromem-go, as an index of a [memory.Memory]:
//
//	mem, err := memory.New(store, memory.Options{
//		Embedder:   embedder, // any of langchaingo
//		EmbedderID: "bge-small-zh-v1.5",
//		Indexes:    []memory.Index{chromem.New()},
//	})
//	go mem.Run(ctx) // makes the vectors of what is kept
//
// It is exact, and fast enough for spaces of some ten thousand records (4 ms at 10 000 × 384 on two cores).
//
// # How chromem-go is used
//
// Each space is a collection in memory, filled from the store; nothing is written to files, since a process that dies while
// chromem-go writes leaves files that it cannot read again. Documents are an ID and a vector: neither text nor metadata enters, and
// none of chromem-go's filters is used. The fields of a query are applied here, on every document that could count, before the best are picked.
// Its default embedding function, which sends text to OpenAI, is never reached: collections get one that only fails.
//
// Vectors are copied and brought to length 1; one that is NaN, infinite, all zero or of another length than the first of its space
// is refused with [memory.ErrVector]. Equal scores are ordered by time, newest first, then by ID, wherever the cut falls.
//
// # Concurrency
//
// All methods may be called concurrently. Searches of a space run side by side; a writer waits for those that run, in that space only.
package chromem
