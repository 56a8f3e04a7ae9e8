package onebottest

import "time"

// longestBan is how long QQ mutes at most, in seconds.
const longestBan = 30 * 24 * 60 * 60

var (
	groupPoke  = do((*Server).memberOf, func(s *Server, m *Member, _ params) { m.g.poke(s.opts.SelfID, m.ID) })
	friendPoke = do((*Server).friendOf, func(s *Server, f *Friend, _ params) { f.poke(s.opts.SelfID, f.ID) })
)

func (s *Server) sendPoke(p params) (any, error) {
	if p.has("group_id") {
		return groupPoke(s, p)
	}
	return friendPoke(s, p)
}

func (s *Server) setGroupBan(m *Member, p params) (any, error) {
	seconds, err := p.int("duration", 1800)
	if err != nil {
		return nil, err
	}
	m.g.ban(m.ID, time.Duration(min(seconds, longestBan))*time.Second, s.opts.SelfID)
	return nil, nil
}

func (s *Server) setGroupWholeBan(g *Group, p params) {
	var d time.Duration
	if p.bool("enable", true) {
		d = time.Second // whatever: it has no end
	}
	g.ban(0, d, s.opts.SelfID)
}

func (s *Server) setGroupKick(m *Member, _ params) {
	m.g.remove("kick", m.ID, s.opts.SelfID)
}

func (s *Server) setGroupCard(m *Member, p params) (any, error) {
	if m.ID != s.opts.SelfID && !m.g.manages() {
		return nil, notAdmin()
	}
	m.rename(p.text("card"))
	return nil, nil
}

// settling answers a request of a friend or of a group; words is the parameter that says more.
func settling(friend bool, words string) action {
	return func(s *Server, p params) (any, error) {
		if !p.has("flag") {
			return nil, required("flag")
		}
		return nil, s.settle(p.text("flag"), friend, p.bool("approve", true), p.text(words))
	}
}

// essence puts a message among its group's best, or takes it out of them.
func essence(add bool) func(*Server, *message, params) {
	return func(s *Server, m *message, _ params) { s.group(m.Chat.ID).essence(m, s.opts.SelfID, add) }
}

// reaction puts an emoji on a message; the parameters say which one, and whether it is taken off.
func reaction(emoji, add string) func(*Server, *message, params) {
	return func(s *Server, m *message, p params) {
		s.group(m.Chat.ID).react(m, s.opts.SelfID, p.text(emoji), p.bool(add, true))
	}
}

func (s *Server) friendOf(p params) (*Friend, error) {
	return find(p, "user_id", s.friend, noUser())
}

// managed finds a member whom the bot has power over: it is the owner, or an admin and the other is neither.
func (s *Server) managed(p params) (*Member, error) {
	m, err := s.memberOf(p)
	if err != nil {
		return nil, err
	}
	me := m.g.member(s.opts.SelfID)
	if me.role == "owner" && m != me || me.role == "admin" && !m.leads() {
		return m, nil
	}
	return nil, notAdmin()
}

// owned finds a member of a group whose owner the bot is.
func (s *Server) owned(p params) (*Member, error) {
	m, err := s.memberOf(p)
	if err == nil && m.g.member(s.opts.SelfID).role != "owner" {
		return nil, notAdmin()
	}
	return m, err
}

// managedGroup finds a group whose owner or admin the bot is.
func (s *Server) managedGroup(p params) (*Group, error) {
	g, err := s.groupOf(p)
	if err == nil && !g.manages() {
		return nil, notAdmin()
	}
	return g, err
}

// groupMessage finds a message in a group that the bot is in.
func (s *Server) groupMessage(p params) (*message, error) {
	m, err := s.messageOf(p)
	if err == nil && (m.Chat.Kind != "group" || !s.group(m.Chat.ID).joined()) {
		return nil, noGroup(m.Chat.ID)
	}
	return m, err
}

// managedMessage finds a message in a group whose owner or admin the bot is.
func (s *Server) managedMessage(p params) (*message, error) {
	m, err := s.groupMessage(p)
	if err == nil && !s.group(m.Chat.ID).manages() {
		return nil, notAdmin()
	}
	return m, err
}
