package napcat

import (
	"context"
	"fmt"
	"time"
)

// A Phase is a phase in the life cycle of a child.
type Phase uint8

const (
	PhaseStopped   Phase = iota // Run is not running
	PhaseStarting               // the child runs but has not responded yet
	PhaseReady                  // the child responds
	PhaseUnhealthy              // the child was ready, and the latest ping failed
	PhaseStopping               // the child is being stopped
	PhaseBackoff                // the child has exited; the next start is scheduled
)

var phaseNames = [...]string{"stopped", "starting", "ready", "unwell", "stopping", "waiting"}

// String returns the phase in lower case, for example "ready".
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// MarshalText returns the same as String.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// A State is a snapshot of a [Supervisor] and its child.
type State struct {
	Phase     Phase
	PID       int       // of the child; 0 if none runs
	Since     time.Time // start of the phase; zero before the first Run
	Restarts  int       // since the start of Run
	PingError string    // error of the latest ping; "" if it succeeded
	LastExit  Exit      // exit of the previous child; zero if there is none
}

// Running reports whether a child is running.
func (s State) Running() bool { return s.PID != 0 }

// Ready reports whether the child responds.
func (s State) Ready() bool { return s.Phase == PhaseReady }

// An Exit describes how a child ended.
type Exit struct {
	At     time.Time // zero: no child has ended
	PID    int       // 0: the child could not be started
	Code   int       // exit status; -1 after a signal or a failed start
	Signal string    // "killed", "segmentation fault", … after a signal
	Reason string    // reason of the Supervisor to stop the child; "" if the child exited on its own
}

// String returns one line: "exit status 1", "signal killed after: 3 pings failed: …".
func (e Exit) String() string {
	if e.At.IsZero() {
		return "none"
	}
	how := fmt.Sprintf("exit status %d", e.Code)
	switch {
	case e.PID == 0:
		how = "not started"
	case e.Signal != "":
		how = "signal " + e.Signal
	}
	if e.Reason == "" {
		return how
	}
	return how + " after: " + e.Reason
}

// State returns the current state. It may be called at any time from any goroutine.
func (s *Supervisor) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Changed returns a channel that is closed at the next change of the state. Call it before State, so that no change
// is missed.
func (s *Supervisor) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Wait waits until ok returns true for the state and returns that state: s.Wait(ctx, State.Ready). When ctx is done
// first, it returns the current state and ctx's error.
func (s *Supervisor) Wait(ctx context.Context, ok func(State) bool) (State, error) {
	for {
		changed := s.Changed()
		state := s.State()
		if ok(state) {
			return state, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return state, ctx.Err()
		}
	}
}

// set changes the state and wakes waiting goroutines.
func (s *Supervisor) set(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.state
	change(&s.state)
	if s.state == before {
		return
	}
	if s.state.Phase != before.Phase {
		s.state.Since = time.Now()
	}
	close(s.changed)
	s.changed = make(chan struct{})
}
