package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Errors for callers that branch.
var (
	ErrInvalid      = errors.New("invalid record")          // an address, a value or a text that no store accepts
	ErrTooLong      = errors.New("text too long")           // longer than MaxText
	ErrVector       = errors.New("unusable vector")         // NaN, infinite, all zero, or of the wrong length
	ErrNotIndexed   = errors.New("stored, but not indexed") // the store has the records, but an index or the embedder failed
	ErrCannotDelete = errors.New("the index cannot delete") // from an Index; the store has deleted the records, and Recall no longer returns them
	ErrNotFound     = errors.New("no such record")          // from Hide, Reveal and others
	ErrTooMany      = errors.New("too many")                // the limit for this kind is reached
	ErrNoState      = errors.New("no State to store it in") // the store is no State, and Options.State is nil
)

// A Store is the source of truth. It keeps records by space, in order of arrival, and ranks nothing. All methods may be
// called concurrently. memorytest.TestStore checks an implementation.
type Store interface {
	// Put stores the records, all or none. They are durable when it returns. A record with a known ID replaces the old
	// one and keeps its place in the order. A space and its secret counterpart share their IDs: in the same step, a
	// record put into one is removed from the other, and keeps its place there, too. Put calls [Record.Validate].
	Put(ctx context.Context, recs ...Record) error

	// Delete durably removes the records with these IDs from the space. Without IDs it deletes nothing. It ignores
	// unknown IDs.
	Delete(ctx context.Context, s Space, ids ...string) error

	// Get returns the records with these IDs from the space, in the order of ids. It skips unknown IDs.
	Get(ctx context.Context, s Space, ids ...string) ([]Record, error)

	// Scan yields the records of a space with a Seq greater than after, in order of arrival. It holds no lock while it
	// yields, so the loop may call the store. Records put or deleted during the loop may or may not be seen. An error
	// comes last, with a zero Record.
	Scan(ctx context.Context, s Space, after uint64) iter.Seq2[Record, error]

	// Spaces lists the spaces that contain records, including secret ones, sorted.
	Spaces(ctx context.Context) ([]Space, error)
}

// A VectorlessGetter is a Store that can read records without their vectors. Vectors are the largest part of a record.
// [Reader.Recall] uses it if available.
type VectorlessGetter interface {
	// GetWithoutVectors is Get, but Vector is nil.
	GetWithoutVectors(ctx context.Context, s Space, ids ...string) ([]Record, error)
}

// A Tailer is a Store that can read the end of a space without scanning it. [Memory.Recent] uses it if available.
type Tailer interface {
	// Tail returns the last n records of this kind in order of arrival, oldest first.
	Tail(ctx context.Context, s Space, kind string, n int) ([]Record, error)
}

// A DerivedFinder is a Store that can find derived records without scanning a space.
type DerivedFinder interface {
	// FindDerived returns the IDs of the records of this space with one of these IDs among their Sources, in order of
	// arrival.
	FindDerived(ctx context.Context, s Space, sources ...string) ([]string, error)
}

// A Scrubber is a Store or State that can overwrite deleted data in its files. [Memory.ErasePerson] and
// [Memory.EraseSpace] call it at the end.
type Scrubber interface {
	Scrub(ctx context.Context) error
}

// A State stores small rows that must survive a restart. Keys follow the rules for addresses and are not empty. All
// methods may be called concurrently. memorytest.TestState checks an implementation.
type State interface {
	// Load returns copies of all rows with this key prefix, compared byte by byte. "" loads all.
	Load(ctx context.Context, prefix string) (map[string][]byte, error)

	// Apply writes the rows durably, all or none. A nil value deletes its row. An empty value is stored.
	Apply(ctx context.Context, rows map[string][]byte) error
}

// A Transactor is a Store and a State that can write records and rows in one transaction. [Memory.Endorse],
// [Memory.Declassify] and [Memory.Revoke] use it if available.
type Transactor interface {
	// PutApply is Put and Apply in one step, all or none.
	PutApply(ctx context.Context, rows map[string][]byte, recs ...Record) error
}

// A Restorer is a Store that can take over the records of another store with their Seq. A copy needs that, because rows of a
// [State] name records by their Seq.
type Restorer interface {
	// LastSeq returns a number that is not below the Seq of any record, also of a deleted one.
	LastSeq(ctx context.Context) (uint64, error)

	// Restore stores records with their Seq, all or none. Each later record gets a Seq above last, which is the LastSeq of the
	// other store. A record whose Seq is 0, above last, or that of another record, is an error.
	Restore(ctx context.Context, last uint64, recs ...Record) error
}

// ValidateKey checks whether a State may accept the key: 1 to [MaxAddress] bytes of UTF-8 without NUL. The error
// matches [ErrInvalid]. Every [State] calls it before it writes.
func ValidateKey(key string) error {
	if key == "" {
		return fmt.Errorf("memory: empty key: %w", ErrInvalid)
	}
	return validAddress("key", key)
}
