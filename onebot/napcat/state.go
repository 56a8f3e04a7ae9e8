package napcat

import (
	"context"
	"fmt"
	"time"
)

// A Phase is where a child is in its life.
type Phase uint8

const (
	PhaseStopped   Phase = iota // Run is not running
	PhaseStarting               // the child runs and did not answer yet
	PhaseReady                  // it answers
	PhaseUnhealthy              // it answered once, and the last pings failed
	PhaseStopping               // it is being ended
	PhaseBackoff                // it ended; the next one starts soon
)

var phaseNames = [...]string{"stopped", "starting", "ready", "unwell", "stopping", "waiting"}

// String is the phase in lower case, "ready" for instance.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// MarshalText gives what String does.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// A State is how a [Supervisor] and its child do at a moment.
type State struct {
	Phase     Phase
	PID       int       // of the child; 0 when none runs
	Since     time.Time // when the phase began; zero before the first Run
	Restarts  int       // made since Run began
	PingError string    // why the last ping failed; "" when it did not
	LastExit  Exit      // how the last child ended; zero when none did
}

// Running reports whether there is a child.
func (s State) Running() bool { return s.PID != 0 }

// Ready reports whether the child answers.
func (s State) Ready() bool { return s.Phase == PhaseReady }

// An Exit is how a child ended.
type Exit struct {
	At     time.Time // zero: none ended
	PID    int       // 0: it could not be started
	Code   int       // exit status; -1 when a signal ended it or it could not be started
	Signal string    // "killed", "segmentation fault", … when a signal ended it
	Reason string    // why the Supervisor ended it; "" when it ended by itself
}

// String says it in one line: "exit status 1", "signal killed after: 3 pings failed: …".
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

// State tells how things are. It may be called at any time by any goroutine.
func (s *Supervisor) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Changed gives a channel that is closed when the state is next another. Take it before State so that no change is
// missed.
func (s *Supervisor) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Wait waits until ok holds of the state, which it returns then: s.Wait(ctx, State.Ready). When ctx ends first, it
// returns the state of that moment and ctx's error.
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

// set changes the state and tells who waits.
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
