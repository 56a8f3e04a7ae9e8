package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// applicationID marks a memory file: "hrth".
const applicationID = 0x68727468

// migrations lead from an empty file to the current schema. PRAGMA user_version is the number of completed ones. Never
// change a migration; append a new one.
var migrations = [...]string{
	// home is the base space. A record lies in home or its secret counterpart, and keeps its seq when it moves.
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
	// index of derived records
	`CREATE INDEX records_derived ON records (space, seq) WHERE sources <> '';`,
	// provenance, as text of memory.Label; '' for none
	`ALTER TABLE records ADD COLUMN label TEXT NOT NULL DEFAULT '';`,
}

// migrate upgrades the file to the current schema, or returns an error without changing it. After an error, close the
// connection to roll back.
func migrate(ctx context.Context, c *sql.Conn) error {
	if done, err := isCurrent(ctx, c); err != nil || done {
		return err
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	done, err := isCurrent(ctx, c) // another process may have upgraded it during the wait
	if err != nil {
		return err
	}
	if !done {
		var from int
		if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&from); err != nil {
			return err
		}
		for _, step := range migrations[from:] {
			if _, err := c.ExecContext(ctx, step); err != nil {
				return err
			}
		}
		if _, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(migrations))); err != nil {
			return err
		}
	}
	_, err = c.ExecContext(ctx, "COMMIT")
	return err
}

// requireCurrent returns an error if migrate would change the file.
func requireCurrent(ctx context.Context, c *sql.Conn) error {
	done, err := isCurrent(ctx, c)
	if err == nil && !done {
		err = errors.New("the file is empty or was written by an older version: open it once without ReadOnly")
	}
	return err
}

// isCurrent reports whether the file has the current schema. It fails if the file is no memory file or has a newer
// version.
func isCurrent(ctx context.Context, c *sql.Conn) (bool, error) {
	var app, version, tables int
	err := c.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").
		Scan(&app, &version, &tables)
	switch {
	case err != nil:
		return false, err
	case app != applicationID && (app != 0 || version != 0 || tables != 0):
		return false, ErrNotMemoryFile
	case version > len(migrations):
		return false, fmt.Errorf("%w: schema %d, supported up to %d", ErrNewerVersion, version, len(migrations))
	}
	return version == len(migrations), nil
}
