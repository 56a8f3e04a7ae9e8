package onebottest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"time"
)

// records are what bots and users did, in order, beyond messages.
type records struct {
	calls []Call
	posts []Post
	pokes []Poke
}

// A Call is one call of an action by a bot.
type Call struct {
	Action  string
	Params  json.RawMessage // as received
	Retcode int             // retcode of the response, also if the response was not sent
	At      time.Time
}

// Calls returns all calls by bots in order, or only the calls of the given actions.
func (s *Server) Calls(actions ...string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called(actions)
}

func (s *Server) called(actions []string) []Call {
	all := slices.Clone(s.did.calls)
	if len(actions) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c Call) bool { return !slices.Contains(actions, c.Action) })
}

// WaitCalls waits for n calls of an action and returns them.
func (s *Server) WaitCalls(ctx context.Context, n int, action string) (calls []Call, err error) {
	err = s.wait(ctx, func() bool { return len(s.called([]string{action})) >= n })
	return withCount(s.Calls(action), n, "calls of "+action+" received", err)
}

// withCount adds the number of received items to the error of a wait.
func withCount[T any](all []T, n int, what string, err error) ([]T, error) {
	if err != nil {
		err = fmt.Errorf("onebottest: %d of %d %s: %w", len(all), n, what, err)
	}
	return all, err
}

// Sent returns all messages sent by the bot and accepted by QQ, in order. Failed sends are in [Server.Calls].
func (s *Server) Sent() []ChatMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record(s.sent)
}

func (s *Server) record(said []*message) []ChatMessage {
	all := make([]ChatMessage, 0, len(said))
	for _, m := range said {
		all = append(all, m.ChatMessage)
	}
	return all
}

// WaitSent waits for n messages of the bot and returns them.
func (s *Server) WaitSent(ctx context.Context, n int) (sent []ChatMessage, err error) {
	err = s.wait(ctx, func() bool { return len(s.sent) >= n })
	return withCount(s.Sent(), n, "messages were sent", err)
}

// OnSend adds a function that is called for each message of the bot, before the bot gets its response. Use it for
// members who reply. f may call all methods of the Server except Close. Calls for different links may overlap.
func (s *Server) OnSend(f func(ChatMessage)) {
	s.locked(func() { s.onSend = append(slices.Clip(s.onSend), f) })
}

// Wait returns nil when ready returns true. It calls ready at once and after every change of the server, on the caller's
// goroutine; ready may call all methods. Use it to wait for what the bot does:
//
//	err := s.Wait(ctx, func() bool { return len(s.Reactions(id)) > 0 })
func (s *Server) Wait(ctx context.Context, ready func() bool) error {
	for {
		s.mu.Lock()
		if s.wake == nil {
			s.wake = make(chan struct{})
		}
		wake, closed := s.wake, s.closed
		s.mu.Unlock()
		switch {
		case ready():
			return nil
		case closed:
			return fmt.Errorf("onebottest: %w", net.ErrClosed)
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
