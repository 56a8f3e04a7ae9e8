package napcat

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
)

// A script is a series of fake children. It defines how each behaves and records its start and stop.
type script struct {
	lives    []time.Duration             // lifetime of the n-th child; 0 or beyond the end: unlimited
	fail     map[int]error               // the n-th start fails
	answer   func(child, ping int) error // counted from 1
	slowStop time.Duration

	started, stopped []time.Time
	pings            int
}

type fakeChild struct {
	*script
	n     int
	timer *time.Timer
}

func (c *fakeChild) pid() int { return 1000 + c.n }

func (c *fakeChild) stop(time.Duration) Exit {
	if c.timer != nil {
		c.timer.Stop()
	}
	time.Sleep(c.slowStop)
	c.stopped = append(c.stopped, time.Now())
	return Exit{At: time.Now(), PID: c.pid(), Code: 7}
}

func (f *script) start(onExit func()) (child, error) {
	f.started = append(f.started, time.Now())
	n := len(f.started)
	f.pings = 0
	if err := f.fail[n]; err != nil {
		return nil, err
	}
	c := &fakeChild{script: f, n: n}
	if n <= len(f.lives) && f.lives[n-1] > 0 {
		c.timer = time.AfterFunc(f.lives[n-1], onExit)
	}
	return c, nil
}

func (f *script) supervise(t *testing.T, opts Options) *Supervisor {
	opts.Command = "fake"
	opts.Ping = func(ctx context.Context) error {
		f.pings++
		if f.answer == nil {
			return nil
		}
		err := f.answer(len(f.started), f.pings)
		if errors.Is(err, context.DeadlineExceeded) { // no response at all
			<-ctx.Done()
			return ctx.Err()
		}
		return err
	}
	s, err := NewSupervisor(opts)
	require.NoError(t, err)
	s.start = f.start
	return s
}

var errRefused = errors.New("connection refused")

// After each crash the next child runs within 10 s. The sixth crash within ten minutes ends Run.
func TestRun_RestartsAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{lives: []time.Duration{1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9}, slowStop: 5 * time.Second}
		s := f.supervise(t, Options{})
		err := s.Run(t.Context())
		var loop *CrashLoopError
		require.ErrorAs(t, err, &loop)
		assert.Equal(t, 5, loop.Restarts)
		assert.Equal(t, 7, loop.Last.Code)
		require.Len(t, f.started, 6)
		var gaps []time.Duration
		for i := 1; i < len(f.started); i++ {
			gaps = append(gaps, f.started[i].Sub(f.started[i-1].Add(time.Second)))
		}
		// The pause starts at the crash. Ending the descendants takes 5 s of it here.
		assert.Equal(t, []time.Duration{5e9, 5e9, 5e9, 8e9, 8e9}, gaps)
		state := s.State()
		assert.Equal(t, PhaseStopped, state.Phase)
		assert.Equal(t, 5, state.Restarts)
		assert.False(t, state.Running())
	})
}

func TestRun_WaitsForReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{answer: func(_, ping int) error {
			if ping <= 30 {
				return errRefused
			}
			return nil
		}}
		s := f.supervise(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		time.Sleep(10 * time.Second)
		state := s.State()
		assert.Equal(t, PhaseStarting, state.Phase)
		assert.Equal(t, "connection refused", state.PingError)
		assert.Equal(t, 1001, state.PID)
		state, err := s.Wait(ctx, State.Ready)
		require.NoError(t, err)
		assert.Equal(t, 30*time.Second, state.Since.Sub(f.started[0]))
		assert.Empty(t, state.PingError)
		cancel()
		require.NoError(t, <-ended)
		assert.Equal(t, "Run was cancelled", s.State().LastExit.Reason)
		assert.Len(t, f.stopped, 1)
	})
}

func TestRun_RestartsChildNeverReady(t *testing.T) {
	for name, silence := range map[string]error{"refused": errRefused, "silent": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &script{answer: func(int, int) error { return silence }}
				s := f.supervise(t, Options{StartTimeout: 95 * time.Second, MaxRestarts: 1})
				var loop *CrashLoopError
				require.ErrorAs(t, s.Run(t.Context()), &loop)
				require.Len(t, f.stopped, 2)
				assert.Equal(t, 95*time.Second, f.stopped[0].Sub(f.started[0]))
				assert.Contains(t, loop.Last.Reason, "not ready within 1m35s")
			})
		})
	}
}

func TestRun_RestartsAfterFailedPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{answer: func(child, ping int) error {
			if child == 1 && ping > 10 {
				return errRefused
			}
			return nil
		}}
		s := f.supervise(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		state, err := s.Wait(ctx, func(st State) bool { return st.Phase == PhaseUnhealthy })
		require.NoError(t, err)
		assert.Equal(t, 10*30*time.Second, state.Since.Sub(f.started[0]))
		state, err = s.Wait(ctx, func(st State) bool { return st.Restarts == 1 && st.Ready() })
		require.NoError(t, err)
		assert.Equal(t, 12*30*time.Second, f.stopped[0].Sub(f.started[0]))
		assert.Equal(t, "3 pings failed: connection refused", state.LastExit.Reason)
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestRun_ToleratesFewFailedPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{answer: func(_, ping int) error {
			if ping%3 != 1 {
				return errRefused
			}
			return nil
		}}
		s := f.supervise(t, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.NoError(t, s.Run(ctx))
		assert.Len(t, f.started, 1)
	})
}

func TestRun_WithoutHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{lives: []time.Duration{time.Hour}}
		s := f.supervise(t, Options{HealthInterval: -1, MaxRestarts: 1})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		require.NoError(t, s.Run(ctx))
		assert.Len(t, f.started, 2)
		assert.Equal(t, 1, f.pings)
	})
}

func TestRun_FirstStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{fail: map[int]error{1: errRefused}}
		s := f.supervise(t, Options{})
		require.ErrorIs(t, s.Run(t.Context()), errRefused)
		assert.Equal(t, "not started after: connection refused", s.State().LastExit.String())
	})
}

func TestRun_LaterStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{lives: []time.Duration{time.Minute}, fail: map[int]error{2: errRefused, 3: errRefused}}
		s := f.supervise(t, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.NoError(t, s.Run(ctx))
		assert.Len(t, f.started, 4)
		assert.Equal(t, 3, s.State().Restarts)
	})
}

func TestRun_EndsInAnyPhase(t *testing.T) {
	for after := range 40 {
		synctest.Test(t, func(t *testing.T) {
			f := &script{lives: []time.Duration{3e9, 3e9, 3e9, 3e9}, slowStop: time.Second, answer: func(_, ping int) error {
				if ping < 3 {
					return errRefused
				}
				return nil
			}}
			s := f.supervise(t, Options{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(after)*500*time.Millisecond)
			defer cancel()
			began := time.Now()
			require.NoError(t, s.Run(ctx))
			assert.LessOrEqual(t, time.Since(began), time.Duration(after)*500*time.Millisecond+time.Second)
			assert.Equal(t, len(f.started), len(f.stopped), "each is ended once")
			assert.Equal(t, PhaseStopped, s.State().Phase)
		})
	}
}

// A caller that takes Changed before State sees every lasting state.
func TestSupervisor_Changed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &script{lives: []time.Duration{time.Minute}}
		s := f.supervise(t, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		var seen []string
		for {
			changed := s.Changed()
			if phase := s.State().Phase.String(); len(seen) == 0 || seen[len(seen)-1] != phase {
				seen = append(seen, phase)
			}
			select {
			case <-changed:
				continue
			case err := <-ended:
				require.NoError(t, err)
			}
			break
		}
		for _, phase := range []string{"ready", "waiting", "ready", "stopped"} {
			require.Contains(t, seen, phase)
			for seen[0] != phase {
				seen = seen[1:]
			}
		}
	})
}

func TestSupervisor_WaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := (&script{}).supervise(t, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		state, err := s.Wait(ctx, State.Ready)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, PhaseStopped, state.Phase)
	})
}

func TestOptions_Checked(t *testing.T) {
	good := Options{Command: "qq", Config: Config{HTTPPort: 3000}}
	for name, change := range map[string]func(*Options){
		"Command":     func(o *Options) { o.Command = "" },
		"no way":      func(o *Options) { o.Config.HTTPPort = 0 },
		"HTTPPort":    func(o *Options) { o.Config.HTTPPort = 70000 },
		"the same":    func(o *Options) { o.Config.WSPort = 3000 },
		"Account":     func(o *Options) { o.Config.Dir = "x"; o.Config.Token = "t" },
		"Token":       func(o *Options) { o.Config.Dir = "x"; o.Config.Account = 1 },
		"spaces":      func(o *Options) { o.Config.Token = "t\n" },
		"ReverseURL":  func(o *Options) { o.Config.ReverseURL = "http://127.0.0.1" },
		"CheckOnly":   func(o *Options) { o.CheckOnly = true },
		"PollEvery":   func(o *Options) { o.PollInterval = -1 },
		"PingTimeout": func(o *Options) { o.PingTimeout = -1 },
		"MaxBackoff":  func(o *Options) { o.MinBackoff, o.MaxBackoff = 2, 1 },
		"MaxLine":     func(o *Options) { o.MaxLineBytes = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			change(&o)
			_, err := NewSupervisor(o)
			require.ErrorContains(t, err, name)
		})
	}
	_, err := NewSupervisor(good)
	require.NoError(t, err)
	_, err = NewSupervisor(Options{Command: "qq", Caller: must(onebot.NewClient("ws://127.0.0.1:1", onebot.Options{})).Bot()})
	require.NoError(t, err)
}
