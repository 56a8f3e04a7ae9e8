package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Scrub implements [memory.Scrubber]. It runs VACUUM, so that the server may reuse the space of deleted rows. Their bytes stay in
// the files until then. With Options.VacuumFull it rewrites the tables, so that no deleted row remains in them, and blocks all
// other bots of the database meanwhile. A deleted row that an older transaction can still see remains in both cases.
//
// The write-ahead log, replicas and backups of the server keep deleted data as long as it is configured to keep them.
//
// ctx is the only limit of Scrub. The role must own the tables.
func (db *DB) Scrub(ctx context.Context) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.final(db.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		defer c.Conn().Close(context.WithoutCancel(ctx)) // it has another statement_timeout
		if _, err := c.Exec(ctx, "SET statement_timeout = 0"); err != nil {
			return err
		}
		how := "VACUUM "
		if db.o.VacuumFull {
			how = "VACUUM (FULL) "
		}
		tables, err := db.scrubbed(ctx, c)
		if err != nil {
			return err
		}
		for _, table := range tables {
			if err := db.requireOwner(ctx, c, table); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, how+pgx.Identifier{db.o.Schema, table}.Sanitize()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// scrubbed returns the tables with data of people. Those of a [Relay] may be missing.
func (db *DB) scrubbed(ctx context.Context, c *pgxpool.Conn) ([]string, error) {
	rows, err := c.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename = ANY($2) ORDER BY tablename`, db.o.Schema, []string{"records", "state", "inbox", "outbox"})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// requireOwner returns an error if VACUUM would skip the table with a warning.
func (db *DB) requireOwner(ctx context.Context, c *pgxpool.Conn, table string) error {
	var owner bool
	err := c.QueryRow(ctx, "SELECT pg_has_role(current_user, tableowner, 'USAGE') FROM pg_tables WHERE schemaname = $1 AND tablename = $2", db.o.Schema, table).Scan(&owner)
	if err == nil && !owner {
		err = fmt.Errorf("postgres: scrub: the role does not own table %s.%s", db.o.Schema, table)
	}
	return err
}
