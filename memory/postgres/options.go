package postgres

import (
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options configures a DB. Being is required, and one of DSN, Config and Pool.
type Options struct {
	Being string // name of the bot; rows of other beings are never read or changed; at most 256 bytes

	// DSN is a URL, or words such as "host=db user=hearth". The driver takes what it does not say from the PG…
	// environment variables and from the password file of PostgreSQL (PGPASSFILE, ~/.pgpass). Keep the password there.
	// No error contains it.
	DSN string

	Config *pgxpool.Config // instead of DSN
	Pool   *pgxpool.Pool   // instead of DSN: connections that several DBs share; Close leaves them open

	Schema  string        // schema of the tables, created if it is missing; "" means "hearth"
	Timeout time.Duration // limit of each call, including its retries; 0 means 10 s
	Fence   *Fence        // checked by each write; nil: none

	AsyncMessages  bool // do not wait for the disk on plain messages; a crash of the server may lose the last second of them
	VacuumFull     bool // Scrub rewrites the tables; this blocks all bots of the database meanwhile
	AllowSuperuser bool // accept a role that ignores row-level security, for a database with one bot
}

const (
	defaultSchema  = "hearth"
	defaultTimeout = 10 * time.Second
	maxBeing       = 256 // bytes; with two addresses it fits into the row of an index
	maxSchema      = 63  // bytes; PostgreSQL cuts longer names
)

// withDefaults returns a copy with the zero values replaced, or an error.
func (o Options) withDefaults() (Options, error) {
	if err := memory.ValidateKey(o.Being); err != nil || len(o.Being) > maxBeing {
		return o, fmt.Errorf("Options.Being is %q: a name of 1 to %d bytes is needed", o.Being, maxBeing)
	}
	given := 0
	for _, is := range []bool{o.DSN != "", o.Config != nil, o.Pool != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return o, errors.New("set one of Options.DSN, Options.Config and Options.Pool")
	}
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if err := memory.ValidateKey(o.Schema); err != nil || len(o.Schema) > maxSchema {
		return o, fmt.Errorf("Options.Schema is %q: a name of at most %d bytes is needed", o.Schema, maxSchema)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Timeout < time.Millisecond {
		return o, fmt.Errorf("Options.Timeout is %v: at least 1ms is needed", o.Timeout)
	}
	if o.Fence != nil {
		f := *o.Fence
		o.Fence = &f
	}
	return o, nil
}

// connect returns the pool, and whether this package closes it.
func (o Options) config() (*pgxpool.Config, error) {
	if o.Config != nil {
		return o.Config.Copy(), nil
	}
	config, err := pgxpool.ParseConfig(o.DSN)
	if err != nil {
		return nil, errors.New("Options.DSN is no valid connection string") // the driver's error may contain parts of a password
	}
	return config, nil
}
