package onebottest

import "time"

// longestBan is how long QQ mutes at most, in seconds.
const longestBan = 30 * 24 * 60 * 60

func (s *Server) sendPoke(p params) (any, error) {
	if p.has("group_id") {
		return s.groupPoke(p)
	}
	return s.friendPoke(p)
}

func (s *Server) groupPoke(p params) (any, error) {
	m, err := s.memberOf(p)
	if err != nil {
		return nil, err
	}
	m.g.poke(s.opts.SelfID, m.ID)
	return nil, nil
}

func (s *Server) friendPoke(p params) (any, error) {
	id, err := p.id("user_id")
	if err != nil {
		return nil, err
	}
	f := s.friend(id)
	if f == nil {
		return nil, noUser()
	}
	f.poke(s.opts.SelfID, f.ID)
	return nil, nil
}

func (s *Server) setGroupBan(p params) (any, error) {
	m, err := s.managed(p)
	if err != nil {
		return nil, err
	}
	seconds, err := p.int("duration", 1800)
	if err != nil {
		return nil, err
	}
	m.g.ban(m.ID, time.Duration(min(seconds, longestBan))*time.Second, s.opts.SelfID)
	return nil, nil
}

func (s *Server) setGroupWholeBan(p params) (any, error) {
	g, err := s.groupOf(p)
	if err != nil {
		return nil, err
	}
	if !g.manages() {
		return nil, notAdmin()
	}
	var d time.Duration
	if p.bool("enable", true) {
		d = time.Second // whatever: it has no end
	}
	g.ban(0, d, s.opts.SelfID)
	return nil, nil
}

func (s *Server) setGroupKick(p params) (any, error) {
	m, err := s.managed(p)
	if err != nil {
		return nil, err
	}
	m.g.leave(m.ID)
	m.g.decrease("kick", m.ID, s.opts.SelfID)
	return nil, nil
}

func (s *Server) setGroupCard(p params) (any, error) {
	m, err := s.memberOf(p)
	if err != nil {
		return nil, err
	}
	if m.ID != s.opts.SelfID && !m.g.manages() {
		return nil, notAdmin()
	}
	m.rename(p.text("card"))
	return nil, nil
}

func (s *Server) setGroupLeave(p params) (any, error) {
	g, err := s.groupOf(p)
	if err != nil {
		return nil, err
	}
	g.leave(s.opts.SelfID)
	g.decrease("leave", s.opts.SelfID, s.opts.SelfID)
	return nil, nil
}

func (s *Server) setFriendAddRequest(p params) (any, error) {
	if !p.has("flag") {
		return nil, required("flag")
	}
	return nil, s.settle(p.text("flag"), true, p.bool("approve", true), p.text("remark"))
}

func (s *Server) setGroupAddRequest(p params) (any, error) {
	if !p.has("flag") {
		return nil, required("flag")
	}
	return nil, s.settle(p.text("flag"), false, p.bool("approve", true), p.text("reason"))
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

func (s *Server) setGroupAdmin(p params) (any, error) {
	m, err := s.memberOf(p)
	if err != nil {
		return nil, err
	}
	if m.g.member(s.opts.SelfID).role != "owner" {
		return nil, notAdmin()
	}
	m.setAdmin(p.bool("enable", true))
	return nil, nil
}

func (s *Server) setGroupName(p params) (any, error) {
	g, err := s.groupOf(p)
	if err != nil {
		return nil, err
	}
	if !g.manages() {
		return nil, notAdmin()
	}
	g.setName(s.opts.SelfID, p.text("group_name"))
	return nil, nil
}

func (s *Server) setTitle(p params) (any, error) {
	m, err := s.memberOf(p)
	if err != nil {
		return nil, err
	}
	if m.g.member(s.opts.SelfID).role != "owner" {
		return nil, notAdmin()
	}
	m.setTitle(p.text("special_title"))
	return nil, nil
}

func (s *Server) setEssence(p params) (any, error)    { return s.changeEssence(p, true) }
func (s *Server) deleteEssence(p params) (any, error) { return s.changeEssence(p, false) }

func (s *Server) changeEssence(p params, add bool) (any, error) {
	m, g, err := s.groupMessage(p)
	if err != nil {
		return nil, err
	}
	if !g.manages() {
		return nil, notAdmin()
	}
	g.essence(m, s.opts.SelfID, add)
	return nil, nil
}

func (s *Server) setEmojiLike(p params) (any, error) {
	m, g, err := s.groupMessage(p)
	if err != nil {
		return nil, err
	}
	g.react(m, s.opts.SelfID, p.text("emoji_id"), p.bool("set", true))
	return nil, nil
}

func (s *Server) setReaction(p params) (any, error) {
	m, g, err := s.groupMessage(p)
	if err != nil {
		return nil, err
	}
	g.react(m, s.opts.SelfID, p.text("code"), p.bool("is_add", true))
	return nil, nil
}

// groupMessage finds a message in a group that the bot is in.
func (s *Server) groupMessage(p params) (*message, *Group, error) {
	m, err := s.messageOf(p)
	if err != nil {
		return nil, nil, err
	}
	g := s.group(m.Chat.ID)
	if m.Chat.Kind != "group" || !g.joined() {
		return nil, nil, noGroup(m.Chat.ID)
	}
	return m, g, nil
}
