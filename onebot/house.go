package onebot

import (
	"context"
	"errors"
	"sync"
)

// house is what a Server and a Webhook share: requests come in while Run runs, and Run waits for them.
type house struct {
	engine

	mu      sync.Mutex
	running context.Context // of Run; nil: none runs
	inside  sync.WaitGroup
}

// run is Run; opening is called, with mu held, before the first request is let in.
func (s *house) run(ctx context.Context, h Handler, opening func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !s.disp.start(ctx, h) {
		return errors.New("onebot: Run is running already")
	}
	s.mu.Lock()
	opening()
	s.running = ctx
	s.mu.Unlock()

	<-ctx.Done()

	s.mu.Lock()
	s.running = nil
	s.mu.Unlock()
	s.inside.Wait()
	s.disp.stop()
	return nil
}

// enter counts a request in; nil when no Run runs.
func (s *house) enter() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil || s.running.Err() != nil {
		return nil
	}
	s.inside.Add(1)
	return s.running
}
