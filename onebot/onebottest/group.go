package onebottest

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Group is a group chat of a [Server]; see [Server.Group].
type Group struct {
	ID int64

	s        *Server // its mu guards the fields below
	name     string
	members  []*Member
	wholeBan bool // all members except owner and admins are muted

	folders       []*folder
	essences      []essenceMessage
	announcements []Announcement
	signed        []int64
}

// Chat returns the group as a chat.
func (g *Group) Chat() Chat { return GroupChat(g.ID) }

// Member returns the member userID and adds it to the group if needed. It pushes no event; for that see [Group.Join].
// A nickname other than "" replaces the user's nickname in all groups.
func (g *Group) Member(userID int64, nickname string) *Member {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	return g.join(userID, nickname)
}

// Say sends a message from a user to the group and returns the message's id. The user becomes a member if needed.
// With the SelfID, the message comes from the bot's account on another device.
func (g *Group) Say(userID int64, m onebot.Message) (messageID int64) {
	return g.SayAt(userID, time.Now(), m)
}

// SayAt is Say with another time of the message, as for delayed delivery. History keeps the order of the calls.
func (g *Group) SayAt(userID int64, at time.Time, m onebot.Message) (messageID int64) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	g.join(userID, "")
	return s.say(&message{ChatMessage: ChatMessage{Chat: g.Chat(), UserID: userID, Message: m, At: at}}).MessageID
}

// Join adds a member: group_increase.
func (g *Group) Join(userID int64, nickname string) *Member {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	m := g.join(userID, nickname)
	g.increase("approve", userID)
	return m
}

// Leave removes a member who left: group_decrease.
func (g *Group) Leave(userID int64) {
	g.s.locked(func() { g.remove("leave", userID, userID) })
}

// Kick removes a member on behalf of operator: group_decrease. After the SelfID was kicked, the bot gets no events of
// the group and cannot send to it.
func (g *Group) Kick(userID, operator int64) {
	g.s.locked(func() { g.remove("kick", userID, operator) })
}

// Ban mutes a member for d on behalf of the group's owner, or unmutes with d ≤ 0: group_ban. userID 0 means all
// members except owner and admins, without an end. A muted bot cannot send to the group.
func (g *Group) Ban(userID int64, d time.Duration) {
	g.s.locked(func() { g.ban(userID, d, g.owner()) })
}

// Poke pokes a member on behalf of another: notify/poke.
func (g *Group) Poke(userID, target int64) {
	g.s.locked(func() { g.poke(userID, target) })
}

// JoinRequest sends a user's request to join: request/group/add. The bot answers it by its flag.
func (g *Group) JoinRequest(userID int64, comment string) (flag string) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request(Request{Kind: "add", GroupID: g.ID, UserID: userID, Comment: comment})
}

// The methods below need g.s.mu.

func (g *Group) member(userID int64) *Member {
	return firstMatch(g.members, func(m *Member) bool { return m.ID == userID })
}

func (g *Group) join(userID int64, nickname string) *Member {
	g.s.user(userID, nickname)
	m := g.member(userID)
	if m == nil {
		m = &Member{ID: userID, g: g, role: "member", joined: time.Now()}
		g.members = append(g.members, m)
	}
	return m
}

func (g *Group) leave(userID int64) {
	g.members = slices.DeleteFunc(g.members, func(m *Member) bool { return m.ID == userID })
}

// joined reports whether the bot is in the group and gets its events.
func (g *Group) joined() bool { return g.member(g.s.opts.SelfID) != nil }

// owner returns the operator of changes without a user; 0 if there is no owner.
func (g *Group) owner() int64 {
	if m := firstMatch(g.members, func(m *Member) bool { return m.role == "owner" }); m != nil {
		return m.ID
	}
	return 0
}

// manages reports whether the bot is the group's owner or an admin.
func (g *Group) manages() bool {
	me := g.member(g.s.opts.SelfID)
	return me != nil && me.isAdmin()
}

func (g *Group) ban(userID int64, d time.Duration, operator int64) {
	sub, seconds := "ban", int64(d/time.Second)
	if d <= 0 {
		sub, seconds = "lift_ban", 0
	}
	if userID == 0 {
		g.wholeBan = d > 0
		if g.wholeBan {
			seconds = -1
		}
	} else {
		g.join(userID, "").mutedUntil = time.Now().Add(max(d, 0))
	}
	g.notice(object{"notice_type": "group_ban", "sub_type": sub, "user_id": userID, "operator_id": operator, "duration": seconds})
}

func (g *Group) poke(userID, target int64) {
	g.s.recordPoke(g.Chat(), userID, target)
	ev := object{"notice_type": "notify", "sub_type": "poke", "user_id": userID, "target_id": target}
	switch g.s.opts.Quirks.Events {
	case LikeGoCQHTTP:
		ev["sender_id"] = userID
	case LikeLagrange, LikeSnowLuma:
		g.s.pokeWords(ev)
	default:
		ev["raw_info"] = []any{}
	}
	g.notice(ev)
}

func (g *Group) increase(sub string, userID int64) {
	g.notice(object{"notice_type": "group_increase", "sub_type": sub, "user_id": userID, "operator_id": g.owner()})
}

// remove removes a member. It also reports the removal of the bot, although the bot is no longer in the group.
func (g *Group) remove(sub string, userID, operator int64) {
	g.leave(userID)
	if sub == "kick" && userID == g.s.opts.SelfID {
		sub = "kick_me"
	}
	ev := object{"notice_type": "group_decrease", "sub_type": sub, "group_id": g.ID, "user_id": userID, "operator_id": operator}
	if g.joined() || userID == g.s.opts.SelfID {
		g.s.emit("notice", ev)
	}
}

// notice pushes an event about the group.
func (g *Group) notice(ev object) {
	if g.joined() {
		ev["group_id"] = g.ID
		g.s.emit("notice", ev)
	}
}
