package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// group returns a handle of a new group of processes.
func groupOf(t *testing.T) (*postgres.DB, postgres.Waker) {
	o := options(t)
	return open(t, o), postgres.Waker{Group: o.Being}
}

// A being that sleeps is listed for its group only, and is claimed only when its time has come or somebody wakes it.
func TestDB_Sleep(t *testing.T) {
	ctx := t.Context()
	db := open(t, options(t))
	group, bed := groupOf(t)
	others, _ := groupOf(t)
	l, err := db.ClaimAwake(ctx, "a", minute)
	require.NoError(t, err, "it does not sleep")
	_, err = db.ClaimAwake(ctx, "b", minute)
	var held *postgres.HeldError
	require.ErrorAs(t, err, &held)

	left, err := db.Sleep(ctx, l.Fence(), bed, time.Hour)
	require.NoError(t, err)
	assert.Equal(t, time.Hour, left)
	asleep, err := group.Sleepers(ctx)
	require.NoError(t, err)
	require.Len(t, asleep, 1)
	assert.Equal(t, db.Being(), asleep[0].Being)
	assert.InDelta(t, time.Hour, asleep[0].Left, float64(time.Minute))
	asleep, err = others.Sleepers(ctx)
	require.NoError(t, err)
	assert.Empty(t, asleep)

	_, err = db.ClaimAwake(ctx, "b", minute)
	var sleeps *postgres.AsleepError
	require.ErrorAs(t, err, &sleeps)
	assert.InDelta(t, time.Hour, sleeps.Sleeper.Left, float64(time.Minute))
	_, err = db.Sleep(ctx, l.Fence(), bed, time.Hour)
	require.NoError(t, err, "nobody has claimed it")

	again, err := db.Claim(ctx, "", "c", minute)
	require.NoError(t, err, "a claim wakes it")
	assert.Equal(t, l.Epoch+1, again.Epoch)
	asleep, err = group.Sleepers(ctx)
	require.NoError(t, err)
	assert.Empty(t, asleep)
	_, err = db.Sleep(ctx, l.Fence(), bed, time.Hour)
	require.ErrorIs(t, err, postgres.ErrFenced)

	_, err = db.Sleep(ctx, again.Fence(), bed, 0)
	require.NoError(t, err)
	third, err := db.ClaimAwake(ctx, "a", minute)
	require.NoError(t, err, "its time has come")
	assert.Equal(t, again.Epoch+1, third.Epoch)
}

// An event, and a new connection, wake a bot that sleeps. One that waits already leaves it awake.
func TestRelay_Wakes(t *testing.T) {
	ctx := t.Context()
	s := newSite(t, false, nil)
	group, bed := groupOf(t)
	sleep := func() time.Duration {
		t.Helper()
		l, err := s.db.TakeOver(ctx, "", "owner", minute)
		require.NoError(t, err)
		left, err := s.db.Sleep(ctx, l.Fence(), bed, time.Hour)
		require.NoError(t, err)
		return left
	}
	left := func() time.Duration {
		t.Helper()
		asleep, err := group.Sleepers(ctx)
		require.NoError(t, err)
		require.Len(t, asleep, 1)
		return asleep[0].Left
	}
	handle := func() {
		o, _ := s.owner()
		ctx, cancel := contextOf(t)
		done := make(chan error)
		go func() { done <- o.Run(ctx, relay.Handler{Event: handled}) }()
		assert.Eventually(t, func() bool { n, _ := s.waiting(); return n == 0 }, time.Minute, time.Millisecond)
		cancel()
		require.NoError(t, <-done)
	}
	require.Positive(t, sleep())
	require.Positive(t, left())
	require.NoError(t, s.a.Publish(ctx, s.account, relay.Event{Key: "1"}))
	assert.Zero(t, left())
	assert.Zero(t, sleep(), "the event waits")
	assert.Zero(t, left())
	handle()
	require.Positive(t, sleep())
	_, err := s.a.Attach(ctx, s.account)
	require.NoError(t, err)
	assert.Zero(t, left(), "it may have missed messages")
	handle()
	require.Positive(t, sleep())
	assert.Positive(t, left())
}

// An event that is published while its bot falls asleep is never missed.
func TestRelay_WakesDuringSleep(t *testing.T) {
	s := newSite(t, false, nil)
	group, bed := groupOf(t)
	all := super(t)
	for i := range 50 {
		l, err := s.db.TakeOver(t.Context(), "", "owner", minute)
		require.NoError(t, err)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := s.db.Sleep(t.Context(), l.Fence(), bed, time.Hour)
			assert.NoError(t, err)
		})
		wg.Go(func() { assert.NoError(t, s.a.Publish(t.Context(), s.account, relay.Event{Key: fmt.Sprint(i)})) })
		wg.Wait()
		asleep, err := group.Sleepers(t.Context())
		require.NoError(t, err)
		require.Len(t, asleep, 1)
		require.Zero(t, asleep[0].Left)
		_, err = all.Exec(t.Context(), "DELETE FROM hearth.inbox WHERE being = $1", s.being)
		require.NoError(t, err)
	}
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func handled(context.Context, relay.Event) error { return nil }

// Tables of the version before are upgraded once by processes that start at the same time, and keep their rows.
func TestOpen_BeforeSleep(t *testing.T) {
	o := options(t)
	o.Schema = unique("before sleep")
	pool, err := pgxpool.New(t.Context(), o.DSN)
	require.NoError(t, err)
	defer pool.Close()
	ro := postgres.RelayOptions{ID: "a", Database: postgres.Options{Pool: pool, Schema: o.Schema}, Being: func(string) (string, bool) { return o.Being, true }}
	require.NoError(t, open(t, o).Put(t.Context(), said(1)))
	r, err := postgres.OpenRelay(t.Context(), ro)
	require.NoError(t, err)
	require.NoError(t, r.Publish(t.Context(), "x", relay.Event{Key: "1"}))
	require.NoError(t, server.Exec(pgtest.Role, fmt.Sprintf("DROP FUNCTION %q.wake_sleeper CASCADE", o.Schema), fmt.Sprintf("DROP TABLE %q.sleepers", o.Schema),
		fmt.Sprintf("UPDATE %q.versions SET version = 1 WHERE part IN ('store', 'relay')", o.Schema)))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db, err := postgres.Open(t.Context(), o)
			if assert.NoError(t, err) {
				assert.NoError(t, db.Close())
			}
		})
		wg.Go(func() {
			_, err := postgres.OpenRelay(t.Context(), ro)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	db := open(t, o)
	assert.Len(t, all(t, db, group), 1)
	l, err := db.Claim(t.Context(), "", "a", minute)
	require.NoError(t, err)
	left, err := db.Sleep(t.Context(), l.Fence(), postgres.Waker{Group: "g"}, time.Hour)
	require.NoError(t, err)
	assert.Zero(t, left, "the event of before waits")
}
