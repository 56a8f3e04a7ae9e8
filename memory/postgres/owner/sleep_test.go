package owner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A dormitory is a fleet whose bots handle the events of a relay, and sleep when they have looked at it.
type dormitory struct {
	*fleet
	relay   *postgres.Relay
	rest    time.Duration // they sleep so long; 0: until an event comes
	starts  atomic.Int64
	handled sync.Map    // the bot and the key of each event; an event may be handled twice
	awake   atomic.Bool // they do not sleep
}

func newDormitory(t *testing.T) *dormitory {
	d := &dormitory{fleet: newFleet(t)}
	var err error
	d.relay, err = postgres.OpenRelay(t.Context(), postgres.RelayOptions{ID: "gateway", Database: d.o.Database, Being: func(account string) (string, bool) {
		return strings.TrimPrefix(account, "of "), true
	}})
	require.NoError(t, err)
	return d
}

// start runs a process until stop.
func (d *dormitory) start(id string, pool *pgxpool.Pool) (stop func()) {
	o := d.o
	o.ID, o.Act = id, d.act
	o.OnError = func(being string, err error) { d.t.Log(id, being, err) }
	if pool != nil {
		o.Database.Pool = pool
		o.OnError = nil
	}
	ctx, cancel := context.WithCancel(d.t.Context())
	done := make(chan error)
	go func() { done <- owner.Run(ctx, o) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); assert.NoError(d.t, <-done) }) }
	d.t.Cleanup(stop)
	return stop
}

// act handles what waits, and sleeps.
func (d *dormitory) act(ctx context.Context, db *postgres.DB) error {
	d.starts.Add(1)
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	looked := make(chan struct{}, 1)
	done := make(chan error, 1)
	go func() {
		done <- d.relay.Owner(db, "of "+db.Being()).Run(inside, relay.Handler{
			Event: func(_ context.Context, e relay.Event) error {
				d.handled.Store(db.Being()+" "+e.Key, true)
				return nil
			},
			Link: func(relay.Link) { looked <- struct{}{} },
		})
	}()
	select {
	case <-looked:
	case <-ctx.Done():
	}
	owner.Ready(ctx)
	for d.awake.Load() && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
	cancel()
	<-done
	if d.rest == 0 {
		return owner.SleepUntil(time.Time{})
	}
	return owner.SleepUntil(time.Now().Add(d.rest))
}

// publish lets an event come to each bot.
func (d *dormitory) publish(key string) {
	for _, b := range d.o.Beings {
		require.NoError(d.t, d.relay.Publish(d.t.Context(), "of "+b, relay.Event{Key: key}))
	}
}

// awaitHandled waits until n events of each bot are handled.
func (d *dormitory) awaitHandled(n int) {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		handled := 0
		d.handled.Range(func(any, any) bool { handled++; return true })
		return handled == n*len(d.o.Beings)
	}, time.Minute, 5*time.Millisecond)
}

// asleep waits until all bots sleep, and none must be woken.
func (d *dormitory) asleep() {
	d.t.Helper()
	o := d.o.Database
	o.Being = d.o.Group
	db, err := postgres.Open(d.t.Context(), o)
	require.NoError(d.t, err)
	require.Eventually(d.t, func() bool {
		all, err := db.Sleepers(d.t.Context())
		sleeping := 0
		for _, s := range all {
			if s.Left > 0 {
				sleeping++
			}
		}
		return err == nil && sleeping == len(d.o.Beings)
	}, time.Minute, 5*time.Millisecond)
}

// Bots that sleep start for an event only, whichever processes come and go, and handle each event, also one that comes while they fall
// asleep.
func TestRun_Sleep(t *testing.T) {
	d := newDormitory(t)
	stopA := d.start("a", nil)
	d.asleep()
	first := d.starts.Load()
	require.GreaterOrEqual(t, first, int64(len(d.o.Beings)))
	stopB := d.start("b", nil)
	time.Sleep(300 * time.Millisecond) // until it has listed the members
	stopA()
	d.start("c", nil)
	time.Sleep(300 * time.Millisecond)
	stopB()
	assert.Equal(t, first, d.starts.Load(), "no process wakes them")

	const rounds = 8
	for i := range rounds {
		d.publish(fmt.Sprint(i))
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
	}
	d.awaitHandled(rounds)
	d.asleep()
}

// Bots are woken when their time has come.
func TestRun_SleepUntil(t *testing.T) {
	d := newDormitory(t)
	d.rest = 100 * time.Millisecond
	d.start("a", nil)
	require.Eventually(t, func() bool { return d.starts.Load() >= int64(3*len(d.o.Beings)) }, time.Minute, 5*time.Millisecond)
}

// After a crash of the process that would wake them, another one does.
func TestRun_SleepCrash(t *testing.T) {
	d := newDormitory(t)
	d.o.Timing = owner.Timing{Valid: time.Second, Renew: 100 * time.Millisecond, Retry: 20 * time.Millisecond}
	pool, err := pgxpool.New(t.Context(), server.DSN(pgtest.Role, pgtest.Role))
	require.NoError(t, err)
	d.start("a", pool)
	d.asleep()
	pool.Close() // it cannot say that it leaves
	d.start("b", nil)
	d.publish("1")
	d.awaitHandled(1)
	d.asleep()
}
