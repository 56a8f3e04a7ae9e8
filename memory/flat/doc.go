// Package flat is an exact vector index for a [memory.Memory], fast even in large spaces:
//
//	mem, err := memory.New(store, memory.Options{
//		Embedder:   embedder, // any langchaingo embedder
//		EmbedderID: "bge-small-zh-v1.5",
//		Indexes:    []memory.Index{flat.New()},
//	})
//	go mem.Run(ctx) // embeds new records
//
// It needs no training and no tuning. Its scores equal those of a brute-force scan in float64, bit for bit, on every machine.
// Equal scores are ordered by ID.
//
// # Algorithm
//
// Each space stores its vectors twice in contiguous blocks: unchanged, and quantized to one byte per component of the unit vector.
// The quantization error of each vector is stored, too.
//
// A search first multiplies the quantized rows with the query. The result is a lower and an upper bound for each cosine. Then it
// computes the exact cosine of each vector with an upper bound above the k-th largest lower bound. Usually these are a few dozen
// vectors. With a thousand near duplicates it is all of them.
//
// The quantized products are integers. On amd64 with AVX2 they are computed in assembly, and otherwise in Go with equal
// results. The build tag purego disables the assembly. The filters of a query are applied before any multiplication.
//
// # Concurrency
//
// All methods may be called concurrently. A search uses a snapshot of its space, so searches and writers never wait for each
// other. A search over 16 MiB or more of quantized rows uses several goroutines, and all of them end before it returns.
//
// Writers are serialized in batches of 256 records. The records of a large Put thus become visible batch by batch.
//
// # Caveats
//
// A record takes 5 bytes per component plus about 300 bytes. Deleted records are never found again. Their memory is freed
// when half of their block (at most 8 MiB) is deleted.
//
// Quantization is poor for vectors with one component far larger than the others. Then more cosines are computed exactly, at up to
// .5 µs each for 384 components.
package flat
