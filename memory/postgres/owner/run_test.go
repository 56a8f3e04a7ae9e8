package owner_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/memory/postgres/owner"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	server  *pgtest.Server
	missing error
	runs    atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

// A fleet starts processes and knows who acts for which being.
type fleet struct {
	t      *testing.T
	o      owner.Options
	mu     sync.Mutex
	acting map[string]string       // process by being
	former map[string]*postgres.DB // handle whose context has ended
}

func newFleet(t *testing.T) *fleet {
	if missing != nil {
		t.Skip("no server: ", missing)
	}
	pool, err := pgxpool.New(t.Context(), server.DSN(pgtest.Role, pgtest.Role))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	n := runs.Add(1)
	f := &fleet{t: t, acting: map[string]string{}, former: map[string]*postgres.DB{}}
	f.o = owner.Options{Group: fmt.Sprint("owners", n), Database: postgres.Options{Pool: pool}, Timing: owner.Timing{Retry: 20 * time.Millisecond, Renew: 200 * time.Millisecond}}
	for i := range 12 {
		f.o.Beings = append(f.o.Beings, fmt.Sprintf("being %d of %d", i, n))
	}
	return f
}

// start runs a process until stop is called, which waits for its end.
func (f *fleet) start(id string) (stop func()) {
	ctx, cancel := context.WithCancel(f.t.Context())
	o := f.o
	o.ID = id
	o.OnError = func(being string, err error) { f.t.Log(id, being, err) }
	o.Act = func(ctx context.Context, db *postgres.DB) error {
		f.mu.Lock()
		f.acting[db.Being()] = id
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.acting, db.Being())
			f.former[db.Being()] = db
		}()
		if err := db.Put(ctx, memory.Record{ID: id + time.Now().String(), Space: "qq:group:1", Text: id}); err != nil {
			return err
		}
		owner.Ready(ctx)
		<-ctx.Done()
		return nil
	}
	done := make(chan error)
	go func() { done <- owner.Run(ctx, o) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); assert.NoError(f.t, <-done) }) }
	f.t.Cleanup(stop)
	return stop
}

// await waits until the processes divide all beings as they should.
func (f *fleet) await(ids ...string) {
	f.t.Helper()
	want := map[string]string{}
	for _, b := range f.o.Beings {
		if len(ids) > 0 {
			want[b] = owner.Prefer(b, ids)
		}
	}
	require.Eventually(f.t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return maps.Equal(want, f.acting)
	}, time.Minute, 10*time.Millisecond)
}

// Two processes divide the beings, a third one joins, and each that ends hands over. No handle of before can write then.
func TestRun(t *testing.T) {
	f := newFleet(t)
	stopA := f.start("a")
	f.await("a")
	stopB := f.start("b")
	f.await("a", "b")
	stopC := f.start("c")
	f.await("a", "b", "c")
	f.mu.Lock()
	former := maps.Clone(f.former)
	f.mu.Unlock()
	assert.NotEmpty(t, former)
	for being, db := range former { // all processes run, so that it is not closed
		assert.ErrorIs(t, db.Put(t.Context(), memory.Record{ID: "late", Space: "qq:group:1"}), postgres.ErrFenced, being)
	}
	stopA()
	f.await("b", "c")
	stopB()
	f.await("c")
	stopC()
	f.await()

	o := f.o.Database
	o.Being = f.o.Group
	db, err := postgres.Open(t.Context(), o)
	require.NoError(t, err)
	left, err := db.Leases(t.Context())
	require.NoError(t, err)
	assert.Empty(t, left, "all have left")
	assert.Len(t, f.former, len(f.o.Beings), "control: each was acted for")
}

// Processes learn from each other who comes and leaves: with hours between two lists of the members they would not notice.
func TestRun_Hints(t *testing.T) {
	f := newFleet(t)
	f.o.Timing = owner.Timing{Valid: 6 * time.Hour, Renew: 2 * time.Hour, Retry: 100 * time.Millisecond}
	stopA := f.start("a")
	f.await("a")
	stopB := f.start("b")
	f.await("a", "b")
	stopA()
	f.await("b")
	stopB()
}

// A second process of the same name does not join, and says why.
func TestRun_SameID(t *testing.T) {
	f := newFleet(t)
	f.start("a")
	f.await("a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := f.o
	o.ID = "a"
	var told atomic.Bool
	o.Act = func(context.Context, *postgres.DB) error { t.Error("acts"); return nil }
	o.OnError = func(being string, err error) {
		var held *postgres.HeldError
		if errors.As(err, &held) {
			told.Store(true)
			cancel()
		}
	}
	require.NoError(t, owner.Run(ctx, o))
	assert.True(t, told.Load())
}

func TestRun_Options(t *testing.T) {
	require.ErrorContains(t, owner.Run(t.Context(), owner.Options{}), "Options.ID")
	o := owner.Options{ID: "a", Act: func(context.Context, *postgres.DB) error { return nil }, Database: postgres.Options{Pool: new(pgxpool.Pool)}}
	o.Timing.Renew = 14 * time.Second
	require.ErrorContains(t, owner.Run(t.Context(), o), "shorter than Valid")
}
