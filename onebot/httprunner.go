package onebot

import (
	"context"
	"errors"
	"sync"
)

// httpRunner is the common part of Server and Webhook: it accepts requests while Run runs, and Run waits for them.
type httpRunner struct {
	engine

	mu       sync.Mutex
	running  context.Context // of Run; nil: not running
	requests sync.WaitGroup
}

// run is Run. It calls opening, with mu held, before it accepts the first request.
func (s *httpRunner) run(ctx context.Context, h Handler, opening func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !s.disp.start(ctx, h) {
		return errors.New("onebot: Run is already running")
	}
	s.mu.Lock()
	opening()
	s.running = ctx
	s.mu.Unlock()

	<-ctx.Done()

	s.mu.Lock()
	s.running = nil
	s.mu.Unlock()
	s.requests.Wait()
	s.disp.stop()
	return nil
}

// enter registers a request; nil if Run is not running.
func (s *httpRunner) enter() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil || s.running.Err() != nil {
		return nil
	}
	s.requests.Add(1)
	return s.running
}
