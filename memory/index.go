package memory

import "context"

// An Index proposes search candidates in one space. A [Memory] checks each candidate against the store and ranks them.
// An index can be rebuilt from the records. All methods may be called concurrently. memorytest.TestIndex checks an
// implementation.
//
// An index may search words ([LexicalIndex]), vectors (memory/flat, memory/chromem) or anything else. It never calls an
// embedder: records and queries bring their vectors.
type Index interface {
	// Put adds or replaces records. A record that this index cannot search, such as one without a vector, removes the
	// old entry. As in a store, a record put into a space is removed from the counterpart.
	Put(ctx context.Context, recs ...Record) error

	// Delete removes records from one space. Without IDs it deletes nothing. An index that cannot delete returns
	// [ErrCannotDelete].
	Delete(ctx context.Context, s Space, ids ...string) error

	// Search returns at most k candidates of this space, best first, with ties in a fixed order. It applies the filters
	// of the query ([Query.Match]) first, so that it returns k candidates if k match. A k that is too large and an
	// unknown space are no errors. A query without the needed text or vector has no candidates.
	Search(ctx context.Context, s Space, q Query, k int) ([]Candidate, error)
}

// A Candidate is a record proposed by an index.
type Candidate struct {
	ID            string
	Score         float64 // higher is better; comparable within one index only
	NeighborScore float64 // part of Score that comes from neighboring records
}
