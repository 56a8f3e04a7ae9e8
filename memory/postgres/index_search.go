package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/jackc/pgx/v5"
)

// Search implements [memory.Index]. The score is the cosine. Equal scores are ordered by ID.
func (x *Index) Search(ctx context.Context, s memory.Space, q memory.Query, k int) ([]memory.Candidate, error) {
	if len(q.Vector) == 0 || k <= 0 {
		return nil, ctx.Err()
	}
	if !memory.ValidVector(q.Vector) || len(q.Vector) > maxDims {
		return nil, fmt.Errorf("postgres: search: %w", memory.ErrVector)
	}
	kinds := slices.DeleteFunc(slices.Clone(list(q.Kinds)), func(kind string) bool { return !isAddress(kind) })
	if s.Validate() != nil || !isAddress(q.Person) || !onlyAddresses(q.Tags) || len(kinds) == 0 && len(q.Kinds) > 0 {
		return nil, ctx.Err() // no record has them
	}
	query, before := x.exact, ""
	if x.hnsw == len(q.Vector) {
		query, before = x.approximate, x.tuned
	}
	return readAfter(ctx, x.db, before, scanCandidate, query, x.db.o.Being, string(s.Base()), unit(q.Vector), string(s), q.Person, kinds, list(q.Tags),
		nanos(q.Since), nanos(q.Until), k)
}

func scanCandidate(rows pgx.Rows) (c memory.Candidate, err error) {
	err = rows.Scan(&c.ID, &c.Score)
	return c, err
}

// nanos returns a time in Unix nanoseconds; nil for the zero time. Times beyond them become the first or the last one.
func nanos(at time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	n := at.UnixNano()
	switch {
	case at.Before(time.Unix(0, math.MinInt64)):
		n = math.MinInt64
	case at.After(time.Unix(0, math.MaxInt64)):
		n = math.MaxInt64
	}
	return &n
}
