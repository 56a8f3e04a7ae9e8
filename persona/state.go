package persona

import "context"

// A State is a durable key-value store for small rows. memory.MemStore and memory/sqlite.DB implement it. Any database
// with transactions can implement it.
type State interface {
	// Load returns all rows with this key prefix. The caller owns the values.
	Load(ctx context.Context, prefix string) (map[string][]byte, error)
	// Apply writes all rows in one transaction. The data must be on disk when it returns nil. A nil value deletes the
	// row.
	Apply(ctx context.Context, rows map[string][]byte) error
}
