package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// application marks the file as one of ours: "hrth".
const application = 0x68727468

// versions are the steps from an empty file to the present schema; PRAGMA user_version counts those taken. Steps are added, never changed.
var versions = [...]string{
	// home is the space without its secrecy: a record lies in a space or in its twin, and keeps its seq when it moves.
	`CREATE TABLE records (
		seq        INTEGER PRIMARY KEY AUTOINCREMENT,
		home       TEXT NOT NULL,
		id         TEXT NOT NULL,
		space      TEXT NOT NULL,
		kind       TEXT NOT NULL,
		text       TEXT NOT NULL,
		person     TEXT NOT NULL,
		name       TEXT NOT NULL,
		reply_to   TEXT NOT NULL,
		own        INTEGER NOT NULL,
		tags       TEXT NOT NULL, -- a JSON list; '' for none
		importance REAL NOT NULL,
		at         INTEGER,       -- Unix nanoseconds; NULL for not known
		sources    TEXT NOT NULL, -- a JSON list; '' for none
		vector     BLOB,          -- float32, little endian
		embedder   TEXT NOT NULL,
		UNIQUE (home, id)
	) STRICT;
	CREATE INDEX records_arrival ON records (space, seq);
	CREATE INDEX records_kind ON records (space, kind, seq);
	CREATE TABLE state (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;`,
	// what was made of other records
	`CREATE INDEX records_derived ON records (space, seq) WHERE sources <> '';`,
	// where a record came from, as memory.Label has it; '' for none
	`ALTER TABLE records ADD COLUMN label TEXT NOT NULL DEFAULT '';`,
}

// migrate brings the file to the present schema, or says why it must not be touched. After an error the connection is to be closed, which undoes what was begun.
func migrate(ctx context.Context, c *sql.Conn) error {
	if done, err := current(ctx, c); err != nil || done {
		return err
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	done, err := current(ctx, c) // somebody else may have done it while this one waited
	if err != nil {
		return err
	}
	if !done {
		var from int
		if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&from); err != nil {
			return err
		}
		for _, step := range versions[from:] {
			if _, err := c.ExecContext(ctx, step); err != nil {
				return err
			}
		}
		if _, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", application, len(versions))); err != nil {
			return err
		}
	}
	_, err = c.ExecContext(ctx, "COMMIT")
	return err
}

// current reports whether the file has the present schema. A file that is not ours, or ahead of us, is an error.
func current(ctx context.Context, c *sql.Conn) (bool, error) {
	var app, version, tables int
	err := c.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").
		Scan(&app, &version, &tables)
	switch {
	case err != nil:
		return false, err
	case app != application && (app != 0 || version != 0 || tables != 0):
		return false, ErrNotMemoryFile
	case version > len(versions):
		return false, fmt.Errorf("%w: schema %d, known up to %d", ErrNewerVersion, version, len(versions))
	}
	return version == len(versions), nil
}
