package postgres_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two beings share connections, spaces, IDs and keys, and never see or change each other's rows.
func TestDB_BeingsAreSeparate(t *testing.T) {
	ctx := t.Context()
	o := options(t)
	pool, err := pgxpool.New(ctx, o.DSN)
	require.NoError(t, err)
	defer pool.Close()
	handle := func(being string) *postgres.DB {
		return open(t, postgres.Options{Pool: pool, Being: o.Being + being})
	}
	a, b := handle("a"), handle("b")
	mine, theirs := said(1), said(1)
	mine.Text, theirs.Text = "mine", "theirs"
	mine.Sources, theirs.Sources = []string{"0"}, []string{"0"}
	require.NoError(t, a.PutApply(ctx, map[string][]byte{"k": []byte("mine")}, mine, said(2)))
	require.NoError(t, b.PutApply(ctx, map[string][]byte{"k": []byte("theirs")}, theirs))
	for db, want := range map[*postgres.DB]string{a: "mine", b: "theirs"} {
		got, err := db.Get(ctx, group, "1")
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, want, got[0].Text)
		assert.EqualValues(t, 1, got[0].Seq, "each being counts for itself")
		rows, err := db.Load(ctx, "")
		require.NoError(t, err)
		assert.Equal(t, map[string][]byte{"k": []byte(want)}, rows)
	}
	require.NoError(t, b.Delete(ctx, group, "1", "2"))
	require.NoError(t, b.Apply(ctx, map[string][]byte{"k": nil}))
	assert.Empty(t, all(t, b, group))
	spaces, err := b.Spaces(ctx)
	require.NoError(t, err)
	assert.Empty(t, spaces)
	derived, err := b.FindDerived(ctx, group, "0")
	require.NoError(t, err)
	assert.Empty(t, derived)
	tail, err := b.Tail(ctx, group, memory.KindMessage, 9)
	require.NoError(t, err)
	assert.Empty(t, tail)
	assert.Len(t, all(t, a, group), 2)
	rows, err := a.Load(ctx, "")
	require.NoError(t, err)
	assert.Len(t, rows, 1)
	require.NoError(t, a.Close())
	require.NoError(t, pool.Ping(ctx), "Close leaves a shared pool open")
}

// keyedTables returns the tables of the schema that have a being.
func keyedTables(t *testing.T) (tables []string) {
	t.Helper()
	rows, err := super(t).Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'hearth' AND tablename <> 'versions' ORDER BY 1")
	require.NoError(t, err)
	tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Subset(t, tables, []string{"beings", "leases", "records", "sleepers", "state", "writers"})
	return tables
}

// Statements that forget the being reach only the rows of the transaction's being, even for the owner of the tables.
func TestRowLevelSecurity(t *testing.T) {
	ctx := t.Context()
	mine, theirs := options(t), options(t)
	for _, o := range []postgres.Options{mine, theirs} {
		db := open(t, o)
		require.NoError(t, db.PutApply(ctx, map[string][]byte{"k": {1}}, said(1)))
		l, err := db.Claim(ctx, "", "p", minute)
		require.NoError(t, err)
		_, err = db.Sleep(ctx, l.Fence(), postgres.Waker{Group: "fleet"}, minute)
		require.NoError(t, err)
	}
	c, s := connect(t, pgtest.Role), super(t)
	for _, table := range keyedTables(t) {
		name := "hearth." + table
		if count(t, s, "SELECT count(*) FROM "+name+" WHERE being = $1", theirs.Being) == 0 {
			continue // vectors, on a server without pgvector
		}
		t.Run(table, func(t *testing.T) {
			assert.Equal(t, 2, count(t, s, "SELECT count(DISTINCT being) FROM "+name+" WHERE being IN ($1, $2)", mine.Being, theirs.Being), "both have rows")
			assert.Zero(t, count(t, c, "SELECT count(*) FROM "+name), "without a being")
			err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "SELECT set_config('hearth.being', $1, true)", mine.Being)
				require.NoError(t, err)
				var beings []string
				require.NoError(t, tx.QueryRow(ctx, "SELECT array_agg(DISTINCT being) FROM "+name).Scan(&beings))
				assert.Equal(t, []string{mine.Being}, beings)
				moved, err := tx.Exec(ctx, "UPDATE "+name+" SET being = being WHERE being = $1", theirs.Being)
				require.NoError(t, err)
				assert.Zero(t, moved.RowsAffected())
				_, err = tx.Exec(ctx, "DELETE FROM "+name)
				require.NoError(t, err)
				return nil
			})
			require.NoError(t, err)
			assert.Zero(t, count(t, s, "SELECT count(*) FROM "+name+" WHERE being = $1", mine.Being), "deleted")
			assert.NotZero(t, count(t, s, "SELECT count(*) FROM "+name+" WHERE being = $1", theirs.Being), "not reached")
			err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "SELECT set_config('hearth.being', $1, true)", theirs.Being)
				require.NoError(t, err)
				_, err = tx.Exec(ctx, "UPDATE "+name+" SET being = $1", mine.Being)
				return err
			})
			var denied *pgconn.PgError
			require.ErrorAs(t, err, &denied)
			assert.Equal(t, "42501", denied.Code, "no row is given to another being")
		})
	}
}

// The setting of a transaction does not stay on its connection.
func TestDB_BeingEndsWithTransaction(t *testing.T) {
	ctx := t.Context()
	o := options(t)
	config, err := pgxpool.ParseConfig(o.DSN)
	require.NoError(t, err)
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(ctx, config)
	require.NoError(t, err)
	defer pool.Close()
	db := open(t, postgres.Options{Pool: pool, Being: o.Being})
	require.NoError(t, db.Put(ctx, said(1)))
	assert.Len(t, all(t, db, group), 1)
	var being string
	require.NoError(t, pool.QueryRow(ctx, "SELECT coalesce(current_setting('hearth.being', true), '')").Scan(&being))
	assert.Empty(t, being)
}

func TestOpen_Superuser(t *testing.T) {
	o := options(t)
	o.DSN = server.DSN("postgres", pgtest.Role)
	_, err := postgres.Open(t.Context(), o)
	require.ErrorIs(t, err, postgres.ErrSuperuser)
	assert.ErrorContains(t, err, "AllowSuperuser")
	o.AllowSuperuser, o.Schema = true, unique("of superuser")
	db := open(t, o)
	require.NoError(t, db.Put(t.Context(), said(1)))
	o.Being += "other"
	assert.Empty(t, all(t, open(t, o), group), "each statement names the being, too")
}

func TestOpen_Options(t *testing.T) {
	good := options(t)
	for want, change := range map[string]func(*postgres.Options){
		"Options.Being":      func(o *postgres.Options) { o.Being = "" },
		"Options.Being is":   func(o *postgres.Options) { o.Being = "a\x00b" },
		"one of Options.DSN": func(o *postgres.Options) { o.DSN = "" },
		"Options.Schema":     func(o *postgres.Options) { o.Schema = "\xff" },
		"Options.Timeout":    func(o *postgres.Options) { o.Timeout = -1 },
	} {
		o := good
		change(&o)
		_, err := postgres.Open(t.Context(), o)
		assert.ErrorContains(t, err, want)
	}
	bad := good
	bad.DSN = "postgres://u:geheim@h:notaport/db"
	_, err := postgres.Open(t.Context(), bad)
	require.ErrorContains(t, err, "Options.DSN")
	assert.NotContains(t, err.Error(), "geheim")
	bad.DSN = "postgres://nobody:geheim@127.0.0.1:" + port() + "/nowhere?sslmode=disable"
	_, err = postgres.Open(t.Context(), bad)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "geheim")
}

func TestDB_Closed(t *testing.T) {
	o := options(t)
	db := open(t, o)
	require.NoError(t, db.Close())
	require.NoError(t, db.Close(), "twice is no error")
	ctx := context.Background()
	_, get := db.Get(ctx, group, "1")
	_, tail := db.Tail(ctx, group, memory.KindMessage, 1)
	_, spaces := db.Spaces(ctx)
	_, load := db.Load(ctx, "")
	_, claim := db.Claim(ctx, "", "p", minute)
	var scan error
	for _, scan = range db.Scan(ctx, group, 0) {
	}
	for _, err := range []error{db.Put(ctx, said(1)), db.Delete(ctx, group, "1"), db.Apply(ctx, map[string][]byte{"k": nil}), db.Scrub(ctx), get, tail, spaces, load, scan, claim} {
		assert.ErrorIs(t, err, postgres.ErrClosed)
	}
}
