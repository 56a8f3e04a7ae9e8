package owner

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeLeases are leases that one process has, as long as the network is not cut. During a cut a call waits for its end.
type fakeLeases struct {
	mu    sync.Mutex
	cut   bool
	epoch int64
	until time.Time
	calls []Kind
}

func (f *fakeLeases) ask(ctx context.Context, k Kind, valid time.Duration) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, k)
	if f.cut {
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
		return 0, ctx.Err()
	}
	if k == Claim {
		f.epoch++
	}
	if k == Claim || k == Renew {
		f.until = time.Now().Add(valid)
	}
	return f.epoch, nil
}

func (f *fakeLeases) setCut(cut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = cut
}

func (f *fakeLeases) join(ctx context.Context, valid time.Duration) (Result, error) {
	_, err := f.ask(ctx, Join, valid)
	return Result{Members: []string{"me"}}, err
}

func (f *fakeLeases) sleep(ctx context.Context, _ string, _ int64, rest time.Duration) (time.Duration, error) {
	_, err := f.ask(ctx, Sleep, 0)
	return rest, err
}

func (f *fakeLeases) want(context.Context, string) {}

func (f *fakeLeases) leave(ctx context.Context) error { _, err := f.ask(ctx, Leave, 0); return err }
func (f *fakeLeases) claim(ctx context.Context, _ string, valid time.Duration) (int64, error) {
	return f.ask(ctx, Claim, valid)
}
func (f *fakeLeases) renew(ctx context.Context, _ string, _ int64, valid time.Duration) error {
	_, err := f.ask(ctx, Renew, valid)
	return err
}
func (f *fakeLeases) release(ctx context.Context, _ string, _ int64) error {
	_, err := f.ask(ctx, Release, 0)
	return err
}

// A process without a connection ends its bot before the lease can end, and starts it again later with a new epoch. At the end
// of its context it ends the bot, then the lease.
func TestRunner_Cut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var epochs []int64
		var ended []time.Time
		var failed int
		f := &fakeLeases{}
		timing := Timing{}.withDefaults()
		r := &runner{core: New("me", Timing{}, []string{"a"}), timing: timing, leases: f, answers: make(chan answer), stops: map[string]context.CancelFunc{}}
		r.onError = func(_ string, err error) { failed++ }
		r.act = func(ctx context.Context, being string, epoch int64) error {
			mu.Lock()
			epochs = append(epochs, epoch)
			mu.Unlock()
			<-ctx.Done()
			mu.Lock()
			ended = append(ended, time.Now())
			mu.Unlock()
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { defer close(over); r.run(ctx) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []int64{1}, epochs)
		require.Empty(t, ended)
		require.True(t, f.until.After(time.Now()), "renewed")

		f.setCut(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, ended, 1)
		assert.Equal(t, timing.Margin, f.until.Sub(ended[0]))
		assert.Positive(t, failed)

		f.setCut(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []int64{1, 2}, epochs)
		cancel()
		<-over
		require.Len(t, ended, 2)
		assert.ElementsMatch(t, []Kind{Leave, Release}, f.calls[len(f.calls)-2:])
	})
}

// A bot that ends by itself starts again after a while, with a new epoch, and its error is told.
func TestRunner_ActEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		var epochs []int64
		var told []error
		r := &runner{core: New("me", Timing{}, []string{"a"}), timing: Timing{}.withDefaults(), leases: &fakeLeases{}, answers: make(chan answer), stops: map[string]context.CancelFunc{}}
		r.onError = func(being string, err error) { told = append(told, err) }
		r.act = func(ctx context.Context, being string, epoch int64) error {
			epochs = append(epochs, epoch)
			return broken
		}
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		r.run(ctx)
		assert.Equal(t, []int64{1, 2, 3}, epochs)
		assert.Equal(t, []error{broken, broken, broken}, told)
	})
}
