package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A part of the schema has migrations of its own. They lead from nothing to the current version. The table versions has the number
// of completed ones. {s} is the schema. Never change a migration; append a new one.
type part struct {
	name       string
	migrations []string
}

var storePart = part{"store", []string{
	// Each table has being as its first key. home is the base space. A record lies in home or its secret counterpart, and
	// keeps its seq when it moves.
	`CREATE TABLE {s}.beings (
		being text COLLATE "C" PRIMARY KEY,
		seq   bigint NOT NULL -- of the newest record; each write locks this row
	) WITH (fillfactor = 50);
	CREATE TABLE {s}.writers ( -- the last write of each DB, to settle an unclear commit
		being  text COLLATE "C" NOT NULL,
		writer uuid NOT NULL,
		write  bigint NOT NULL,
		at     timestamptz NOT NULL DEFAULT now(),
		PRIMARY KEY (being, writer)
	) WITH (fillfactor = 50);
	CREATE TABLE {s}.leases (
		being text COLLATE "C" NOT NULL,
		name  text COLLATE "C" NOT NULL,
		owner text COLLATE "C" NOT NULL,
		epoch bigint NOT NULL,
		until timestamptz NOT NULL,
		PRIMARY KEY (being, name)
	);
	CREATE TABLE {s}.records (
		being      text COLLATE "C" NOT NULL,
		home       text COLLATE "C" NOT NULL,
		id         text COLLATE "C" NOT NULL,
		seq        bigint NOT NULL,
		space      text COLLATE "C" NOT NULL,
		kind       text COLLATE "C" NOT NULL,
		text       text COLLATE "C" NOT NULL,
		person     text COLLATE "C" NOT NULL,
		name       text COLLATE "C" NOT NULL,
		reply_to   text COLLATE "C" NOT NULL,
		own        boolean NOT NULL,
		tags       text[] COLLATE "C" NOT NULL,
		importance double precision NOT NULL,
		at         bigint, -- Unix nanoseconds; NULL for not known
		sources    text[] COLLATE "C" NOT NULL,
		label      text COLLATE "C" NOT NULL, -- text of memory.Label; '' for none
		vector     bytea, -- float32, little endian
		embedder   text COLLATE "C" NOT NULL,
		PRIMARY KEY (being, home, id)
	);
	CREATE UNIQUE INDEX records_arrival ON {s}.records (being, space, seq);
	CREATE INDEX records_kind ON {s}.records (being, space, kind, seq);
	CREATE INDEX records_derived ON {s}.records (being, space, seq) WHERE sources <> '{}';
	CREATE TABLE {s}.state (
		being text COLLATE "C" NOT NULL,
		key   bytea NOT NULL,
		value bytea NOT NULL,
		PRIMARY KEY (being, key)
	);
	` + policies("beings", "writers", "leases", "records", "state"),
	// A bot that sleeps. Its group may read the row, so that one query finds all of them.
	`CREATE TABLE {s}.sleepers (
		being   text COLLATE "C" PRIMARY KEY,
		grp     text COLLATE "C" NOT NULL,
		channel text COLLATE "C" NOT NULL, -- of NOTIFY; '' for none
		wake_at timestamptz NOT NULL
	) WITH (fillfactor = 80);
	CREATE INDEX sleepers_group ON {s}.sleepers (grp);
	` + policies("sleepers") + `
	CREATE POLICY own_group ON {s}.sleepers FOR SELECT USING (grp = current_setting('hearth.being', true));
	`,
}}

// policies returns the statements that hide the rows of other beings, also from the owner of the tables.
func policies(tables ...string) string {
	var b strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&b, `ALTER TABLE {s}.%[1]s ENABLE ROW LEVEL SECURITY;
			ALTER TABLE {s}.%[1]s FORCE ROW LEVEL SECURITY;
			CREATE POLICY own_being ON {s}.%[1]s USING (being = current_setting('hearth.being', true));
			`, table)
	}
	return b.String()
}

// lockClass is the first key of the advisory locks: "hrth".
const lockClass = 0x68727468

// migrate upgrades a part of the schema in one transaction. An advisory lock lets one process do it while the others wait.
func (p part) migrate(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	version, err := p.version(ctx, pool, schema)
	if err != nil || version == len(p.migrations) {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1, hashtext($2))", lockClass, schema); err != nil {
			return err
		}
		version, err := p.version(ctx, tx, schema) // another process may have upgraded it during the wait
		if err != nil || version == len(p.migrations) {
			return err
		}
		if err := createSchema(ctx, tx, schema); err != nil {
			return err
		}
		for i, step := range p.migrations[version:] {
			if _, err := tx.Exec(ctx, within(schema, step)); err != nil {
				return fmt.Errorf("migration %d of %s: %w", version+i+1, p.name, err)
			}
		}
		const set = "INSERT INTO {s}.versions (part, version) VALUES ($1, $2) ON CONFLICT (part) DO UPDATE SET version = excluded.version"
		_, err = tx.Exec(ctx, within(schema, set), p.name, len(p.migrations))
		return err
	})
}

// createSchema creates the schema and its table of versions, if they are missing. It needs no right to create schemas if the schema
// exists.
func createSchema(ctx context.Context, tx pgx.Tx, schema string) error {
	var exists bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)", schema).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		if _, err := tx.Exec(ctx, within(schema, "CREATE SCHEMA {s}")); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, within(schema, `CREATE TABLE IF NOT EXISTS {s}.versions (part text COLLATE "C" PRIMARY KEY, version integer NOT NULL)`))
	return err
}

// version returns the version of a part; 0: it has no tables.
func (p part) version(ctx context.Context, db interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}, schema string) (version int, err error) {
	var exists bool
	err = db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'versions')", schema).Scan(&exists)
	if err != nil || !exists {
		return 0, err
	}
	err = db.QueryRow(ctx, within(schema, "SELECT version FROM {s}.versions WHERE part = $1"), p.name).Scan(&version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, err
	case version > len(p.migrations):
		return 0, fmt.Errorf("%w: %s in schema %q has version %d, supported up to %d", ErrNewerVersion, p.name, schema, version, len(p.migrations))
	}
	return version, nil
}
