package onebottest

import "time"

// longestBan is QQ's longest mute, in seconds.
const longestBan = 30 * 24 * 60 * 60

var (
	groupPoke  = effectAction((*Server).memberOf, func(s *Server, m *Member, _ params) { m.g.poke(s.opts.SelfID, m.ID) })
	friendPoke = effectAction((*Server).friendOf, func(s *Server, f *Friend, _ params) { f.poke(s.opts.SelfID, f.ID) })
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
		d = time.Second // any value: it has no end
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

// answerRequest returns an action that answers a friend or group request; words is the parameter with the remark or
// reason.
func answerRequest(friend bool, words string) action {
	return func(s *Server, p params) (any, error) {
		if !p.has("flag") {
			return nil, required("flag")
		}
		return nil, s.settle(p.text("flag"), friend, p.bool("approve", true), p.text(words))
	}
}

// essence adds a message to its group's essence messages or removes it.
func essence(add bool) func(*Server, *message, params) {
	return func(s *Server, m *message, _ params) { s.group(m.Chat.ID).essence(m, s.opts.SelfID, add) }
}

// reaction adds an emoji reaction to a message or removes it; the arguments are parameter names.
func reaction(emoji, add string) func(*Server, *message, params) {
	return func(s *Server, m *message, p params) {
		s.group(m.Chat.ID).react(m, s.opts.SelfID, p.text(emoji), p.bool(add, true))
	}
}

// groupReaction is reaction with the names of Lagrange or SnowLuma.
func groupReaction(s *Server, m *message, p params) {
	add := "is_add"
	if s.opts.Quirks.Actions == LikeSnowLuma {
		add = "is_set"
	}
	reaction("code", add)(s, m, p)
}

func (s *Server) friendOf(p params) (*Friend, error) {
	return find(p, "user_id", s.friend, noUser())
}

// managed finds a member whom the bot may manage: the bot is the owner, or the bot is an admin and the member is
// neither.
func (s *Server) managed(p params) (*Member, error) {
	m, err := s.memberOf(p)
	if err != nil {
		return nil, err
	}
	me := m.g.member(s.opts.SelfID)
	if me.role == "owner" && m != me || me.role == "admin" && !m.isAdmin() {
		return m, nil
	}
	return nil, notAdmin()
}

// owned finds a member of a group owned by the bot.
func (s *Server) owned(p params) (*Member, error) {
	m, err := s.memberOf(p)
	if err == nil && m.g.member(s.opts.SelfID).role != "owner" {
		return nil, notAdmin()
	}
	return m, err
}

// managedGroup finds a group in which the bot is owner or admin.
func (s *Server) managedGroup(p params) (*Group, error) {
	g, err := s.groupOf(p)
	if err == nil && !g.manages() {
		return nil, notAdmin()
	}
	return g, err
}

// groupMessage finds a message in a group of the bot.
func (s *Server) groupMessage(p params) (*message, error) {
	m, err := s.messageOf(p)
	if err == nil && (m.Chat.Kind != "group" || !s.group(m.Chat.ID).joined()) {
		return nil, noGroup(m.Chat.ID)
	}
	return m, err
}

// managedMessage finds a message in a group in which the bot is owner or admin.
func (s *Server) managedMessage(p params) (*message, error) {
	m, err := s.groupMessage(p)
	if err == nil && !s.group(m.Chat.ID).manages() {
		return nil, notAdmin()
	}
	return m, err
}
