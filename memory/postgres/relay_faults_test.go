package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/postgres"
	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waiting returns the number of events in the inbox, and of calls in the outbox.
func (s *site) waiting() (events, calls int) {
	s.t.Helper()
	tx, err := s.pool.Begin(s.t.Context())
	require.NoError(s.t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(s.t.Context(), "SELECT set_config('hearth.being', $1, true)", s.being)
	require.NoError(s.t, err)
	err = tx.QueryRow(s.t.Context(), "SELECT (SELECT count(*) FROM hearth.inbox WHERE being = $1), (SELECT count(*) FROM hearth.outbox WHERE being = $1)", s.being).Scan(&events, &calls)
	require.NoError(s.t, err)
	return events, calls
}

func (s *site) say(key string) {
	s.t.Helper()
	require.NoError(s.t, s.a.Publish(s.t.Context(), s.account, relay.Event{Key: key, Chat: "chat", Message: true, Body: []byte(key)}))
}

// put stores an event as a bot does.
func put(ctx context.Context, db *postgres.DB, e relay.Event) error {
	return db.Put(ctx, memory.Record{ID: e.Key, Space: "chat", Kind: memory.KindMessage, Text: string(e.Body), At: time.Unix(1.7e9, 0)})
}

func (s *site) stored() (ids []string) {
	s.t.Helper()
	recs, err := s.db.Tail(s.t.Context(), "chat", memory.KindMessage, 100)
	require.NoError(s.t, err)
	for _, r := range recs {
		ids = append(ids, r.ID)
	}
	return ids
}

// run runs an owner until stop is called.
func (s *site) run(o relay.Owner, h func(ctx context.Context, e relay.Event) error) (stop func() error) {
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx, relay.Handler{Event: h}) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	s.t.Cleanup(func() { _ = stop() })
	return stop
}

// The Put of a message removes its event in the same transaction. Other writes do not, and other events remain until their handler
// has returned.
func TestRelay_PutRemovesEvent(t *testing.T) {
	s := newSite(t, true, nil)
	o, db := s.owner()
	s.say("1")
	type look struct{ before, note, after int }
	looks := make(chan look, 2)
	stop := s.run(o, func(ctx context.Context, e relay.Event) error {
		var l look
		l.before, _ = s.waiting()
		err := errors.Join(
			db.Apply(ctx, map[string][]byte{"row": []byte("1")}),
			db.Put(ctx, memory.Record{ID: "note", Space: "chat", Kind: "note", At: time.Unix(1.7e9, 0)}),
			db.Put(context.Background(), memory.Record{ID: "other", Space: "chat", Kind: memory.KindMessage, At: time.Unix(1.7e9, 0)}),
		)
		l.note, _ = s.waiting()
		err = errors.Join(err, put(ctx, db, e))
		l.after, _ = s.waiting()
		looks <- l
		return err
	})
	assert.Equal(t, look{1, 1, 0}, <-looks)
	require.NoError(t, s.a.Publish(t.Context(), s.account, relay.Event{Key: "2", Chat: "chat", Body: []byte("2")}))
	assert.Equal(t, look{1, 1, 1}, <-looks, "it is no message")
	assert.Eventually(t, func() bool { n, _ := s.waiting(); return n == 0 }, time.Minute, time.Millisecond)
	assert.NoError(t, stop())
}

// A process dies between taking an event and storing it, or after that. Its successor stores each message once.
func TestRelay_OwnerDies(t *testing.T) {
	s := newSite(t, true, nil)
	former, formerDB := s.owner()
	for i := range 4 {
		s.say(fmt.Sprint(i))
	}
	taken, wake, woke := make(chan string, 10), make(chan struct{}), make(chan error, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- former.Run(t.Context(), relay.Handler{Event: func(ctx context.Context, e relay.Event) error {
			if e.Key == "2" { // it is paused before it stores this one
				taken <- e.Key
				<-wake
				err := put(context.WithoutCancel(ctx), formerDB, e)
				woke <- err
				return err
			}
			err := put(ctx, formerDB, e)
			taken <- e.Key
			return err
		}})
	}()
	for _, want := range []string{"0", "1", "2"} {
		assert.Equal(t, want, <-taken)
	}
	o, db := s.owner()
	got := make(chan string, 10)
	stop := s.run(o, func(ctx context.Context, e relay.Event) error {
		err := put(ctx, db, e)
		got <- e.Key
		return err
	})
	assert.Equal(t, "2", <-got)
	assert.Equal(t, "3", <-got)
	close(wake)
	assert.ErrorIs(t, <-woke, postgres.ErrFenced)
	assert.ErrorIs(t, <-ended, relay.ErrFenced)
	assert.NoError(t, stop())
	assert.Equal(t, []string{"0", "1", "2", "3"}, s.stored())
	events, _ := s.waiting()
	assert.Zero(t, events)
	assert.Empty(t, got)
}

// If a call to the database fails while a message is handled, the message is handled again, although the handler says nothing.
func TestRelay_FailedPut(t *testing.T) {
	p := startProxy(t)
	o := options(t)
	o.DSN = p.dsn()
	broken := open(t, func() postgres.Options { o := o; o.Timeout = limit; return o }())
	s := newSite(t, true, nil)
	s.being, s.db = broken.Being(), broken
	l, err := broken.Claim(t.Context(), "", "owner", time.Minute)
	require.NoError(t, err)
	db := broken.Fenced(l.Fence())
	s.say("1")
	s.say("2")
	got := make(chan string, 100)
	first := true
	stop := s.run(s.b.Owner(db, s.account), func(ctx context.Context, e relay.Event) error {
		if first {
			p.set(onCommit, true) // no connection for now
		}
		err := put(ctx, db, e)
		p.set(never, false)
		if first {
			first = false
			assert.Error(t, err)
		}
		if err == nil {
			got <- e.Key
		}
		return nil
	})
	assert.Equal(t, "1", <-got)
	assert.Equal(t, "2", <-got)
	assert.NoError(t, stop())
	assert.Equal(t, []string{"1", "2"}, s.stored())
}

// A gateway that dies after it has taken a call leaves it unclear. The next gateway does not make it again.
func TestRelay_GatewayDies(t *testing.T) {
	s := newSite(t, true, func(o *postgres.RelayOptions) { o.Poll = 20 * time.Millisecond })
	mortal, err := pgxpool.New(t.Context(), server.DSN(pgtest.Role, pgtest.Role))
	require.NoError(t, err)
	t.Cleanup(mortal.Close)
	dying, err := postgres.OpenRelay(t.Context(), postgres.RelayOptions{
		ID: "dying", Database: postgres.Options{Pool: mortal}, Poll: 5 * time.Millisecond, Being: func(string) (string, bool) { return s.being, true },
	})
	require.NoError(t, err)
	at, err := dying.Attach(t.Context(), s.account)
	require.NoError(t, err)
	made := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- at.Serve(ctx, func(ctx context.Context, body []byte) []byte {
			made <- "dying " + string(body)
			<-ctx.Done()
			return nil
		})
	}()
	o, _ := s.owner()
	inTime, cancelCall := context.WithTimeout(t.Context(), time.Minute)
	defer cancelCall()
	called := make(chan error, 1)
	go func() {
		_, err := o.Call(inTime, []byte("one"))
		called <- err
	}()
	assert.Equal(t, "dying one", <-made)
	mortal.Close() // it cannot renew its lease any more
	l, err := s.db.Lease(t.Context(), "account:"+s.account)
	require.NoError(t, err)
	require.NoError(t, s.db.Release(t.Context(), l.Fence())) // as if its time had passed
	err = <-called
	assert.ErrorIs(t, err, relay.ErrUnclear)
	assert.NotErrorIs(t, err, relay.ErrNotCalled)

	next, err := s.b.Attach(t.Context(), s.account)
	require.NoError(t, err)
	ctx2, cancel2 := context.WithCancel(t.Context())
	served2 := make(chan error, 1)
	go func() {
		served2 <- next.Serve(ctx2, func(_ context.Context, body []byte) []byte {
			made <- "next " + string(body)
			return body
		})
	}()
	answer, err := o.Call(inTime, []byte("two"))
	assert.NoError(t, err)
	assert.Equal(t, "two", string(answer))
	assert.Equal(t, "next two", <-made)
	_, calls := s.waiting()
	assert.Zero(t, calls, "rows of calls that have ended are removed")
	cancel()
	cancel2()
	assert.NoError(t, <-served)
	assert.NoError(t, <-served2)
	assert.Empty(t, made)
}

// cutOff returns an owner whose connections go through a proxy, which cuts them at a call with this body, and an attachment of another
// process.
func cutOff(t *testing.T, body string) (*site, *proxy, relay.Owner, relay.Attachment) {
	t.Helper()
	s, p := newSite(t, true, nil), startProxy(t)
	p.mark = []byte(body)
	o := options(t)
	o.DSN, o.Being = p.dsn(), s.being
	l, err := s.db.Claim(t.Context(), "", "owner", time.Minute)
	require.NoError(t, err)
	attached, err := s.a.Attach(t.Context(), s.account)
	require.NoError(t, err)
	return s, p, s.b.Owner(open(t, o).Fenced(l.Fence()), s.account), attached
}

// The connection breaks while a call is stored. Its caller is told that it is not made, and so it never is.
func TestRelay_LostInsertion(t *testing.T) {
	for name, at := range map[string]cut{"stored": afterCommit, "not stored": onCommit, "not stored yet": holdCommit} {
		t.Run(name, func(t *testing.T) {
			_, p, owner, attached := cutOff(t, "lost call")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p.set(at, false)
			_, err := owner.Call(ctx, []byte("lost call"))
			assert.ErrorIs(t, err, relay.ErrNotCalled)
			assert.NotErrorIs(t, err, relay.ErrUnclear)
			assert.ErrorIs(t, err, postgres.ErrUnavailable)

			made := make(chan string, 10)
			serving, stop := context.WithCancel(ctx)
			ended := make(chan error, 1)
			go func() {
				ended <- attached.Serve(serving, func(_ context.Context, body []byte) []byte {
					made <- string(body)
					return nil
				})
			}()
			_, err = owner.Call(ctx, []byte("next call"))
			assert.NoError(t, err)
			assert.Equal(t, "next call", <-made)
			stop()
			assert.NoError(t, <-ended)
			assert.Empty(t, made)
		})
	}
}

// A gateway takes a call before its caller knows that it is stored. If the connection breaks then, the caller gets the answer. If its
// context ends, the gateway learns that nobody waits.
func TestRelay_TakenBeforeStoredIsKnown(t *testing.T) {
	for _, broken := range []bool{true, false} {
		t.Run(fmt.Sprintf("broken=%v", broken), func(t *testing.T) {
			s, p, owner, attached := cutOff(t, "silent call")
			taken, may, gaveUp := make(chan string, 10), make(chan struct{}), make(chan struct{}, 10)
			serving, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- attached.Serve(serving, func(ctx context.Context, body []byte) []byte {
					taken <- string(body)
					select {
					case <-may:
					case <-ctx.Done():
						gaveUp <- struct{}{}
					}
					return []byte("answer")
				})
			}()
			p.set(muteAnswer, false)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			type result struct {
				answer []byte
				err    error
			}
			called := make(chan result, 1)
			go func() {
				answer, err := owner.Call(ctx, []byte("silent call"))
				called <- result{answer, err}
			}()
			assert.Equal(t, "silent call", <-taken)
			if broken {
				p.closeSilent()
				close(may)
				r := <-called
				assert.NoError(t, r.err)
				assert.Equal(t, "answer", string(r.answer))
			} else {
				cancel()
				assert.ErrorIs(t, (<-called).err, relay.ErrUnclear)
				<-gaveUp
				p.closeSilent()
			}
			stop()
			assert.NoError(t, <-ended)
			assert.Empty(t, taken)
			_, calls := s.waiting()
			assert.Zero(t, calls)
		})
	}
}
