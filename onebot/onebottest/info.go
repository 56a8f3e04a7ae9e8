package onebottest

func (s *Server) getLoginInfo(params) (any, error) {
	return object{"user_id": s.opts.SelfID, "nickname": s.users[s.opts.SelfID].nickname}, nil
}

func (s *Server) getVersionInfo(params) (any, error) {
	name, version := "NapCat.Onebot", "4.8.0"
	switch s.opts.Quirks.Actions {
	case LikeLLBot:
		name, version = "LLOneBot", "8.1.7"
	case LikeSnowLuma:
		name, version = "SnowLuma", "1.11.1"
	case LikeLagrange:
		name, version = "Lagrange.OneBot", "0.0.3"
	case LikeGoCQHTTP:
		name, version = "go-cqhttp", "v1.2.0"
	}
	return object{"app_name": name, "app_version": version, "protocol_version": "v11"}, nil
}

func (s *Server) getStrangerInfo(p params) (any, error) {
	u, err := find(p, "user_id", func(id int64) *user { return s.users[id] }, noUser())
	if err != nil {
		return nil, err
	}
	return object{"user_id": u.id, "nickname": u.nickname, "sex": "unknown", "age": 0}, nil
}

func (s *Server) getFriendList(params) (any, error) {
	list := make([]object, 0, len(s.friends))
	for _, f := range s.friends {
		list = append(list, object{"user_id": f.ID, "nickname": s.users[f.ID].nickname, "remark": f.remark})
	}
	return list, nil
}

func (s *Server) getGroupList(params) (any, error) {
	list := []object{}
	for _, g := range s.groups {
		if g.joined() {
			list = append(list, g.info())
		}
	}
	return list, nil
}

func (s *Server) getGroupMemberList(g *Group, _ params) (any, error) {
	list := make([]object, 0, len(g.members))
	for _, m := range g.members {
		list = append(list, m.info())
	}
	return list, nil
}

// groupOf finds a group of the bot.
func (s *Server) groupOf(p params) (*Group, error) {
	id, err := p.id("group_id")
	if err != nil {
		return nil, err
	}
	g := s.group(id)
	if g == nil || !g.joined() {
		return nil, noGroup(id)
	}
	return g, nil
}

// memberOf finds a member of a group of the bot.
func (s *Server) memberOf(p params) (*Member, error) {
	user, err := p.id("user_id")
	if err != nil {
		return nil, err
	}
	g, err := s.groupOf(p)
	if err != nil {
		return nil, err
	}
	m := g.member(user)
	if m == nil {
		return nil, refused(1200, "群(%d)成员%d不存在", g.ID, user).as("MEMBER_NOT_FOUND")
	}
	return m, nil
}

func (g *Group) info() object {
	shut := 0
	if g.wholeBan {
		shut = -1
	}
	return object{
		"group_id": g.ID, "group_name": g.name, "group_remark": "", "group_all_shut": shut,
		"member_count": len(g.members), "max_member_count": 200,
	}
}

func (m *Member) info() object {
	spoke := m.joined
	if !m.lastSent.IsZero() {
		spoke = m.lastSent
	}
	shut := int64(0)
	if m.muted() {
		shut = m.mutedUntil.Unix()
	}
	return object{
		"group_id": m.g.ID, "user_id": m.ID, "nickname": m.g.s.users[m.ID].nickname, "card": m.card,
		"sex": "unknown", "age": 0, "area": "", "level": "1", "role": m.role, "title": m.title,
		"title_expire_time": 0, "unfriendly": false, "card_changeable": true, "is_robot": false,
		"join_time": m.joined.Unix(), "last_sent_time": spoke.Unix(), "shut_up_timestamp": shut,
	}
}
