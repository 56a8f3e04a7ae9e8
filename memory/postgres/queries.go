package postgres

import (
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// settingsSQL holds until the end of the transaction. The statements after it in the same batch belong to the transaction.
const settingsSQL = `SELECT set_config('hearth.being', $1, true), set_config('statement_timeout', $2, true), set_config('lock_timeout', $2, true),
	set_config('idle_in_transaction_session_timeout', $3, true),
	set_config('synchronous_commit', CASE WHEN $4 THEN 'off' ELSE current_setting('synchronous_commit') END, true)`

// queries are the statements with the name of the schema. Each names the being, besides row-level security.
type queries struct {
	schema                                       string
	lock, touch, lastWrite, fence, forgetWriters string
	put, del, set, unset                         string
	get, getNoVectors, scan, tail, load          string
	derived, spaces                              string
	claim, renew, release, lease                 string
}

const (
	// lock orders the writes of a being: another writer waits here until the transaction ends. So records become visible in
	// the order of their seq, and an unclear commit is decided when the lock is free.
	lockSQL = `WITH w AS (
			INSERT INTO {s}.writers (being, writer, write) VALUES ($1, $3, $4)
			ON CONFLICT (being, writer) DO UPDATE SET write = excluded.write, at = now()
		)
		INSERT INTO {s}.beings AS b (being, seq) VALUES ($1, $2) ON CONFLICT (being) DO UPDATE SET seq = b.seq + excluded.seq`
	// touch waits for that lock
	touchSQL     = `INSERT INTO {s}.beings AS b (being, seq) VALUES ($1, 0) ON CONFLICT (being) DO UPDATE SET seq = b.seq`
	lastWriteSQL = `SELECT write FROM {s}.writers WHERE being = $1 AND writer = $2`
	// a writer that old has long ended
	forgetWritersSQL = `DELETE FROM {s}.writers WHERE being = $1 AND writer <> $2 AND at < now() - interval '7 days'`

	putSQL = `INSERT INTO {s}.records (being, seq, home, id, space, kind, text, person, name, reply_to, own, tags, importance, at, sources, label, vector, embedder)
		VALUES ($1, (SELECT seq FROM {s}.beings WHERE being = $1) - $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
		ON CONFLICT (being, home, id) DO UPDATE SET space = excluded.space, kind = excluded.kind, text = excluded.text, person = excluded.person,
		name = excluded.name, reply_to = excluded.reply_to, own = excluded.own, tags = excluded.tags, importance = excluded.importance,
		at = excluded.at, sources = excluded.sources, label = excluded.label, vector = excluded.vector, embedder = excluded.embedder`
	deleteSQL = `DELETE FROM {s}.records WHERE being = $1 AND home = $2 AND id = ANY($3) AND space = $4`

	rowColumns      = `SELECT r.seq, r.id, r.kind, r.text, r.person, r.name, r.reply_to, r.own, r.tags, r.importance, r.at, r.sources, r.label, r.embedder, `
	getSQL          = rowColumns + `r.vector FROM {s}.records AS r WHERE r.being = $1 AND r.home = $2 AND r.id = ANY($3) AND r.space = $4`
	getNoVectorsSQL = rowColumns + `NULL::bytea FROM {s}.records AS r WHERE r.being = $1 AND r.home = $2 AND r.id = ANY($3) AND r.space = $4`
	scanSQL         = rowColumns + `r.vector FROM {s}.records AS r WHERE r.being = $1 AND r.space = $2 AND r.seq > $3 ORDER BY r.seq LIMIT $4`
	tailSQL         = rowColumns + `r.vector FROM {s}.records AS r WHERE r.being = $1 AND r.space = $2 AND r.kind = $3 ORDER BY r.seq DESC LIMIT $4`
	derivedSQL      = `SELECT id FROM {s}.records WHERE being = $1 AND space = $2 AND sources <> '{}' AND sources && $3::text[] ORDER BY seq`

	// jumps from space to space by the index, without reading the rows between
	spacesSQL = `WITH RECURSIVE s (name) AS (
			SELECT min(space) FROM {s}.records WHERE being = $1 UNION ALL
			SELECT (SELECT min(space) FROM {s}.records WHERE being = $1 AND space > s.name) FROM s WHERE s.name IS NOT NULL
		) SELECT name FROM s WHERE name IS NOT NULL`

	setSQL   = `INSERT INTO {s}.state (being, key, value) VALUES ($1, $2, $3) ON CONFLICT (being, key) DO UPDATE SET value = excluded.value`
	unsetSQL = `DELETE FROM {s}.state WHERE being = $1 AND key = $2`
	loadSQL  = `SELECT key, value FROM {s}.state WHERE being = $1 AND key >= $2 AND ($3::bytea IS NULL OR key < $3)`
)

func newQueries(schema string) queries {
	q := queries{schema: schema}
	for to, text := range map[*string]string{
		&q.lock: lockSQL, &q.touch: touchSQL, &q.lastWrite: lastWriteSQL, &q.forgetWriters: forgetWritersSQL, &q.fence: fenceSQL,
		&q.put: putSQL, &q.del: deleteSQL, &q.set: setSQL, &q.unset: unsetSQL,
		&q.get: getSQL, &q.getNoVectors: getNoVectorsSQL, &q.scan: scanSQL, &q.tail: tailSQL, &q.load: loadSQL, &q.derived: derivedSQL, &q.spaces: spacesSQL,
		&q.claim: claimSQL, &q.renew: renewSQL, &q.release: releaseSQL, &q.lease: leaseSQL,
	} {
		*to = within(schema, text)
	}
	return q
}

// settings queues the settings of a transaction.
func (db *DB) settings(b *pgx.Batch, async bool) {
	b.Queue(settingsSQL, db.o.Being, milliseconds(db.o.Timeout), milliseconds(db.o.Timeout/2), async)
}

// milliseconds returns a duration as a setting; at least 1, because 0 means no limit.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }

// within adds the schema to a statement.
func within(schema, statement string) string {
	return strings.ReplaceAll(statement, "{s}", pgx.Identifier{schema}.Sanitize())
}
