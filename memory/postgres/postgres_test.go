package postgres_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All tests share one server. missing says why there is none.
var (
	server  *pgtest.Server
	missing error
	beings  atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

// options returns options for a new being in the common schema.
func options(t testing.TB) postgres.Options {
	t.Helper()
	if missing != nil {
		t.Skip("no server: ", missing)
	}
	return postgres.Options{DSN: server.DSN(pgtest.Role, pgtest.Role), Being: unique("being")}
}

// unique returns a new name, also in a repetition of a test.
func unique(name string) string { return fmt.Sprint(name, " ", beings.Add(1)) }

func open(t testing.TB, o postgres.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

func TestDB_Store(t *testing.T) {
	memorytest.TestStore(t, func(t *testing.T) memory.Store { return open(t, options(t)) })
}

func TestDB_State(t *testing.T) {
	memorytest.TestState(t, func(t *testing.T) memory.State { return open(t, options(t)) })
}
