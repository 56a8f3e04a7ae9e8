package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// vectorPart is created by the first [OpenIndex]. {v} is the schema of the extension.
var vectorPart = part{"vectors", []string{
	// as in records, a row lies in home or its secret counterpart. vector has the length 1.
	`CREATE TABLE {s}.vectors (
		being  text COLLATE "C" NOT NULL,
		home   text COLLATE "C" NOT NULL,
		id     text COLLATE "C" NOT NULL,
		space  text COLLATE "C" NOT NULL,
		person text COLLATE "C" NOT NULL,
		kind   text COLLATE "C" NOT NULL,
		tags   text[] COLLATE "C" NOT NULL,
		at     bigint, -- Unix nanoseconds; NULL for not known
		digest bigint NOT NULL, -- of all that the index needs of the record
		dims   integer NOT NULL,
		vector {v}.vector NOT NULL,
		PRIMARY KEY (being, home, id)
	);
	` + policies("vectors"),
}}

const (
	extensionSQL = `SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`

	vectorPutSQL = `INSERT INTO {s}.vectors (being, home, id, space, person, kind, tags, at, digest, dims, vector)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, cardinality($10::real[]), $10::real[]::{v}.vector)
		ON CONFLICT (being, home, id) DO UPDATE SET space = excluded.space, person = excluded.person, kind = excluded.kind, tags = excluded.tags,
		at = excluded.at, digest = excluded.digest, dims = excluded.dims, vector = excluded.vector`
	vectorRemoveSQL = `DELETE FROM {s}.vectors WHERE being = $1 AND home = $2 AND id = $3`
	vectorDeleteSQL = `DELETE FROM {s}.vectors WHERE being = $1 AND home = $2 AND id = ANY($3) AND space = $4`
	vectorKnownSQL  = `SELECT home, id, digest FROM {s}.vectors WHERE being = $1 AND home = ANY($2) AND id = ANY($3)`
	vectorStaleSQL  = `DELETE FROM {s}.vectors AS v WHERE v.being = $1 AND NOT EXISTS (
		SELECT 1 FROM {s}.records AS r WHERE r.being = $1 AND r.home = v.home AND r.id = v.id AND r.space = v.space)`

	// {column} is vector, or the expression of an HNSW index
	vectorFromSQL = ` FROM {s}.vectors
		WHERE being = $1 AND home = $2 AND space = $4 AND dims = {dims} AND ($5 = '' OR person = $5) AND (cardinality($6::text[]) = 0 OR kind = ANY($6))
		AND tags @> $7::text[] AND ($8::bigint IS NULL OR at >= $8) AND ($9::bigint IS NULL OR at < $9)
		ORDER BY {distance}`
	exactSQL    = `SELECT id, -({distance})` + vectorFromSQL + `, id LIMIT $10`
	distanceSQL = `{column} OPERATOR({v}.<#>) $3::real[]::{v}.vector`
	// an HNSW index cannot order by the ID, too; a few more candidates do
	approximateSQL = `SELECT id, score FROM (SELECT id, -({distance}) AS score` + vectorFromSQL + ` LIMIT $10::bigint + 100) AS found ORDER BY score DESC, id LIMIT $10::bigint`

	// approximate search needs its own index of each number of dimensions
	hnswSQL = `CREATE INDEX IF NOT EXISTS {name} ON {s}.vectors USING hnsw ((vector::{v}.vector({dims})) {v}.vector_ip_ops) WHERE dims = {dims}`
)

// ErrNoExtension means that the server or the database lacks pgvector.
var ErrNoExtension = errors.New("the database has no extension vector (pgvector)")

// extension returns the schema of pgvector. It creates the extension if the role may do so.
func (db *DB) extension(ctx context.Context) (schema string, err error) {
	find := func(db interface {
		QueryRow(context.Context, string, ...any) pgx.Row
	}) error {
		return db.QueryRow(ctx, extensionSQL).Scan(&schema)
	}
	if err := find(db.pool); !errors.Is(err, pgx.ErrNoRows) {
		return schema, err
	}
	err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1, 0)", lockClass); err != nil {
			return err
		}
		if err := find(tx); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if _, err := tx.Exec(ctx, "CREATE EXTENSION vector"); err != nil {
			return err
		}
		return find(tx)
	})
	var e *pgconn.PgError
	if errors.As(err, &e) && (e.Code == "42501" || e.Code == "0A000" || e.Code == "58P01") { // no right, not available, no file
		return "", fmt.Errorf("%w: install pgvector, and let a superuser run CREATE EXTENSION vector in this database: %w", ErrNoExtension, err)
	}
	return schema, err
}

// withExtension adds the schema of pgvector to a statement.
func withExtension(schema, statement string) string {
	return strings.ReplaceAll(statement, "{v}", pgx.Identifier{schema}.Sanitize())
}
