package onebottest

import (
	"cmp"
	"slices"
	"strconv"
)

// SetAdmin makes the member an admin of the group or an ordinary member: group_admin.
func (m *Member) SetAdmin(on bool) {
	m.g.s.locked(func() { m.setAdmin(on) })
}

func (m *Member) setAdmin(on bool) {
	sub := "unset"
	if m.role = "member"; on {
		m.role, sub = "admin", "set"
	}
	m.g.notice(object{"notice_type": "group_admin", "sub_type": sub, "user_id": m.ID})
}

// SetTitle sets the member's special title (专属头衔): notify/title. SnowLuma and Lagrange have no such event.
func (m *Member) SetTitle(title string) {
	m.g.s.locked(func() { m.setTitle(title) })
}

func (m *Member) setTitle(title string) {
	m.title = title
	if m.g.s.opts.Quirks.Events.hasCardEvents() {
		m.g.notice(object{"notice_type": "notify", "sub_type": "title", "user_id": m.ID, "title": title})
	}
}

// hasCardEvents reports whether the implementation reports changed cards and titles.
func (like Implementation) hasCardEvents() bool {
	return like != LikeLagrange && like != LikeSnowLuma
}

// Honor gives the member an honor title, such as "talkative", "performer" or "emotion": notify/honor, from go-cqhttp
// only.
func (m *Member) Honor(kind string) {
	m.g.s.mu.Lock()
	defer m.g.s.mu.Unlock()
	if m.g.s.opts.Quirks.Events == LikeGoCQHTTP {
		m.g.notice(object{"notice_type": "notify", "sub_type": "honor", "honor_type": kind, "user_id": m.ID})
	}
}

// SetName renames the group on behalf of a member: notify/group_name (NapCat) or group_name_change (Lagrange).
func (g *Group) SetName(userID int64, name string) {
	g.s.locked(func() { g.setName(userID, name) })
}

func (g *Group) setName(userID int64, name string) {
	g.name = name
	switch g.s.opts.Quirks.Events {
	case LikeNapCat:
		g.notice(object{"notice_type": "notify", "sub_type": "group_name", "user_id": userID, "name_new": name})
	case LikeLagrange:
		g.notice(object{"notice_type": "group_name_change", "name": name})
	}
}

// LuckyKing reports the luckiest receiver of a user's red packet: notify/lucky_king, from go-cqhttp only.
func (g *Group) LuckyKing(userID, target int64) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	if g.s.opts.Quirks.Events == LikeGoCQHTTP {
		g.notice(object{"notice_type": "notify", "sub_type": "lucky_king", "user_id": userID, "sender_id": userID, "target_id": target})
	}
}

// Essence adds a message to the essence messages (精华消息) on behalf of operator, or removes it: essence. NapCat reports
// only additions. It returns false if the group has no such message.
func (g *Group) Essence(messageID, operator int64, add bool) bool {
	return g.on(messageID, func(m *message) { g.essence(m, operator, add) })
}

// on applies do to a message of the group. It returns false if there is no such message.
func (g *Group) on(messageID int64, do func(*message)) bool {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	m := g.s.message(messageID)
	if m == nil || m.Chat != g.Chat() {
		return false
	}
	do(m)
	return true
}

func (g *Group) essence(m *message, operator int64, add bool) {
	g.setEssence(m, operator, add)
	sub := "add"
	if !add {
		sub = "delete"
	}
	ev := object{"notice_type": "essence", "sub_type": sub, "message_id": m.wireID(), "sender_id": m.UserID, "operator_id": operator}
	switch like := g.s.opts.Quirks.Events; {
	case like == LikeNapCat && !add:
		return
	case like == LikeNapCat, like == LikeLLBot, like == LikeSnowLuma:
		ev["user_id"] = m.UserID
	}
	g.notice(ev)
}

// React adds an emoji reaction to a message on behalf of a user, or removes it: group_msg_emoji_like (NapCat, LLBot,
// SnowLuma) or reaction (Lagrange). It returns false if the group has no such message.
func (g *Group) React(messageID, userID int64, emojiID string, add bool) bool {
	return g.on(messageID, func(m *message) { g.react(m, userID, emojiID, add) })
}

func (g *Group) react(m *message, userID int64, emojiID string, add bool) {
	count := m.setReaction(Reaction{UserID: userID, EmojiID: emojiID}, add)
	g.s.changed()
	likes := []object{{"emoji_id": emojiID, "count": count}}
	ev := object{"notice_type": "group_msg_emoji_like", "user_id": userID, "message_id": m.wireID(), "likes": likes, "is_add": add}
	sub := "add"
	if !add {
		sub = "remove"
	}
	switch g.s.opts.Quirks.Events {
	case LikeNapCat:
		ev["message_seq"] = strconv.Itoa(m.seq)
		g.notice(ev)
	case LikeLLBot:
		g.notice(ev)
	case LikeSnowLuma:
		delete(ev, "is_add")
		ev["sub_type"], ev["operator_id"], ev["message_seq"] = sub, userID, m.seq
		g.notice(ev)
	case LikeLagrange:
		g.notice(object{
			"notice_type": "reaction", "sub_type": sub, "operator_id": userID, "message_id": m.wireID(), "code": emojiID, "count": count,
		})
	}
}

// Upload uploads a file to the group on behalf of a user: group_upload.
func (g *Group) Upload(userID int64, name string, data []byte) File {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	g.join(userID, "")
	f := s.addFile(name, slices.Clone(data))
	f.SentTo, f.From = g.Chat(), userID
	file := object{"id": f.ID, "name": f.Name, "size": len(f.Data), "busid": 102}
	if s.opts.Quirks.Events == LikeGoCQHTTP {
		file["url"] = f.URL
	}
	g.notice(object{"notice_type": "group_upload", "user_id": userID, "file": file})
	return *f
}

// Dismiss dissolves the group: group_decrease/disband (NapCat, SnowLuma), group_dismiss (LLBot), group_decrease/kick_me
// (others). The bot is no longer in the group.
func (g *Group) Dismiss() {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !g.joined() {
		return
	}
	owner := g.owner()
	ev := object{"notice_type": "group_decrease", "sub_type": "kick_me", "user_id": s.opts.SelfID, "operator_id": owner}
	switch s.opts.Quirks.Events {
	case LikeNapCat, LikeSnowLuma:
		ev["sub_type"] = "disband"
	case LikeLLBot:
		ev = object{"notice_type": "group_dismiss", "user_id": owner}
	}
	g.notice(ev)
	g.leave(s.opts.SelfID)
}

// Upload sends a file from the friend to the bot: offline_file (Lagrange, go-cqhttp), otherwise a message with a file
// segment.
func (f *Friend) Upload(name string, data []byte) File {
	s := f.s
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.addFile(name, slices.Clone(data))
	file.SentTo, file.From = f.Chat(), f.ID
	if like := s.opts.Quirks.Events; like == LikeLagrange || like == LikeGoCQHTTP {
		s.emit("notice", object{"notice_type": "offline_file", "user_id": f.ID, "file": object{
			"name": file.Name, "size": len(file.Data), "url": file.URL, "id": file.ID,
		}})
	} else {
		s.say(s.fileMessage(f, file))
	}
	return *file
}

// Typing reports that the friend is typing, or with "" that the friend stopped: notify/input_status, from NapCat
// only.
func (f *Friend) Typing(text string) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	kind := 1
	if text == "" {
		kind = 2
	}
	if f.s.opts.Quirks.Events == LikeNapCat {
		f.s.emit("notice", object{
			"notice_type": "notify", "sub_type": "input_status", "user_id": f.ID, "group_id": 0, "event_type": kind, "status_text": text,
		})
	}
}

// Like likes the bot's profile the given number of times: notify/profile_like (NapCat, LLBot).
func (s *Server) Like(userID int64, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.user(userID, "")
	if like := s.opts.Quirks.Events; like == LikeNapCat || like == LikeLLBot {
		s.emit("notice", object{
			"notice_type": "notify", "sub_type": "profile_like", "operator_id": userID, "operator_nick": u.nickname, "times": cmp.Or(times, 1),
		})
	}
}
