package qqbottest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
)

// chats are all groups and users. Server.mu guards them.
type chats struct {
	all     map[qqbot.Chat]*chat
	stored  map[string]stored // messages that can be quoted, by index
	domains []string
}

// A chat has what groups and users have in common.
type chat struct {
	id         qqbot.Chat
	inside     bool // the bot is a member, or the user a friend
	proactive  bool
	refused    bool
	muted      bool
	mode       Mode
	role       string
	targets    map[string]*target // by msg_id and event_id
	proactives []time.Time
	members    []*Member
}

// A target is a message or event that can be replied to.
type target struct {
	at      time.Time
	replies int
	seqs    map[int]bool
}

// stored is a message that can be quoted.
type stored struct {
	text   string
	author object
	files  []object
}

// A Mode is which messages of a group the bot gets.
type Mode int

// Modes. In Both, a message with a mention of the bot comes as two events with the same message id.
const (
	MentionsOnly Mode = iota
	Full
	Both
)

func (c *chats) init() {
	c.all, c.stored = make(map[qqbot.Chat]*chat), make(map[string]stored)
}

func (s *Server) chat(id qqbot.Chat) *chat {
	c := s.chats.all[id]
	if c == nil {
		c = &chat{id: id, inside: true, proactive: !id.Group, role: "member", targets: make(map[string]*target)}
		s.chats.all[id] = c
	}
	return c
}

// chatOf returns the chat of a call; nil and a refusal if the bot is not in it.
func (s *Server) chatOf(r *request) (*chat, reply) {
	group := strings.HasPrefix(r.URL.Path, "/v2/groups/")
	c := s.chats.all[qqbot.Chat{Group: group, ID: r.PathValue("chat")}]
	switch {
	case c != nil && c.inside:
		return c, reply{}
	case group:
		return nil, refuse(400, 40054003, "not in the group")
	}
	return nil, refuse(400, 40054004, "not a friend")
}

// A Group is a group with the bot.
type Group struct {
	s *Server
	c *chat
}

// Group returns a group with this group_openid. It adds the bot to a new one, without an event.
func (s *Server) Group(id string) (g *Group) {
	s.locked(func() { g = &Group{s, s.chat(qqbot.GroupChat(id))} })
	return g
}

// SetMode sets which messages the bot gets. At first only those that mention it.
func (g *Group) SetMode(m Mode) *Group {
	g.s.locked(func() { g.c.mode = m })
	return g
}

// AllowProactive sets if the bot may speak first. At first it may not.
func (g *Group) AllowProactive(on bool) *Group {
	g.s.locked(func() { g.c.proactive = on })
	return g
}

// SetRole sets the bot's role: member, admin or owner.
func (g *Group) SetRole(role string) *Group {
	g.s.locked(func() { g.c.role = role })
	return g
}

// Mute mutes the bot, without an event.
func (g *Group) Mute(on bool) { g.s.locked(func() { g.c.muted = on }) }

// Add adds the bot to the group, with an event. It returns the event's id.
func (g *Group) Add(operator string) (eventID string) {
	return g.robot("GROUP_ADD_ROBOT", operator, func() { g.c.inside = true })
}

// Remove removes the bot from the group, with an event.
func (g *Group) Remove(operator string) (eventID string) {
	return g.robot("GROUP_DEL_ROBOT", operator, func() { g.c.inside = false })
}

// Reject switches messages of the bot off, except replies, with an event.
func (g *Group) Reject(operator string) (eventID string) {
	return g.robot("GROUP_MSG_REJECT", operator, func() { g.c.refused = true })
}

// Receive switches messages of the bot on, with an event.
func (g *Group) Receive(operator string) (eventID string) {
	return g.robot("GROUP_MSG_RECEIVE", operator, func() { g.c.refused = false })
}

func (g *Group) robot(event, operator string, change func()) (id string) {
	g.s.locked(func() {
		change()
		id = g.s.emit(event, g.c, object{"group_openid": g.c.id.ID, "op_member_openid": operator, "timestamp": g.s.now().Unix()})
	})
	return id
}

// Join adds a member, with an event.
func (g *Group) Join(m *Member) { g.moved("GROUP_MEMBER_ADD", m) }

// Leave removes a member, with an event.
func (g *Group) Leave(m *Member) {
	g.s.locked(func() { g.c.members = slices.DeleteFunc(g.c.members, func(o *Member) bool { return o == m }) })
	g.moved("GROUP_MEMBER_REMOVE", m)
}

func (g *Group) moved(event string, m *Member) {
	g.s.locked(func() {
		g.s.emit(event, g.c, object{"group_openid": g.c.id.ID, "member_openid": m.id, "user_openid": "", "timestamp": g.s.now().Unix()})
	})
}

// RequestJoin asks to join the group, with an event. It returns the id of the request.
func (g *Group) RequestJoin(member, name, message string) (requestID string) {
	g.s.locked(func() {
		requestID = g.s.id("join-")
		g.s.emit("GROUP_JOIN_REQUEST", g.c, object{"group_openid": g.c.id.ID, "join_request_id": requestID, "member_openid": member, "username": name,
			"apply_at": g.s.now().Unix(), "apply_source": "self_apply", "bot": false,
			"verify_info": object{"method": "message", "verify_message": message, "review_qa_list": []object{{"question": "暗号", "answer": message}}}})
	})
	return requestID
}

// BotID returns the bot's member_openid in the group.
func (g *Group) BotID() string { return botID(g.c.id.ID) }

func botID(group string) string { return "BOT" + group }

func (s *Server) serveState(r *request) reply {
	c, no := s.chatOf(r)
	if c == nil {
		return no
	}
	receives := map[Mode]string{MentionsOnly: "only_mention", Full: "all", Both: "all"}[c.mode]
	return ok(object{"member_openid": botID(c.id.ID), "joined_at": "2026-07-21T10:00:00+08:00", "allow_proactive_msg": c.proactive && !c.refused,
		"recv_msg_setting": receives, "member_role": c.role})
}

// serveMembers returns a page of 30 members.
func (s *Server) serveMembers(r *request) reply {
	c, no := s.chatOf(r)
	if c == nil {
		return no
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	from = min(max(from, 0), len(c.members))
	page := []object{}
	for _, m := range c.members[from:min(from+30, len(c.members))] {
		page = append(page, m.object())
	}
	answer := object{"members": page, "next_cursor": ""}
	if next := from + len(page); next < len(c.members) {
		answer["next_cursor"] = strconv.Itoa(next)
	}
	return ok(answer)
}

func (s *Server) serveMember(r *request) reply {
	c, no := s.chatOf(r)
	if c == nil {
		return no
	}
	for _, m := range c.members {
		if m.id == r.PathValue("id") {
			return ok(m.object())
		}
	}
	return refuse(400, 40034101, "not a member")
}
