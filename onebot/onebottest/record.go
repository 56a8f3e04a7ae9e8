package onebottest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Call is one action that a bot called.
type Call struct {
	Action  string
	Params  json.RawMessage // as they came
	Retcode int             // that it was answered with, or would have been
	At      time.Time
}

// Calls are all actions that bots called, in order; with names, those of these actions.
func (s *Server) Calls(actions ...string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called(actions)
}

func (s *Server) called(actions []string) []Call {
	all := slices.Clone(s.calls)
	if len(actions) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c Call) bool { return !slices.Contains(actions, c.Action) })
}

// WaitCalls returns the calls of an action as soon as there are n.
func (s *Server) WaitCalls(ctx context.Context, n int, action string) (calls []Call, err error) {
	err = s.wait(ctx, func() bool { return len(s.called([]string{action})) >= n })
	return came(s.Calls(action), n, "calls of "+action+" came", err)
}

// came adds to the error of waiting for n of something how many there are.
func came[T any](all []T, n int, what string, err error) ([]T, error) {
	if err != nil {
		err = fmt.Errorf("onebottest: %d of %d %s: %w", len(all), n, what, err)
	}
	return all, err
}

// Sent are all messages that the bot sent and that QQ took, in order. Those that failed are
// among the [Server.Calls].
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

// WaitSent returns what the bot sent as soon as there are n messages of it.
func (s *Server) WaitSent(ctx context.Context, n int) (sent []ChatMessage, err error) {
	err = s.wait(ctx, func() bool { return len(s.sent) >= n })
	return came(s.Sent(), n, "messages were sent", err)
}

// OnSend adds a function that is told of every message that the bot sends, before the bot gets
// its answer: the place for a member who replies. It may call the Server's methods but Close;
// calls over different links may overlap.
func (s *Server) OnSend(f func(ChatMessage)) {
	s.locked(func() { s.onSend = append(slices.Clip(s.onSend), f) })
}
