package postgres_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/hearth-bot/hearth/persona/relay/relaytest"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// A site has two processes with relays, and one account whose bot is being.
type site struct {
	account, being string
	a, b           *postgres.Relay
	pool           *pgxpool.Pool
	db             *postgres.DB
	t              testing.TB
}

// newSite starts the relays. With hints, they listen to notifications.
func newSite(t testing.TB, hints bool, change func(*postgres.RelayOptions)) *site {
	o := options(t)
	pool, err := pgxpool.New(t.Context(), o.DSN+"&pool_max_conns=10")
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	o.DSN, o.Pool = "", pool
	s := &site{t: t, account: unique("account"), being: o.Being, pool: pool, db: open(t, o)}
	relayOf := func(id string) *postgres.Relay {
		ro := postgres.RelayOptions{
			ID: id, Database: postgres.Options{Pool: pool}, Being: func(account string) (string, bool) { return s.being, account == s.account },
		}
		if !hints {
			ro.Poll = 5 * time.Millisecond
		}
		if change != nil {
			change(&ro)
		}
		r, err := postgres.OpenRelay(t.Context(), ro)
		require.NoError(t, err)
		if hints {
			ended := make(chan error, 1)
			go func() { ended <- r.Run(t.Context()) }()
			t.Cleanup(func() { require.NoError(t, <-ended) })
		}
		return r
	}
	s.a, s.b = relayOf("a"), relayOf("b")
	return s
}

// owner makes a new owner. It takes the lease of the being over.
func (s *site) owner() (relay.Owner, *postgres.DB) {
	l, err := s.db.TakeOver(s.t.Context(), "", "owner", time.Minute)
	require.NoError(s.t, err)
	db := s.db.Fenced(l.Fence())
	return s.b.Owner(db, s.account), db
}

func TestRelay(t *testing.T) {
	for name, hints := range map[string]bool{"notifications": true, "polling": false} {
		t.Run(name, func(t *testing.T) {
			relaytest.Test(t, func(t *testing.T) relaytest.Fixture {
				s := newSite(t, hints, nil)
				return relaytest.Fixture{Account: s.account, A: s.a, B: s.b, Owner: func() relay.Owner {
					o, _ := s.owner()
					return o
				}}
			})
		})
	}
}
