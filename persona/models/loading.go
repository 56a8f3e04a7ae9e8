package models

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

const (
	maxLoading  = 5 * time.Minute  // a model that loads for longer has failed
	unloadAfter = 4 * time.Minute  // a model that answered within this time is still in memory: Ollama unloads after five minutes
	loadingPoll = 2 * time.Second  // delay before the next try while a server says that it loads its model
	silentFor   = 10 * time.Second // a private server that sends nothing for so long may load its model
)

// mayLoad reports whether the server of a candidate may still load its model at now. certain means that the server says so.
func (c *candidate) mayLoad(now time.Time, certain bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (certain || now.Sub(c.answered) >= unloadAfter) && (c.loadingSince.IsZero() || now.Sub(c.loadingSince) < maxLoading)
}

// noteLoading records that a server loads its model. It reports whether that is news.
func (c *candidate) noteLoading(now time.Time) (news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if news = c.loadingSince.IsZero(); news {
		c.loadingSince = now
	}
	return news
}

// noteAnswer records an answer. It returns how long the model was loading before it.
func (c *candidate) noteAnswer(now time.Time) (loading time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.loadingSince.IsZero() {
		loading = now.Sub(c.loadingSince)
	}
	c.answered, c.loadingSince = now, time.Time{}
	return loading
}

// isSilent reports whether a private server has sent nothing yet.
func (s *httpStatus) isSilent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.private && s.waiting
}

// isRefused reports whether a private server refused the connection, as vLLM does until its model is loaded.
func (s *httpStatus) isRefused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.private && errors.Is(s.err, syscall.ECONNREFUSED)
}

// classifyLoading sets the kind Loading for a failure of a server that may load its model, and another kind for one
// that has been loading for too long.
func (a *attempt) classifyLoading(e *CallError) {
	now := time.Now()
	switch {
	case e.Kind == Loading && !a.candidate.mayLoad(now, true):
		e.Kind = Overloaded
	case e.Kind == Network && a.http.isRefused() && a.candidate.mayLoad(now, false):
		e.Kind = Loading
	case (e.Kind == Timeout || errors.Is(e.Err, context.DeadlineExceeded)) && a.http.isSilent() && a.candidate.mayLoad(now, false):
		e.Kind, e.Err = Loading, fmt.Errorf("the server has sent nothing yet: %w", e.Err)
	}
}

// logLoading logs once that the chain waits for a model.
func (r *request) logLoading(ctx context.Context, c *candidate, err error) {
	if c.noteLoading(time.Now()) {
		f := Failure{Kind: Loading}
		r.chain.opts.Logger.WarnContext(ctx, "models: waiting for the model to load", "model", c.Name, "error", err, "advice", f.Advice())
	}
}

// retriesLoading reports whether a chain calls a model that may be loading again, and after which delay; 0 means that of other retries. A
// server that sent nothing until the timeout is not called again.
func (c *Chain) retriesLoading(e *CallError) (wait time.Duration, again bool) {
	switch {
	case e.Kind != Loading || c.opts.Retries < 0:
		return 0, false
	case e.Status != 0:
		return loadingPoll, true
	}
	return 0, errors.Is(e.Err, syscall.ECONNREFUSED)
}
