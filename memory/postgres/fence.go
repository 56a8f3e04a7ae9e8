package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"
)

// A Fence makes all writes of a DB depend on a lease. Each write checks in its own transaction that the lease still has this
// epoch, and otherwise commits nothing and returns [ErrFenced]. A new owner raises the epoch by [DB.Claim], which waits for the
// running write. So a process that has lost its lease, even one that was paused and does not know it, changes nothing.
//
// Reads are not fenced.
type Fence struct {
	Lease string // name of the lease, as in [DB.Claim]
	Epoch int64  // of the claim
}

const fenceSQL = `SELECT true FROM {s}.leases WHERE being = $1 AND name = $2 AND epoch = $3 FOR SHARE` // a claim waits until the transaction ends

// Fenced returns a handle of the same connections whose writes check f. Keep a handle for one claim: a new claim needs a new one.
// Do not close it; close db.
func (db *DB) Fenced(f Fence) *DB { return &DB{core: db.core, fence: &f} }

// isHeld reads the row of the fence.
func isHeld(row pgx.Row) error {
	var held bool
	err := row.Scan(&held)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrFenced
	}
	return err
}
