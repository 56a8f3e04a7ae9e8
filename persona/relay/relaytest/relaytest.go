// Package relaytest tests implementations of package relay.
package relaytest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona/relay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Fixture is a relay with one account.
type Fixture struct {
	Account string
	A, B    relay.Gateway      // of two processes
	Owner   func() relay.Owner // makes a new owner, in a new process; earlier owners are fenced
}

// Test tests a relay. open returns one without events and calls.
func Test(t *testing.T, open func(t *testing.T) Fixture) {
	for name, test := range map[string]func(f *fixture){
		"order": testOrder, "same key": testSameKey, "handled again": testHandledAgain, "next owner": testNextOwner, "former owner": testFormerOwner,
		"calls": testCalls, "not connected": testNotConnected, "withdrawn": testWithdrawn, "unclear": testUnclear, "fenced call": testFencedCall,
		"newest connection": testNewest, "link": testLink, "too large": testTooLarge,
	} {
		t.Run(name, func(t *testing.T) {
			f := &fixture{T: t, Fixture: open(t)}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			f.ctx = ctx
			defer f.running.Wait()
			defer cancel()
			test(f)
		})
	}
}

type fixture struct {
	*testing.T
	Fixture
	ctx     context.Context
	running sync.WaitGroup
}

// start runs f until stop is called, which returns its result.
func (f *fixture) start(run func(ctx context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(f.ctx)
	ended := make(chan error, 1)
	f.running.Go(func() { ended <- run(ctx) })
	return sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
}

// handle runs an owner with a handler of events.
func (f *fixture) handle(o relay.Owner, event func(ctx context.Context, e relay.Event) error) (stop func() error) {
	return f.start(func(ctx context.Context) error { return o.Run(ctx, relay.Handler{Event: event}) })
}

// serve attaches a gateway and answers calls.
func (f *fixture) serve(g relay.Gateway, handle func(ctx context.Context, body []byte) []byte) (at relay.Attachment, stop func() error) {
	at = f.attach(g)
	return at, f.start(func(ctx context.Context) error { return at.Serve(ctx, handle) })
}

func (f *fixture) attach(g relay.Gateway) relay.Attachment {
	f.Helper()
	at, err := g.Attach(f.ctx, f.Account)
	require.NoError(f, err)
	return at
}

func (f *fixture) publish(g relay.Gateway, key, chat, body string) {
	f.Helper()
	require.NoError(f, g.Publish(f.ctx, f.Account, relay.Event{Key: key, Chat: chat, Body: []byte(body)}))
}

// next returns the next value of a channel.
func next[T any](f *fixture, c <-chan T) (v T) {
	f.Helper()
	select {
	case v = <-c:
	case <-f.ctx.Done():
		require.FailNow(f, "nothing comes")
	}
	return v
}

func echo(_ context.Context, body []byte) []byte { return append([]byte("re: "), body...) }

// Events of a chat come in order, whatever gateway has stored them. A chat that waits does not delay others.
func testOrder(f *fixture) {
	got := make(chan string, 1000)
	release := make(chan struct{})
	const chats, n = 3, 30
	for i := range n {
		for chat := range chats {
			f.publish([]relay.Gateway{f.A, f.B}[i%2], fmt.Sprint(chat, "/", i), fmt.Sprint(chat), fmt.Sprint(chat, " ", i))
		}
	}
	stop := f.handle(f.Owner(), func(ctx context.Context, e relay.Event) error {
		if e.Chat == "0" {
			select {
			case <-release:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		got <- string(e.Body)
		return nil
	})
	defer stop()
	of := map[string]int{}
	take := func(count int) {
		for range count {
			var chat string
			var i int
			_, err := fmt.Sscan(next(f, got), &chat, &i)
			require.NoError(f, err)
			assert.Equal(f, of[chat], i)
			of[chat]++
		}
	}
	take((chats - 1) * n)
	assert.Zero(f, of["0"])
	close(release)
	take(n)
	f.publish(f.A, "later", "1", "1 30")
	take(1)
	assert.NoError(f, stop())
}

// An event whose key waits is not stored again.
func testSameKey(f *fixture) {
	f.publish(f.A, "1", "", "one")
	f.publish(f.B, "1", "", "one again")
	f.publish(f.A, "2", "", "two")
	got := make(chan string, 10)
	stop := f.handle(f.Owner(), func(_ context.Context, e relay.Event) error {
		got <- e.Key + " " + string(e.Body)
		return nil
	})
	assert.Equal(f, "1 one", next(f, got))
	assert.Equal(f, "2 two", next(f, got))
	assert.NoError(f, stop())
}

// An event whose handler fails is handled again, before the next one of its chat.
func testHandledAgain(f *fixture) {
	f.publish(f.A, "1", "chat", "one")
	f.publish(f.A, "2", "chat", "two")
	got := make(chan string, 10)
	failed := false
	stop := f.handle(f.Owner(), func(_ context.Context, e relay.Event) error {
		got <- string(e.Body)
		if !failed {
			failed = true
			return errors.New("not now")
		}
		return nil
	})
	assert.Equal(f, "one", next(f, got))
	assert.Equal(f, "one", next(f, got))
	assert.Equal(f, "two", next(f, got))
	assert.NoError(f, stop())
}

// What an owner has not handled comes to the next one, and nothing else does.
func testNextOwner(f *fixture) {
	f.publish(f.A, "1", "chat", "one")
	f.publish(f.A, "2", "chat", "two")
	got := make(chan string, 10)
	stop := f.handle(f.Owner(), func(ctx context.Context, e relay.Event) error {
		got <- string(e.Body)
		if e.Key == "2" {
			<-ctx.Done() // the process ends between taking and storing
			return ctx.Err()
		}
		return nil
	})
	assert.Equal(f, "one", next(f, got))
	assert.Equal(f, "two", next(f, got))
	assert.NoError(f, stop())
	stop = f.handle(f.Owner(), func(_ context.Context, e relay.Event) error {
		got <- string(e.Body)
		return nil
	})
	assert.Equal(f, "two", next(f, got))
	f.publish(f.A, "3", "chat", "three")
	assert.Equal(f, "three", next(f, got))
	assert.NoError(f, stop())
}

// A process that was the owner once cannot remove an event.
func testFormerOwner(f *fixture) {
	f.publish(f.A, "1", "", "one")
	got, release := make(chan string, 10), make(chan struct{})
	former := f.Owner()
	ended := make(chan error, 1)
	f.running.Go(func() {
		ended <- former.Run(f.ctx, relay.Handler{Event: func(_ context.Context, e relay.Event) error {
			got <- string(e.Body)
			<-release
			return nil
		}})
	})
	assert.Equal(f, "one", next(f, got))
	owner := f.Owner()
	close(release)
	assert.ErrorIs(f, next(f, ended), relay.ErrFenced)
	stop := f.handle(owner, func(_ context.Context, e relay.Event) error {
		got <- string(e.Body)
		return nil
	})
	assert.Equal(f, "one", next(f, got))
	assert.NoError(f, stop())
}

func testCalls(f *fixture) {
	_, stop := f.serve(f.A, echo)
	owner := f.Owner()
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			answer, err := owner.Call(f.ctx, []byte(fmt.Sprint(i)))
			assert.NoError(f, err)
			assert.Equal(f, fmt.Sprint("re: ", i), string(answer))
		})
	}
	calls.Wait()
	large := make([]byte, 3<<20)
	answer, err := owner.Call(f.ctx, large)
	assert.NoError(f, err)
	assert.Len(f, answer, len(large)+4)
	assert.NoError(f, stop())
}

func testNotConnected(f *fixture) {
	owner := f.Owner()
	_, err := owner.Call(f.ctx, []byte("a"))
	assert.ErrorIs(f, err, relay.ErrNotCalled)
	assert.ErrorIs(f, err, relay.ErrDisconnected)
	at, stop := f.serve(f.A, echo)
	_, err = owner.Call(f.ctx, []byte("b"))
	assert.NoError(f, err)
	assert.NoError(f, stop())
	assert.NoError(f, at.Close(f.ctx))
	_, err = owner.Call(f.ctx, []byte("c"))
	assert.ErrorIs(f, err, relay.ErrNotCalled)
	assert.ErrorIs(f, err, relay.ErrDisconnected)
}

// A call that no gateway has taken is withdrawn when its context ends.
func testWithdrawn(f *fixture) {
	owner := f.Owner()
	at := f.attach(f.A)
	for range 5 {
		ctx, cancel := context.WithCancel(f.ctx)
		ended := make(chan error, 1)
		f.running.Go(func() {
			_, err := owner.Call(ctx, []byte("withdrawn"))
			ended <- err
		})
		cancel()
		err := next(f, ended)
		assert.ErrorIs(f, err, relay.ErrNotCalled)
		assert.NotErrorIs(f, err, relay.ErrUnclear)
		assert.ErrorIs(f, err, context.Canceled)
	}
	got := make(chan string, 10)
	stop := f.start(func(ctx context.Context) error {
		return at.Serve(ctx, func(_ context.Context, body []byte) []byte {
			got <- string(body)
			return nil
		})
	})
	_, err := owner.Call(f.ctx, []byte("made"))
	assert.NoError(f, err)
	assert.Equal(f, "made", next(f, got))
	assert.NoError(f, stop())
}

// A call that was taken is unclear when its context ends. The gateway learns that, and no gateway makes it again.
func testUnclear(f *fixture) {
	owner := f.Owner()
	got, gone := make(chan string, 10), make(chan struct{}, 10)
	_, stop := f.serve(f.A, func(ctx context.Context, body []byte) []byte {
		got <- string(body)
		<-ctx.Done()
		gone <- struct{}{}
		return nil
	})
	ctx, cancel := context.WithCancel(f.ctx)
	ended := make(chan error, 1)
	f.running.Go(func() {
		_, err := owner.Call(ctx, []byte("one"))
		ended <- err
	})
	assert.Equal(f, "one", next(f, got))
	cancel()
	err := next(f, ended)
	assert.ErrorIs(f, err, relay.ErrUnclear)
	assert.NotErrorIs(f, err, relay.ErrNotCalled)
	next(f, gone)
	assert.NoError(f, stop())

	_, stop = f.serve(f.B, func(_ context.Context, body []byte) []byte {
		got <- string(body)
		return nil
	})
	_, err = owner.Call(f.ctx, []byte("two"))
	assert.NoError(f, err)
	assert.Equal(f, "two", next(f, got))
	assert.NoError(f, stop())
}

// A call of a former owner is refused, also one that it made while it was the owner.
func testFencedCall(f *fixture) {
	former := f.Owner()
	at := f.attach(f.A)
	ended := make(chan error, 1)
	f.running.Go(func() {
		_, err := former.Call(f.ctx, []byte("former"))
		ended <- err
	})
	owner := f.Owner()
	got := make(chan string, 10)
	stop := f.start(func(ctx context.Context) error {
		return at.Serve(ctx, func(_ context.Context, body []byte) []byte {
			got <- string(body)
			return nil
		})
	})
	err := next(f, ended)
	assert.ErrorIs(f, err, relay.ErrFenced)
	assert.ErrorIs(f, err, relay.ErrNotCalled)
	_, err = former.Call(f.ctx, []byte("former again"))
	assert.ErrorIs(f, err, relay.ErrFenced)
	assert.ErrorIs(f, err, relay.ErrNotCalled)
	_, err = owner.Call(f.ctx, []byte("owner"))
	assert.NoError(f, err)
	assert.Equal(f, "owner", next(f, got))
	assert.NoError(f, stop())
}

// The newest connection gets the calls.
func testNewest(f *fixture) {
	owner := f.Owner()
	old := f.attach(f.A)
	ended := make(chan error, 1)
	f.running.Go(func() {
		ended <- old.Serve(f.ctx, func(context.Context, []byte) []byte { return []byte("A") })
	})
	answer, err := owner.Call(f.ctx, nil)
	require.NoError(f, err)
	assert.Equal(f, "A", string(answer))
	_, stop := f.serve(f.B, func(context.Context, []byte) []byte { return []byte("B") })
	assert.ErrorIs(f, next(f, ended), relay.ErrReplaced)
	require.NoError(f, old.Close(f.ctx))
	for range 5 {
		answer, err = owner.Call(f.ctx, nil)
		require.NoError(f, err)
		assert.Equal(f, "B", string(answer))
	}
	assert.NoError(f, stop())
}

// The owner learns whether the account is connected.
func testLink(f *fixture) {
	owner := f.Owner()
	links := make(chan relay.Link, 10)
	run := func(o relay.Owner) (stop func() error) {
		return f.start(func(ctx context.Context) error {
			return o.Run(ctx, relay.Handler{Event: func(context.Context, relay.Event) error { return nil }, Link: func(l relay.Link) { links <- l }})
		})
	}
	stop := run(owner)
	assert.False(f, next(f, links).Connected)
	f.attach(f.A)
	first := next(f, links)
	assert.True(f, first.Connected)
	assert.Equal(f, first, owner.Link())
	at := f.attach(f.B)
	second := next(f, links)
	assert.True(f, second.Connected)
	assert.Greater(f, second.Epoch, first.Epoch)
	assert.NoError(f, stop())

	owner = f.Owner()
	stop = run(owner)
	assert.Equal(f, second, next(f, links), "a new owner learns it at its start")
	require.NoError(f, at.Close(f.ctx))
	assert.False(f, next(f, links).Connected)
	assert.False(f, owner.Link().Connected)
	assert.NoError(f, stop())
}

func testTooLarge(f *fixture) {
	_, stop := f.serve(f.A, echo)
	err := f.A.Publish(f.ctx, f.Account, relay.Event{Key: "1", Body: make([]byte, relay.MaxEvent+1)})
	assert.ErrorIs(f, err, relay.ErrTooLarge)
	_, err = f.Owner().Call(f.ctx, make([]byte, relay.MaxCall+1))
	assert.ErrorIs(f, err, relay.ErrTooLarge)
	assert.ErrorIs(f, err, relay.ErrNotCalled)
	assert.NoError(f, stop())
}
