package onebottest

import (
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Group is a group chat of a [Server]; see [Server.Group].
type Group struct {
	ID int64

	s       *Server // its mu guards what follows
	name    string
	members []*Member
	quiet   bool // everybody is muted but owner and admins
}

// Chat is the group as a chat.
func (g *Group) Chat() Chat { return GroupChat(g.ID) }

// Member returns the member userID. Whoever was none becomes one and nobody is told: see
// [Group.Join] for that. A nickname other than "" is taken over, in all groups.
func (g *Group) Member(userID int64, nickname string) *Member {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	return g.join(userID, nickname)
}

// Say lets a user say something, now, and returns the message's id. Who was no member becomes
// one. For the SelfID it is the account's owner who types on another device.
func (g *Group) Say(userID int64, m onebot.Message) (messageID int64) {
	return g.SayAt(userID, time.Now(), m)
}

// SayAt is Say with another time on the message, as when an implementation delivers late.
// History keeps the order of the calls.
func (g *Group) SayAt(userID int64, at time.Time, m onebot.Message) (messageID int64) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	g.join(userID, "")
	return s.say(&message{ChatMessage: ChatMessage{Chat: g.Chat(), UserID: userID, Message: m, At: at}}).MessageID
}

// Join lets a user come into the group: group_increase.
func (g *Group) Join(userID int64, nickname string) *Member {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	m := g.join(userID, nickname)
	g.increase("approve", userID)
	return m
}

// Leave lets a member go: group_decrease.
func (g *Group) Leave(userID int64) {
	g.s.locked(func() { g.remove("leave", userID, userID) })
}

// Kick lets operator throw a member out: group_decrease. After the SelfID was kicked the bot
// hears nothing of the group and cannot send to it.
func (g *Group) Kick(userID, operator int64) {
	g.s.locked(func() { g.remove("kick", userID, operator) })
}

// Ban mutes a member for d, in the name of the group's owner, and unmutes with d ≤ 0: group_ban.
// A userID of 0 is everybody but owner and admins, with no end. A muted bot cannot send here.
func (g *Group) Ban(userID int64, d time.Duration) {
	g.s.locked(func() { g.ban(userID, d, g.owner()) })
}

// Poke lets one member poke another: notify/poke.
func (g *Group) Poke(userID, target int64) {
	g.s.locked(func() { g.poke(userID, target) })
}

// JoinRequest lets a user ask to join: request/group/add. The flag is what the bot answers it by.
func (g *Group) JoinRequest(userID int64, comment string) (flag string) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request(Request{Kind: "add", GroupID: g.ID, UserID: userID, Comment: comment})
}

// What follows needs g.s.mu.

func (g *Group) member(userID int64) *Member {
	return first(g.members, func(m *Member) bool { return m.ID == userID })
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

// joined says whether the bot is in the group, and so hears of it.
func (g *Group) joined() bool { return g.member(g.s.opts.SelfID) != nil }

// owner is in whose name things are done that no user of the world did: 0 when there is none.
func (g *Group) owner() int64 {
	if m := first(g.members, func(m *Member) bool { return m.role == "owner" }); m != nil {
		return m.ID
	}
	return 0
}

// manages says whether the bot is the group's owner or an admin.
func (g *Group) manages() bool {
	me := g.member(g.s.opts.SelfID)
	return me != nil && me.leads()
}

func (g *Group) ban(userID int64, d time.Duration, operator int64) {
	sub, seconds := "ban", int64(d/time.Second)
	if d <= 0 {
		sub, seconds = "lift_ban", 0
	}
	if userID == 0 {
		g.quiet = d > 0
		if g.quiet {
			seconds = -1
		}
	} else {
		g.join(userID, "").mutedUntil = time.Now().Add(max(d, 0))
	}
	g.notice(object{"notice_type": "group_ban", "sub_type": sub, "user_id": userID, "operator_id": operator, "duration": seconds})
}

func (g *Group) poke(userID, target int64) {
	ev := object{"notice_type": "notify", "sub_type": "poke", "user_id": userID, "target_id": target}
	switch g.s.opts.Quirks.Events {
	case LikeGoCQHTTP:
		ev["sender_id"] = userID
	case LikeLagrange:
		g.s.pokeWords(ev)
	default:
		ev["raw_info"] = []any{}
	}
	g.notice(ev)
}

func (g *Group) increase(sub string, userID int64) {
	g.notice(object{"notice_type": "group_increase", "sub_type": sub, "user_id": userID, "operator_id": g.owner()})
}

// remove takes a member out. It is told also of the bot itself, though that is in the group no more.
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

// notice tells the bots something about the group.
func (g *Group) notice(ev object) {
	if g.joined() {
		ev["group_id"] = g.ID
		g.s.emit("notice", ev)
	}
}
