package onebottest

import (
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Member is a user in a group; see [Group.Member].
type Member struct {
	ID int64

	g          *Group // its server's mu guards what follows
	card       string
	title      string
	role       string // owner, admin, member
	joined     time.Time
	spoke      time.Time
	mutedUntil time.Time
}

// WithCard sets the name that the member has in this group. Nobody is told.
func (m *Member) WithCard(card string) *Member {
	m.g.s.locked(func() { m.card = card })
	return m
}

// WithRole makes the member "owner", "admin" or, what it was, "member". Nobody is told. The bot must
// be one of the first two to mute, to kick, and to recall what others said.
func (m *Member) WithRole(role string) *Member {
	m.g.s.locked(func() { m.role = role })
	return m
}

// Say is [Group.Say] by this member.
func (m *Member) Say(msg onebot.Message) (messageID int64) { return m.g.Say(m.ID, msg) }

// SetCard lets the member take another card: group_card, of which Lagrange does not tell.
func (m *Member) SetCard(card string) {
	m.g.s.locked(func() { m.rename(card) })
}

// SayPrivately says something to the bot in private, over the group: a temporary session. It is a
// private message; the bot may answer it by send_private_msg. NapCat gives it the group's id as if
// it were said there, LLBot and go-cqhttp hide the id in its sender, Lagrange does not tell it.
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
	if m.g.s.opts.Quirks.Events != LikeLagrange {
		m.g.notice(object{"notice_type": "group_card", "user_id": m.ID, "card_new": card, "card_old": old})
	}
}

// muted says whether the member cannot speak now.
func (m *Member) muted() bool {
	return time.Now().Before(m.mutedUntil) || m.g.quiet && !m.leads()
}

// leads says whether the member is owner or admin.
func (m *Member) leads() bool { return m.role == "owner" || m.role == "admin" }
