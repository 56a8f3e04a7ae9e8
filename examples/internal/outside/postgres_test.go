package outside

import (
	"bytes"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func address(s *pgtest.Server, being string) string {
	return s.DSN(pgtest.Role, pgtest.Role) + "&being=" + being
}

// A bot whose -db is a database keeps its character and rows, runs once at a time, and -check changes nothing.
func TestStore_Postgres(t *testing.T) {
	ctx := t.Context()
	server := pgtest.New(t)
	db := address(server, "xiaolu")
	inspect := func() (string, error) {
		var out bytes.Buffer
		r := check.NewReport(&out, lang.English)
		r.Store(db)
		return out.String(), r.Err()
	}
	found, err := inspect()
	require.NoError(t, err)
	assert.Contains(t, found, "its tables will be created")
	mine := persona.Character{Profile: persona.Profile{Name: "小炉"}}
	_, err = Character(ctx, db, mine, true)
	require.NoError(t, err)
	who, err := Character(ctx, db, persona.Character{}, false)
	require.NoError(t, err)
	assert.Equal(t, "小炉", who.Profile.Name)
	s, end, err := Store(db)
	require.NoError(t, err)
	require.NoError(t, s.Apply(ctx, map[string][]byte{"k": {1}}))
	found, err = inspect()
	require.Error(t, err, "it runs")
	assert.Contains(t, found, "another program is this bot")
	other, endOther, err := Store(address(server, "other"))
	require.NoError(t, err, "another bot")
	rows, err := other.Load(ctx, "")
	require.NoError(t, err)
	assert.Empty(t, rows)
	endOther()
	end()
	found, err = inspect()
	require.NoError(t, err)
	assert.Contains(t, found, "the bot is xiaolu")
}

// A process that crashed leaves a lease behind. The next one waits until it ends. If somebody renews it, it does not start.
func TestStore_PostgresLease(t *testing.T) {
	ctx := t.Context()
	address := address(pgtest.New(t), "crashed")
	o, err := check.PostgresOptions("-db", address)
	require.NoError(t, err)
	db, err := postgres.Open(ctx, o)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Claim(ctx, "", "crashed", 300*time.Millisecond)
	require.NoError(t, err)
	_, end, err := Store(address)
	require.NoError(t, err)
	now, err := db.Lease(ctx, "")
	require.NoError(t, err)
	assert.EqualValues(t, 2, now.Epoch)
	renew := func(times int) { // each lease is longer than the one before, whenever somebody looks
		_, err := db.Renew(ctx, now.Fence(), time.Duration(times)*leaseValid)
		assert.NoError(t, err)
	}
	renew(1)
	over, renewed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(renewed)
		for times := 2; ; times++ {
			select {
			case <-over:
				return
			case <-time.After(200 * time.Millisecond):
				renew(times)
			}
		}
	}()
	_, _, err = Store(address)
	close(over)
	<-renewed
	require.ErrorContains(t, err, "another program is this bot")
	end()
}

func TestPostgresOptions_Password(t *testing.T) {
	for _, bad := range []string{"postgres://u:geheim@h/db", "postgres://u@h/db?password=geheim", "postgres://u:geheim@h:x/db"} {
		_, _, err := Store(bad)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "geheim")
	}
	o, err := check.PostgresOptions("-db", "postgres://u@h/db?sslmode=require&being=a+b")
	require.NoError(t, err)
	assert.Equal(t, "a b", o.Being)
	assert.Equal(t, "postgres://u@h/db?sslmode=require", o.DSN)
}
