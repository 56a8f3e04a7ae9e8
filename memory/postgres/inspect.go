package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/hearth-bot/hearth/memory"
)

// Info describes a database.
type Info struct {
	Version   int    // of the tables; 0: there are none
	Supported int    // the newest version that this package supports
	Lease     *Lease // of the whole being, if a process holds it; nil: none
}

// Inspect connects to a database and changes nothing. Its errors match those of [Open].
func Inspect(ctx context.Context, o Options) (Info, error) {
	info, err := inspect(ctx, o)
	if err != nil {
		return info, fmt.Errorf("postgres: inspect: %w", withSentinel(err))
	}
	return info, nil
}

func inspect(ctx context.Context, o Options) (info Info, err error) {
	info.Supported = len(storePart.migrations)
	db, err := connect(ctx, o)
	if err != nil {
		return info, err
	}
	defer db.Close()
	if err := db.check(ctx); err != nil {
		return info, err
	}
	if info.Version, err = storePart.version(ctx, db.pool, db.o.Schema); err != nil || info.Version == 0 {
		return info, err
	}
	l, err := db.Lease(ctx, "")
	if errors.Is(err, memory.ErrNotFound) {
		return info, nil
	}
	if l.Left > 0 {
		info.Lease = &l
	}
	return info, err
}
