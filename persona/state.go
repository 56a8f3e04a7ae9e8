package persona

import "context"

// A State keeps small rows durably. memory.MemStore and memory/sqlite's DB are States; any database with transactions
// makes one.
type State interface {
	// Load gives all rows whose key begins with prefix. The values are the caller's.
	Load(ctx context.Context, prefix string) (map[string][]byte, error)
	// Apply writes all rows or none, and has them on disk when it returns nil. A nil value deletes its row.
	Apply(ctx context.Context, rows map[string][]byte) error
}
