package onebottest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Script is what people say, line by line; see [Server.Play].
type Script []Line

// A Line is one message of a [Script], or anything else that happens.
type Line struct {
	After   time.Duration  // since the line before
	Chat    Chat           // a group or a friend of the server's world
	UserID  int64          // who speaks; in a private chat 0 is the friend
	Message onebot.Message // what is said
	Do      func(*Server)  // happens instead of a message, if set: a poke, a recall, a fault
}

// Play says a script in its time and returns after its last line, or when ctx ends with its
// error. A script with a line that cannot be said, since there is no such chat, is refused before
// its first line.
func (s *Server) Play(ctx context.Context, script Script) error {
	for i, l := range script {
		if err := s.check(l); err != nil {
			return fmt.Errorf("onebottest: line %d of the script: %w", i+1, err)
		}
	}
	for _, l := range script {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(l.After):
		}
		s.play(l)
	}
	return nil
}

func (s *Server) play(l Line) {
	switch {
	case l.Do != nil:
		l.Do(s)
	case l.Chat.Kind == "group":
		s.Group(l.Chat.ID, "").Say(l.UserID, l.Message)
	default:
		s.Friend(l.Chat.ID, "").say(cmp.Or(l.UserID, l.Chat.ID), time.Now(), l.Message)
	}
}

// check finds out whether a line can be said.
func (s *Server) check(l Line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case l.Do != nil:
	case l.Chat.Kind == "group" && s.group(l.Chat.ID) == nil,
		l.Chat.Kind == "private" && s.friend(l.Chat.ID) == nil,
		l.Chat.Kind != "group" && l.Chat.Kind != "private":
		return fmt.Errorf("no chat is called %v", l.Chat)
	case l.Chat.Kind == "group" && l.UserID == 0:
		return errors.New("nobody speaks")
	}
	return nil
}
