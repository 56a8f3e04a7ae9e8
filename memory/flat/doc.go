// Package flat finds records by vectors, exactly, as an index of a [memory.Memory] whose spaces are large:
//
//	mem, err := memory.New(store, memory.Options{
//		Embedder:   embedder, // any of langchaingo
//		EmbedderID: "bge-small-zh-v1.5",
//		Indexes:    []memory.Index{flat.New()},
//	})
//	go mem.Run(ctx) // makes the vectors of what is kept
//
// It needs no training and no tuning, and answers the same on every machine: the scores are those of a plain scan in float64,
// bit for bit, and equal scores are ordered by ID.
//
// # How it finds
//
// Each space has its vectors in blocks of contiguous rows, twice: as given, and coarse, one byte for each component of the vector brought to
// length 1, with how far that is from the truth. A search multiplies the coarse rows with the query, which gives for each cosine
// a least and a most that it can be, and then computes from the given vectors every cosine whose most reaches the k-th largest least.
// How many these are depends on the vectors: mostly some dozens; all of a thousand near duplicates.
//
// Products of coarse rows are integers. On amd64 with AVX2 a short kernel in assembly computes them, elsewhere (and with the build
// tag purego) Go does; both give the same. The fields of a query are applied before anything is multiplied.
//
// # Concurrency
//
// All methods may be called concurrently. A search sees its space as it was at one moment; it waits for nobody and nobody waits for it.
// One over 16 MiB of coarse rows and more runs on several goroutines, which have ended when it returns. Writers take turns, some
// hundred records at a time, so that the records of a large Put appear portion by portion.
//
// # Caveats
//
// A record takes 5 bytes for each component and about 300 more. What is deleted is never found again, but its vector is given back only when half of its block
// (at most 8 MiB) is gone. Vectors of which one component is far larger than all others have coarse rows that tell little:
// more of them are computed exactly, at up to .5 µs each for 384 components.
package flat
