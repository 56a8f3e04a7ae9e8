package onebottest

import (
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Member is a user in a group; see [Group.Member].
type Member struct {
	ID int64

	g          *Group // its server's mu guards the fields below
	card       string
	title      string
	role       string // owner, admin, member
	joined     time.Time
	lastSent   time.Time
	mutedUntil time.Time
}

// WithCard sets the member's name in this group (群名片). It pushes no event.
func (m *Member) WithCard(card string) *Member {
	m.g.s.locked(func() { m.card = card })
	return m
}

// WithRole makes the member "owner", "admin" or "member", the default. It pushes no event. The bot must be owner or admin
// to mute, kick, and recall messages of others.
func (m *Member) WithRole(role string) *Member {
	m.g.s.locked(func() { m.role = role })
	return m
}

// Say is [Group.Say] by this member.
func (m *Member) Say(msg onebot.Message) (messageID int64) { return m.g.Say(m.ID, msg) }

// SetCard changes the member's card: group_card. SnowLuma and Lagrange have no such event.
func (m *Member) SetCard(card string) {
	m.g.s.locked(func() { m.rename(card) })
}

// SayPrivately sends a private message to the bot from a temporary session of the group. The bot may reply by
// send_private_msg. NapCat sends the group's id in the event, LLBot and go-cqhttp send it in its sender, SnowLuma
// and Lagrange do not send it.
func (m *Member) SayPrivately(msg onebot.Message) (messageID int64) {
	s := m.g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.temps[m.ID] = m.g.ID
	return s.say(&message{
		ChatMessage: ChatMessage{Chat: PrivateChat(m.ID), UserID: m.ID, Message: msg, At: time.Now()},
		temp:        m.g.ID,
	}).MessageID
}

func (m *Member) rename(card string) {
	old := m.card
	m.card = card
	if m.g.s.opts.Quirks.Events.hasCardEvents() {
		m.g.notice(object{"notice_type": "group_card", "user_id": m.ID, "card_new": card, "card_old": old})
	}
}

// muted reports whether the member is muted now.
func (m *Member) muted() bool {
	return time.Now().Before(m.mutedUntil) || m.g.wholeBan && !m.isAdmin()
}

// isAdmin reports whether the member is owner or admin.
func (m *Member) isAdmin() bool { return m.role == "owner" || m.role == "admin" }
