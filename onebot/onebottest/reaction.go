package onebottest

import (
	"slices"
	"time"
)

// A Poke is a poke (戳一戳) of one user by another.
type Poke struct {
	Chat     Chat
	UserID   int64 // who poked; Options.SelfID for the bot
	TargetID int64
	At       time.Time
}

// Pokes returns all pokes of all users, oldest first.
func (s *Server) Pokes() []Poke {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.did.pokes)
}

func (s *Server) recordPoke(c Chat, userID, target int64) {
	s.did.pokes = append(s.did.pokes, Poke{Chat: c, UserID: userID, TargetID: target, At: time.Now()})
	s.changed()
}

// A Reaction is an emoji reaction of a user to a message.
type Reaction struct {
	UserID  int64
	EmojiID string // id of a QQ face, or a Unicode code point in decimal
}

// Reactions returns the present reactions to a message, oldest first; nil if there is no such message.
func (s *Server) Reactions(messageID int64) []Reaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.message(messageID); m != nil {
		return slices.Clone(m.reactions)
	}
	return nil
}

// setReaction adds or removes a reaction and returns how many users have it now.
func (m *message) setReaction(r Reaction, add bool) (count int) {
	m.reactions = slices.DeleteFunc(m.reactions, func(o Reaction) bool { return o == r })
	if add {
		m.reactions = append(m.reactions, r)
	}
	for _, o := range m.reactions {
		if o.EmojiID == r.EmojiID {
			count++
		}
	}
	return count
}
