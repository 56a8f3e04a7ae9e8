package onebottest

import (
	"slices"
	"strconv"
)

// A user is any QQ user.
type user struct {
	id       int64
	nickname string
}

// user returns the user id and creates it if needed. A nickname other than "" replaces the old one.
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

// Group returns the group id and creates it if needed, with the bot as its only member. A name other than "" replaces
// the old one. It pushes no event.
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
	return firstMatch(s.groups, func(g *Group) bool { return g.ID == id })
}

// Friend returns the friend userID and creates it if needed. A nickname other than "" replaces the old one. It pushes
// no event.
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
	return firstMatch(s.friends, func(f *Friend) bool { return f.ID == id })
}

// firstMatch returns the first match; nil if there is none.
func firstMatch[T any](all []*T, these func(*T) bool) *T {
	if i := slices.IndexFunc(all, these); i >= 0 {
		return all[i]
	}
	return nil
}
