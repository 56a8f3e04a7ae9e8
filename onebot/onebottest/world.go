package onebottest

import (
	"slices"
	"strconv"
)

// A user is anybody, known to the bot or not.
type user struct {
	id       int64
	nickname string
}

// user returns the user id, made if there was none; a nickname other than "" is taken over.
func (s *Server) user(id int64, nickname string) *user {
	u := s.users[id]
	if u == nil {
		u = &user{id: id, nickname: strconv.FormatInt(id, 10)}
		s.users[id] = u
	}
	if nickname != "" {
		u.nickname = nickname
	}
	return u
}

// Group returns the group id. If there was none it is made, with the bot as its only member. A
// name other than "" is taken over. Nobody is told.
func (s *Server) Group(id int64, name string) *Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.group(id) != nil
	g := s.makeGroup(id, name)
	if !known {
		g.join(s.opts.SelfID, "")
	}
	return g
}

func (s *Server) makeGroup(id int64, name string) *Group {
	g := s.group(id)
	if g == nil {
		g = &Group{ID: id, s: s, name: strconv.FormatInt(id, 10)}
		s.groups = append(s.groups, g)
	}
	if name != "" {
		g.name = name
	}
	return g
}

func (s *Server) group(id int64) *Group {
	return first(s.groups, func(g *Group) bool { return g.ID == id })
}

// Friend returns the bot's friend userID, made if there was none; a nickname other than "" is
// taken over. Nobody is told.
func (s *Server) Friend(userID int64, nickname string) *Friend {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.befriend(userID, nickname)
}

func (s *Server) befriend(userID int64, nickname string) *Friend {
	s.user(userID, nickname)
	f := s.friend(userID)
	if f == nil {
		f = &Friend{ID: userID, s: s}
		s.friends = append(s.friends, f)
	}
	return f
}

func (s *Server) friend(id int64) *Friend {
	return first(s.friends, func(f *Friend) bool { return f.ID == id })
}

// first gives the first of these; nil when there is none.
func first[T any](all []*T, these func(*T) bool) *T {
	if i := slices.IndexFunc(all, these); i >= 0 {
		return all[i]
	}
	return nil
}
