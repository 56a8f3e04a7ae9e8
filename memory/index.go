package memory

import "context"

// An Index proposes candidates in one space; a [Memory] ranks them and checks each against the store.
// It is built from records and can be rebuilt from them. All methods may be called concurrently.
// memorytest.TestIndex checks an implementation.
//
// An index may use words ([LexicalIndex]), vectors (memory/chromem) or anything else. It never calls an embedder:
// vectors come with the records and the query.
type Index interface {
	// Put adds or replaces records. What cannot be found by this index (no vector, say) replaces too: the former entry goes.
	// As in a store, a record put into a space leaves its twin.
	Put(ctx context.Context, recs ...Record) error

	// Delete removes records from one space. No ids: nothing is deleted. An index that cannot delete returns [ErrCannotDelete].
	Delete(ctx context.Context, s Space, ids ...string) error

	// Search returns at most k candidates of this space and no other, best first, ties in a fixed order.
	// It applies the fields of the query itself ([Query.Match]), so that k are found where k are.
	// More asked for than there are is no error, nor is a space that it does not know.
	// A query that it cannot answer (no text, or no vector) has no candidates.
	Search(ctx context.Context, s Space, q Query, k int) ([]Candidate, error)
}

// A Candidate is a record that an index proposes.
type Candidate struct {
	ID            string
	Score         float64 // more is better; comparable within one index
	NeighborScore float64 // the part of Score that comes from neighbouring records and not from this one
}
