package onebot

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moments are points in time recorded by several goroutines.
type moments struct {
	mu sync.Mutex
	at []time.Time
}

func (m *moments) note() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = append(m.at, time.Now())
}

func (m *moments) all() []time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.at)
}

func (m *moments) len() int { return len(m.all()) }

// bubble runs f with a client over net.Pipe in fake time.
func bubble(t *testing.T, o Options, serve func(p *peer, r *http.Request), f func(t *testing.T, n *pipes, c *Client), dials ...*moments) {
	synctest.Test(t, func(t *testing.T) {
		n := inMemory(t, serve)
		for _, m := range dials {
			n.dialed = m.note
		}
		o.HTTPClient = n.client
		c := must(NewClient(n.url, o))
		run := &running{tb: t, done: make(chan error, 1)}
		var ctx context.Context
		ctx, run.cancel = context.WithCancel(t.Context())
		go func() { run.done <- c.Run(ctx, func(context.Context, *Bot, Event) {}) }()
		f(t, n, c)
		run.cancel()
		require.NoError(t, <-run.done)
		n.end()
		time.Sleep(2 * time.Hour) // until the peers have slept out
		synctest.Wait()
	})
}

// Failed dials are spaced by waits under a ceiling that doubles from 1 s to 60 s.
func TestBackoff(t *testing.T) {
	const n = 40
	var dials moments
	bubble(t, Options{}, nil, func(t *testing.T, p *pipes, _ *Client) {
		p.refuse.Store(true)
		for dials.len() < n {
			time.Sleep(time.Second)
		}
	}, &dials)
	at := dials.all()
	ceiling, sum := time.Second, time.Duration(0)
	for i := 1; i < n; i++ {
		wait := at[i].Sub(at[i-1])
		assert.LessOrEqual(t, wait, ceiling, "dial %d", i)
		if sum += wait; ceiling == time.Minute {
			continue
		}
		ceiling = min(2*ceiling, time.Minute)
	}
	assert.Greater(t, sum, 5*time.Minute, "it does back off")
}

// The backoff resets only after a link that lasted, not with every successful dial.
func TestBackoff_Resets(t *testing.T) {
	b := backoff{low: time.Second, high: time.Minute}
	for range 10 {
		b.next()
		b.lasted(59 * time.Second)
	}
	assert.Equal(t, time.Minute, b.ceiling)
	b.lasted(time.Minute)
	assert.LessOrEqual(t, b.next(), time.Second)
	b = backoff{low: time.Minute, high: time.Minute}
	assert.LessOrEqual(t, b.next(), time.Minute)

	// a peer that drops every link at once is dialed at growing intervals
	bubble(t, Options{}, func(p *peer, _ *http.Request) { p.lifecycle(1) }, func(t *testing.T, n *pipes, _ *Client) {
		time.Sleep(time.Hour)
		assert.Less(t, n.dials.Load(), int64(200))
		assert.Greater(t, n.dials.Load(), int64(40))
	})
}

// A link with heartbeats that became idle is closed after max(2.5 intervals, floor).
func TestWatchdog(t *testing.T) {
	for _, c := range []struct {
		interval int // ms
		floor    time.Duration
		beats    int
		want     time.Duration // after the last heartbeat
	}{
		{30_000, 0, 5, 75 * time.Second},
		{5_000, 0, 5, 30 * time.Second},
		{5_000, time.Second, 3, 12500 * time.Millisecond},
		{100, time.Second, 3, time.Second},
	} {
		var last, dead moments
		bubble(t, Options{MinIdleTimeout: c.floor}, func(p *peer, r *http.Request) {
			for i := range c.beats {
				if i > 0 {
					time.Sleep(time.Duration(c.interval) * time.Millisecond)
				}
				p.heartbeat(10000, c.interval)
			}
			last.note()
			p.read() // sends nothing more; the socket stays open
			dead.note()
		}, func(t *testing.T, n *pipes, _ *Client) {
			time.Sleep(time.Hour)
		})
		require.NotZero(t, dead.len(), "%+v", c)
		assert.Equal(t, c.want, dead.all()[0].Sub(last.all()[0]), "%+v", c)
	}
}

// Without heartbeats an idle link is sent a request. It stays up as long as it responds.
func TestWatchdog_SendsRequest(t *testing.T) {
	var mute atomic.Bool
	var asked atomic.Int64
	var muted, dead moments
	bubble(t, Options{}, func(p *peer, r *http.Request) {
		for {
			r, err := p.read()
			if err != nil {
				dead.note()
				return
			}
			asked.Add(1)
			assert.Equal(t, "get_login_info", r.Action)
			if !mute.Load() {
				p.answer(r, `{"user_id":10000,"nickname":"x"}`)
			}
		}
	}, func(t *testing.T, n *pipes, c *Client) {
		time.Sleep(3 * time.Second)
		assert.EqualValues(t, 10000, c.Bot().SelfID(), "who never says it is asked")
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, n.dials.Load())
		assert.InDelta(t, 120, asked.Load(), 3)
		mute.Store(true)
		muted.note()
		time.Sleep(2 * time.Minute)
	})
	assert.LessOrEqual(t, dead.all()[0].Sub(muted.all()[0]), time.Minute)
}

// A large frame that arrives slowly counts as traffic.
func TestWatchdog_SlowFrames(t *testing.T) {
	bubble(t, Options{}, func(p *peer, r *http.Request) {
		p.heartbeat(10000, 1000)
		w, err := p.ws.Writer(context.Background(), websocket.MessageText)
		if err != nil {
			return
		}
		io.WriteString(w, `{"post_type":"notice","self_id":10000,"x":"`)
		for range 20 {
			time.Sleep(20 * time.Second)
			io.WriteString(w, strings.Repeat("x", 512<<10))
		}
		io.WriteString(w, `"}`)
		w.Close()
		p.read()
	}, func(t *testing.T, n *pipes, c *Client) {
		time.Sleep(401 * time.Second)
		assert.EqualValues(t, 1, n.dials.Load())
		assert.EqualValues(t, 2, c.Stats().Handled)
	})
}

func TestWatchdog_Off(t *testing.T) {
	bubble(t, Options{MinIdleTimeout: -1}, func(p *peer, r *http.Request) {
		p.heartbeat(10000, 1000)
		p.read()
	}, func(t *testing.T, n *pipes, c *Client) {
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, n.dials.Load())
	})
}

// If the peer reads nothing, the call being written is unclear, the next one was never written, and the link closes
// with a write error.
func TestClient_StalledWrite(t *testing.T) {
	bubble(t, Options{MinIdleTimeout: -1}, func(p *peer, r *http.Request) {
		p.lifecycle(10000)
		time.Sleep(time.Hour)
	}, func(t *testing.T, n *pipes, c *Client) {
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		errs := make(chan error, 2)
		for range 2 {
			go func() { _, err := c.Bot().SendGroupMsg(ctx, 1, Message{Text("x")}); errs <- err }()
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		first, second := <-errs, <-errs
		assert.ErrorIs(t, first, ErrTimeout)
		assert.ErrorIs(t, second, ErrTimeout)
		one := 0
		for _, err := range []error{first, second} {
			if assert.ErrorIs(t, err, context.DeadlineExceeded); errors.Is(err, ErrUnclear) {
				one++
			}
		}
		assert.Equal(t, 1, one, "only the one that was being written is unclear")
		began := time.Now()
		err := c.Bot().Call(t.Context(), "get_status", nil, nil)
		assert.ErrorIs(t, err, ErrDisconnected)
		assert.Equal(t, 20*time.Second, time.Since(began), "30 s after the write began")
	})
}

// A call without a deadline ends after CallTimeout.
func TestCall_Timeout(t *testing.T) {
	bubble(t, Options{}, func(p *peer, r *http.Request) {
		for {
			if _, err := p.read(); err != nil {
				return
			}
			p.heartbeat(10000, 1000)
		}
	}, func(t *testing.T, n *pipes, c *Client) {
		time.Sleep(time.Second)
		began := time.Now()
		err := c.Bot().Call(t.Context(), "get_status", nil, nil)
		assert.ErrorIs(t, err, ErrTimeout)
		assert.Equal(t, 30*time.Second, time.Since(began))
	})
}

// An anonymous connection that sends nothing is closed.
func TestServer_ClosesAnonymousLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx, func(context.Context, *Bot, Event) {}) }()
		synctest.Wait()
		n := network(t, s)
		p := dialPipe(t, n)
		began := time.Now()
		r, err := p.read()
		require.NoError(t, err)
		assert.Equal(t, "get_login_info", r.Action)
		_, err = p.read()
		for err == nil {
			_, err = p.read() // the watchdog's request, too
		}
		assert.LessOrEqual(t, time.Since(began), time.Minute)
		cancel()
		require.NoError(t, <-done)
		p.ws.CloseNow()
	})
}
