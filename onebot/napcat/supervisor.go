package napcat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/internal/loop"
	"github.com/hearth-bot/hearth/onebot"
)

// A Supervisor runs NapCat as a child process. It starts NapCat, waits until it responds, pings it, restarts it after
// a crash or a hang, and ends it with all of its descendants. All methods may be called concurrently.
type Supervisor struct {
	opts  Options
	log   *slog.Logger
	start func(onExit func()) (child, error)

	mu      sync.Mutex
	running bool
	state   State
	changed chan struct{}
}

// A child is a running process with its descendants.
type child interface {
	pid() int
	// stop ends all remaining processes, within grace or by force, and returns the exit of the child. It is called
	// once, also if the child has exited.
	stop(grace time.Duration) Exit
}

// NewSupervisor returns a supervisor, or an error if the options are invalid. It starts and writes nothing.
func NewSupervisor(opts Options) (*Supervisor, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Supervisor{opts: o, log: o.Logger, changed: make(chan struct{})}
	s.start = func(onExit func()) (child, error) { return startProcess(&s.opts, onExit) }
	return s, nil
}

// Run starts NapCat and keeps it running until ctx is done. Then it stops NapCat and returns nil. If the first start
// fails, for example because of a missing program or a [*ConfigError], Run returns the error at once. After too many
// restarts it returns a [*CrashLoopError]. When Run returns, the child, its descendants and all goroutines have
// ended. It may be called again then.
func (s *Supervisor) Run(ctx context.Context) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	rules := restarts{low: s.opts.MinBackoff, high: s.opts.MaxBackoff, limit: s.opts.MaxRestarts, window: s.opts.RestartWindow}
	for first := true; ctx.Err() == nil; first = false {
		ended, err := s.runChild(ctx)
		if err != nil && first {
			return err
		}
		if ctx.Err() != nil {
			break
		}
		at, ok := rules.next(ended)
		exit := s.State().LastExit
		if !ok {
			err := &CrashLoopError{Restarts: len(rules.recent), Within: rules.window, Last: exit}
			s.log.Error("napcat: too many restarts", "restarts", err.Restarts, "within", err.Within, "last", exit.String())
			return err
		}
		wait := max(time.Until(at), 0)
		s.log.Warn("napcat: exited", "exit", exit.String(), "restart_in", wait)
		if loop.Sleep(ctx, wait) != nil {
			break
		}
		s.set(func(st *State) { st.Restarts++ })
	}
	return nil
}

func (s *Supervisor) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return errors.New("napcat: Run is already running")
	}
	s.running = true
	s.state.Restarts = 0
	return nil
}

func (s *Supervisor) end() {
	s.set(func(st *State) { st.Phase, st.PID, st.PingError = PhaseStopped, 0, "" })
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
}

// runChild runs one child from start to exit. It returns an error if the child could not be started.
func (s *Supervisor) runChild(ctx context.Context) (ended time.Time, err error) {
	alive, exited := context.WithCancel(ctx)
	defer exited()
	c, err := s.launch(exited)
	if err != nil {
		exit := Exit{At: time.Now(), Code: -1, Reason: err.Error()}
		s.set(func(st *State) { st.Phase, st.LastExit = PhaseBackoff, exit })
		return exit.At, err
	}
	s.log.Info("napcat: started", "pid", c.pid())
	s.set(func(st *State) { st.Phase, st.PID, st.PingError = PhaseStarting, c.pid(), "" })

	why := s.monitor(alive)
	if ctx.Err() != nil {
		why = "Run was cancelled"
	}
	ended = time.Now()
	if why != "" {
		s.log.Info("napcat: stopping", "pid", c.pid(), "reason", why)
		s.set(func(st *State) { st.Phase = PhaseStopping })
	}
	exit := c.stop(s.opts.GracePeriod)
	exit.Reason = why
	s.log.Info("napcat: stopped", "pid", exit.PID, "exit", exit.String())
	s.set(func(st *State) { st.Phase, st.PID, st.PingError, st.LastExit = PhaseBackoff, 0, "", exit })
	return ended, nil
}

// launch applies the configuration and starts the child.
func (s *Supervisor) launch(onExit func()) (child, error) {
	conf := s.opts.Config
	switch {
	case conf.Dir == "":
	case s.opts.CheckOnly:
		if err := conf.Check(); err != nil {
			return nil, err
		}
	default:
		changed, err := conf.Apply()
		if err != nil {
			return nil, err
		}
		if changed {
			s.log.Info("napcat: wrote the OneBot configuration", "path", conf.Path())
		}
	}
	return s.start(onExit)
}

// monitor pings the child until alive is done, and then returns "", or until there is a reason to stop the child.
func (s *Supervisor) monitor(alive context.Context) (why string) {
	began := time.Now()
	ready, failures := false, 0
	for {
		left := time.Duration(-1) // time until the child must be ready; negative: no limit
		if limit := s.opts.StartTimeout; limit > 0 && !ready {
			left = max(limit-time.Since(began), 0)
		}
		err := s.ping(alive, left)
		if alive.Err() != nil {
			return ""
		}
		every := s.opts.HealthInterval
		switch {
		case err == nil:
			if !ready {
				s.log.Info("napcat: ready", "after", time.Since(began))
			} else if failures > 0 {
				s.log.Info("napcat: responds again")
			}
			ready, failures = true, 0
			s.set(func(st *State) { st.Phase, st.PingError = PhaseReady, "" })
		case !ready:
			s.recordFailure(PhaseStarting, err)
			every = s.opts.PollInterval
			if left >= 0 {
				left = s.opts.StartTimeout - time.Since(began)
				if left <= 0 {
					return fmt.Sprintf("not ready within %v: %v", s.opts.StartTimeout, err)
				}
				every = min(every, left)
			}
		default:
			failures++
			s.recordFailure(PhaseUnhealthy, err)
			if limit := s.opts.MaxPingFailures; limit > 0 && failures >= limit {
				return fmt.Sprintf("%d pings failed: %v", failures, err)
			}
		}
		if every < 0 {
			<-alive.Done()
			return ""
		}
		if loop.Sleep(alive, every) != nil {
			return ""
		}
	}
}

// recordFailure records a failed ping. It logs the error if it differs from the previous one.
func (s *Supervisor) recordFailure(phase Phase, err error) {
	if s.State().PingError != err.Error() {
		level := slog.LevelWarn
		if phase == PhaseStarting && !errors.Is(err, onebot.ErrAuth) {
			level = slog.LevelDebug // expected while NapCat starts
		}
		s.log.Log(context.Background(), level, "napcat: ping failed", "reason", err)
	}
	s.set(func(st *State) { st.Phase, st.PingError = phase, err.Error() })
}

// ping pings once, limited by left (negative: no limit) and Options.PingTimeout.
func (s *Supervisor) ping(ctx context.Context, left time.Duration) error {
	limit := s.opts.PingTimeout
	if left >= 0 {
		limit = min(limit, left)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.opts.Ping(ctx)
}
