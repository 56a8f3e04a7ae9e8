package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const group = memory.Space("qq:group:1")

// limit is the timeout of a call that cannot succeed. The calls beside it need much less on any machine.
const limit = time.Second

func said(id int) memory.Record {
	return memory.Record{ID: fmt.Sprint(id), Space: group, Kind: memory.KindMessage, Text: "第几句话", Person: "10001", At: time.Unix(1.7e9, 0).Add(time.Duration(id) * time.Second)}
}

func all(t testing.TB, s memory.Store, space memory.Space) (recs []memory.Record) {
	t.Helper()
	for r, err := range s.Scan(context.Background(), space, 0) {
		require.NoError(t, err)
		recs = append(recs, r)
	}
	return recs
}

func port() string { return strconv.Itoa(server.Port) }

// super connects as superuser, who sees the rows of all beings.
func super(t testing.TB) *pgx.Conn {
	t.Helper()
	return connect(t, "postgres")
}

func connect(t testing.TB, role string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), server.DSN(role, pgtest.Role))
	require.NoError(t, err)
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func count(t testing.TB, c *pgx.Conn, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, c.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

// written returns how many records a being got, including those that were replaced. A write that was committed twice counts twice.
func written(t testing.TB, c *pgx.Conn, being string) int {
	t.Helper()
	return count(t, c, "SELECT seq FROM hearth.beings WHERE being = $1", being)
}

// TestDB_LostCommit cuts the connection around a COMMIT. The DB finds out what became of it, and commits once.
func TestDB_LostCommit(t *testing.T) {
	for name, at := range map[string]cut{"after it": afterCommit, "before it": onCommit, "on its way": holdCommit} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			p := startProxy(t)
			o.DSN, o.Timeout = p.dsn(), 6*time.Second
			db := open(t, o)
			require.NoError(t, db.Put(t.Context(), said(0)))
			before := p.seen()
			p.set(at, false)
			require.NoError(t, db.PutApply(t.Context(), map[string][]byte{"k": {1}}, said(1)))
			assert.Greater(t, p.seen(), before+1, "it has looked")
			assert.Equal(t, 2, written(t, super(t), o.Being), "each record once")
			assert.Len(t, all(t, db, group), 2)
			require.NoError(t, db.Put(t.Context(), said(2)))
			assert.Equal(t, 3, written(t, super(t), o.Being))
		})
	}
}

// TestDB_Unclear cuts the connection around a COMMIT, and the server stays out of reach. The write is unclear. Later calls work,
// and show what became of it.
func TestDB_Unclear(t *testing.T) {
	for name, c := range map[string]struct {
		at   cut
		want int
	}{"after it": {afterCommit, 2}, "before it": {onCommit, 1}} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			p := startProxy(t)
			o.DSN, o.Timeout = p.dsn(), limit
			db := open(t, o)
			require.NoError(t, db.Put(t.Context(), said(0)))
			p.set(c.at, true)
			err := db.Put(t.Context(), said(1))
			require.ErrorIs(t, err, postgres.ErrUnclear)
			_, err = db.Load(t.Context(), "")
			require.ErrorIs(t, err, postgres.ErrUnavailable, "a read waits until the outcome is final")
			err = db.Put(t.Context(), said(2))
			require.ErrorIs(t, err, postgres.ErrUnavailable)
			require.NotErrorIs(t, err, postgres.ErrUnclear, "it surely had no effect")
			p.set(never, false)
			assert.Len(t, all(t, db, group), c.want)
			require.NoError(t, db.Put(t.Context(), said(1)), "repeated, as the caller may do")
			assert.Len(t, all(t, db, group), 2)
		})
	}
}

// TestDB_Terminated ends the session of a write in the middle of its transaction. The write is repeated.
func TestDB_Terminated(t *testing.T) {
	o := options(t)
	db := open(t, o)
	require.NoError(t, db.Put(t.Context(), said(0)))
	s := super(t)
	tx, err := s.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM hearth.beings WHERE being = $1 FOR UPDATE", o.Being)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- db.Put(context.Background(), said(1), said(2)) }()
	terminate := func(sessions string) { // when there is one: sessions that have ended are listed for a moment
		t.Helper()
		require.Eventually(t, func() bool { return count(t, s, "SELECT count(*) "+sessions, pgtest.Role) == 1 }, time.Minute, time.Millisecond)
		assert.Equal(t, 1, count(t, s, "SELECT count(pg_terminate_backend(pid)) "+sessions, pgtest.Role))
	}
	const sessions = "FROM pg_stat_activity WHERE usename = $1"
	terminate(sessions + " AND wait_event_type = 'Lock'")
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-done)
	assert.Len(t, all(t, db, group), 3)
	assert.Equal(t, 3, written(t, s, o.Being))
	terminate(sessions)
	assert.Len(t, all(t, db, group), 3, "a read is repeated")
}

// TestDB_ServerRestarts kills the server and starts it again during writes. No write that returned is lost.
func TestDB_ServerRestarts(t *testing.T) {
	o := options(t)
	o.Timeout = 30 * time.Second
	db := open(t, o)
	var kept sync.Map
	var wg sync.WaitGroup
	over := make(chan struct{})
	for w := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
				}
				r := said(i*3 + w)
				if err := db.Put(context.Background(), r); err == nil {
					kept.Store(r.ID, true)
				} else {
					assert.ErrorIs(t, err, postgres.ErrUnclear)
				}
				_, err := db.Get(context.Background(), group, r.ID)
				assert.NoError(t, err)
			}
		})
	}
	for _, stop := range []func() error{server.Kill, server.Stop} {
		time.Sleep(100 * time.Millisecond)
		require.NoError(t, stop())
		require.NoError(t, server.Launch())
	}
	time.Sleep(100 * time.Millisecond)
	close(over)
	wg.Wait()
	stored := map[string]bool{}
	for _, r := range all(t, db, group) {
		stored[r.ID] = true
	}
	n := 0
	kept.Range(func(id, _ any) bool {
		n++
		return assert.True(t, stored[id.(string)], "record %v", id)
	})
	assert.NotZero(t, n)
}

// TestDB_Unreachable: without a server, each call ends in time and says that it had no effect.
func TestDB_Unreachable(t *testing.T) {
	o := options(t)
	p := startProxy(t)
	o.DSN, o.Timeout = p.dsn(), limit
	db := open(t, o)
	p.set(never, true)
	require.NoError(t, server.Exec(pgtest.Role, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '"+pgtest.Role+"'"))
	assert.ErrorIs(t, db.Put(t.Context(), said(1)), postgres.ErrUnavailable)
	_, err := db.Spaces(t.Context())
	assert.ErrorIs(t, err, postgres.ErrUnavailable)
	_, err = postgres.Open(t.Context(), o)
	assert.ErrorIs(t, err, postgres.ErrUnavailable)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, db.Put(ctx, said(1)), context.DeadlineExceeded, "the caller's own limit")
	p.set(never, false)
	assert.Empty(t, all(t, db, group))
	require.NoError(t, db.Put(t.Context(), said(1)))
}

// TestDB_Blocked: another session that keeps the lock cannot stop a bot for longer than its limit.
func TestDB_Blocked(t *testing.T) {
	o := options(t)
	o.Timeout = limit
	db := open(t, o)
	s := super(t)
	tx, err := s.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM hearth.beings WHERE being = $1 FOR UPDATE", o.Being)
	require.NoError(t, err)
	assert.ErrorIs(t, db.Put(t.Context(), said(1)), postgres.ErrUnavailable)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, db.Put(t.Context(), said(1)))
	assert.Len(t, all(t, db, group), 1)
}

// TestDB_CancelAtAnyTime cancels writes at random moments. A cancelled write has no effect, and no transaction stays open.
func TestDB_CancelAtAnyTime(t *testing.T) {
	db := open(t, options(t))
	kept := map[string]bool{}
	for i := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%40)*500*time.Microsecond)
		err := db.Put(ctx, said(i), memory.Record{ID: fmt.Sprint("x", i), Space: group.Secret()})
		cancel()
		if err == nil {
			kept[fmt.Sprint(i)] = true
		} else {
			require.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
		}
	}
	got := all(t, db, group)
	for _, r := range got {
		assert.True(t, kept[r.ID], r.ID)
	}
	assert.Len(t, got, len(kept))
	assert.Len(t, all(t, db, group.Secret()), len(kept))
	t.Log(len(kept))
}
