package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// What can go wrong, for callers that branch.
var (
	ErrInvalid      = errors.New("invalid record")            // an address, a value or a text that no store takes
	ErrTooLong      = errors.New("text too long")             // beyond MaxText
	ErrVector       = errors.New("unusable vector")           // NaN, infinite, all zero, or of another length than its neighbours
	ErrNotIndexed   = errors.New("kept, but not indexed")     // the store has the records; an index failed, or the embedder
	ErrCannotDelete = errors.New("the index has no deletion") // from an Index; the store has forgotten all the same
	ErrNotFound     = errors.New("no such record")            // Hide and Reveal of what is not there
	ErrTooMany      = errors.New("no room for more")          // of a kind that has a bound
	ErrNoState      = errors.New("no state to keep it in")    // the store is no State, and Options.State is nil
)

// A Store is the truth: records by space, in order of arrival. It ranks nothing.
// All methods may be called concurrently. memorytest.TestStore checks an implementation.
type Store interface {
	// Put keeps the records, all or none, and they are durable when it returns. A record put again
	// replaces the former one and keeps its place. A space and its secret twin share their IDs: a record
	// put into the one leaves the other in the same step, and keeps its place too. Put calls [Record.Validate].
	Put(ctx context.Context, recs ...Record) error

	// Delete removes the records with these IDs from this space, durably. No IDs: nothing is deleted.
	// IDs that are not there are no error.
	Delete(ctx context.Context, s Space, ids ...string) error

	// Get returns the records of this space that have these IDs, in the order of ids; unknown IDs are left out.
	Get(ctx context.Context, s Space, ids ...string) ([]Record, error)

	// Scan yields the records of a space in order of arrival, those whose Seq is greater than after.
	// It holds no lock while it yields: the loop may call the store. Records put or deleted meanwhile may or may not be seen.
	// An error comes last, with a zero Record.
	Scan(ctx context.Context, s Space, after uint64) iter.Seq2[Record, error]

	// Spaces lists the spaces that hold records, secret ones too, sorted.
	Spaces(ctx context.Context) ([]Space, error)
}

// A VectorlessGetter is a Store that reads records without their vectors, which are most of them. [Reader.Recall] uses it where there is one.
type VectorlessGetter interface {
	// GetWithoutVectors is Get, but for Vector, which is nil.
	GetWithoutVectors(ctx context.Context, s Space, ids ...string) ([]Record, error)
}

// A Tailer is a Store that finds the end of a space without reading all of it. [Memory.Recent] uses it where there is one.
type Tailer interface {
	// Tail returns the last n records of this kind in order of arrival, oldest first.
	Tail(ctx context.Context, s Space, kind string, n int) ([]Record, error)
}

// A DerivedFinder is a Store that finds what was made of records without reading all of a space.
type DerivedFinder interface {
	// FindDerived returns the IDs of the records of this space that have one of these IDs among their Sources, in order of arrival.
	FindDerived(ctx context.Context, s Space, sources ...string) ([]string, error)
}

// A Scrubber is a Store or State that can make sure that nothing of what was deleted is left in its files.
// [Memory.ErasePerson] and [Memory.EraseSpace] end with it where there is one.
type Scrubber interface {
	Scrub(ctx context.Context) error
}

// A State keeps small rows: what a being must know again after a restart. Keys are like addresses, not empty.
// All methods may be called concurrently. memorytest.TestState checks an implementation.
type State interface {
	// Load returns copies of all rows whose key begins with prefix, byte by byte; "" means all.
	Load(ctx context.Context, prefix string) (map[string][]byte, error)

	// Apply writes the rows, all or none, durably. A nil value deletes its row; an empty one is a value.
	Apply(ctx context.Context, rows map[string][]byte) error
}

// A Transactor is a Store and a State that writes records and rows together. [Memory.Endorse] and its like use it where there is one.
type Transactor interface {
	// PutApply is Put and Apply in one step: all or none.
	PutApply(ctx context.Context, rows map[string][]byte, recs ...Record) error
}

// ValidateKey tells whether a State may take the key: not empty, at most [MaxAddress] bytes of UTF-8 without NUL.
// The error matches [ErrInvalid]. Every [State] calls it before it writes anything.
func ValidateKey(key string) error {
	if key == "" {
		return fmt.Errorf("memory: empty key: %w", ErrInvalid)
	}
	return validAddress("key", key)
}
