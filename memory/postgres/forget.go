package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

const (
	beingSQL     = `SELECT set_config('hearth.being', $1, true)`
	lockBeingSQL = `SELECT FROM {s}.beings WHERE being = $1 FOR UPDATE` // writes wait for it
	heldNowSQL   = `SELECT name, owner, epoch, until - clock_timestamp() FROM {s}.leases WHERE being = $1 AND until > clock_timestamp() ORDER BY name LIMIT 1`
	endEpochsSQL = `UPDATE {s}.leases SET epoch = epoch + 1, owner = '' WHERE being = $1`
	ofBeingsSQL  = `SELECT tablename FROM pg_policies WHERE schemaname = $1 AND policyname = 'own_being' AND tablename <> 'leases' ORDER BY tablename`
)

// Forget deletes everything of the being, in one transaction: records, rows of the state, vectors, waiting events and calls. While
// somebody holds a lease of it, it deletes nothing and returns a [HeldError]. End a bot without leases first. The epochs of its
// leases stay, so that a process that was paused cannot write. [DB.Scrub] says what remains of deleted rows. ctx is the only limit
// of Forget.
func (db *DB) Forget(ctx context.Context) error {
	if db.closed.Load() {
		return ErrClosed
	}
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		for _, query := range []string{beingSQL, lockBeingSQL} {
			if _, err := tx.Exec(ctx, within(db.o.Schema, query), db.o.Being); err != nil {
				return err
			}
		}
		if err := notHeld(ctx, tx, within(db.o.Schema, heldNowSQL), db.o.Being); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, within(db.o.Schema, endEpochsSQL), db.o.Being); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, ofBeingsSQL, db.o.Schema)
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, table := range tables {
			if _, err := tx.Exec(ctx, "DELETE FROM "+pgx.Identifier{db.o.Schema, table}.Sanitize()+" WHERE being = $1", db.o.Being); err != nil {
				return err
			}
		}
		return nil
	})
	var held *HeldError
	if err != nil && !errors.As(err, &held) {
		err = fmt.Errorf("postgres: forget %q: %w", db.o.Being, withSentinel(err))
	}
	return db.final(err)
}

// notHeld returns a [HeldError] if somebody holds a lease.
func notHeld(ctx context.Context, tx pgx.Tx, query, being string) error {
	var l Lease
	var left pgtype.Interval
	err := tx.QueryRow(ctx, query, being).Scan(&l.Name, &l.Owner, &l.Epoch, &left)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	l.Left = durationOf(left)
	return &HeldError{l}
}
