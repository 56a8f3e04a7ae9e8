package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/hearth-bot/hearth/memory"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A DB is the memory of one being in a PostgreSQL database. All methods may be called concurrently.
type DB struct {
	*core
	fence *Fence // nil: none
}

// A core is what the handles of [DB.Fenced] share.
type core struct {
	o      Options
	pool   *pgxpool.Pool
	owned  bool // Close closes the pool
	q      queries
	writer writer
	closed atomic.Bool
}

var (
	_ memory.Store            = (*DB)(nil)
	_ memory.VectorlessGetter = (*DB)(nil)
	_ memory.Tailer           = (*DB)(nil)
	_ memory.DerivedFinder    = (*DB)(nil)
	_ memory.Scrubber         = (*DB)(nil)
	_ memory.State            = (*DB)(nil)
	_ memory.Transactor       = (*DB)(nil)
	_ memory.Restorer         = (*DB)(nil)
)

// Open connects to the database and creates or upgrades the tables. Several processes may do so at once. It waits for a
// write of an earlier process that is still running. Tables of a newer version are left alone ([ErrNewerVersion]).
//
// The role of the connection must not be a superuser, because a superuser ignores row-level security ([ErrSuperuser]). It
// needs the right to create a schema, or a schema of that name that it owns:
//
//	CREATE ROLE hearth LOGIN PASSWORD '…'; CREATE DATABASE hearth OWNER hearth;
func Open(ctx context.Context, o Options) (*DB, error) {
	db, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", withSentinel(err))
	}
	return db, nil
}

func open(ctx context.Context, o Options) (*DB, error) {
	db, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := db.prepare(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// connect returns a DB whose database was not looked at.
func connect(ctx context.Context, o Options) (*DB, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &core{o: o, pool: o.Pool, q: newQueries(o.Schema), writer: writer{token: make(chan struct{}, 1)}}
	rand.Read(c.writer.id[:]) // never fails
	if c.pool == nil {
		config, err := o.config()
		if err != nil {
			return nil, err
		}
		if c.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
			return nil, err
		}
		c.owned = true
	}
	return &DB{core: c, fence: o.Fence}, nil
}

// prepare checks the server and the role, upgrades the tables, and waits for a running write of an earlier process.
func (db *DB) prepare(ctx context.Context) error {
	if err := db.check(ctx); err != nil {
		return err
	}
	if err := storePart.migrate(ctx, db.pool, db.o.Schema); err != nil {
		return err
	}
	_, err := db.settle(ctx)
	return err
}

// check calls checkServer, and waits for a server that is just starting.
func (db *DB) check(ctx context.Context) error {
	return db.retry(ctx, isStarting, func(ctx context.Context) error {
		return db.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return db.checkServer(ctx, c.Conn()) })
	})
}

// checkServer rejects a role without row-level security and a database that cannot store all texts.
func (db *DB) checkServer(ctx context.Context, c *pgx.Conn) error {
	var encoding, role string
	var bypass bool
	err := c.QueryRow(ctx, `SELECT current_setting('server_encoding'), rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`).
		Scan(&encoding, &role, &bypass)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8":
		return fmt.Errorf("the database has the encoding %s: create one with ENCODING 'UTF8'", encoding)
	case bypass && !db.o.AllowSuperuser:
		return fmt.Errorf("role %q: %w: connect as a role without SUPERUSER and BYPASSRLS, or set Options.AllowSuperuser if the database has one bot", role, ErrSuperuser)
	}
	return nil
}

// Being returns the name of the bot.
func (db *DB) Being() string { return db.o.Being }

// Close waits for running calls and closes the connections, unless they are those of Options.Pool. Later calls return
// [ErrClosed]. Closing twice is no error.
func (db *DB) Close() error {
	if !db.closed.Swap(true) && db.owned {
		db.pool.Close()
	}
	return nil
}

// final returns the error of a call for its caller. After Close it is [ErrClosed].
func (db *DB) final(err error) error {
	if err != nil && db.closed.Load() && !errors.Is(err, ErrUnclear) {
		return ErrClosed
	}
	return withSentinel(err)
}

// limit bounds a context by Options.Timeout. Its end is [ErrUnavailable] if the caller's context has not ended.
func (c *core) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.o.Timeout, fmt.Errorf("%w (%v)", ErrUnavailable, c.o.Timeout))
}
