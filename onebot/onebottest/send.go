package onebottest

import (
	"errors"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// errNotSent is NapCat's error if QQ rejects a message.
func errNotSent(result int) error {
	return refused(1200, `EventChecker Failed: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg EventRet: {"result":%d,"errMsg":""}`, result).as("SEND_MSG_API_ERROR")
}

const (
	resultNoGroup = 110 // not a member
	resultMuted   = 120
	resultOffline = 9
	resultNoPeer  = 16
)

// toGroup returns an empty message to a group.
func (s *Server) toGroup(p params) (*message, error) {
	id, err := p.id("group_id")
	if err != nil {
		return nil, err
	}
	return &message{ChatMessage: ChatMessage{Chat: GroupChat(id)}}, nil
}

// toPrivate returns an empty message to a user.
func (s *Server) toPrivate(p params) (*message, error) {
	id, err := p.id("user_id")
	if err != nil {
		return nil, err
	}
	return s.private(id, p), nil
}

// toEither returns an empty message to the target in message_type, or else to the given id.
func (s *Server) toEither(p params) (*message, error) {
	switch kind := p.text("message_type"); {
	case kind == "group", kind == "" && p.has("group_id"):
		return s.toGroup(p)
	case kind == "private", kind == "" && p.has("user_id"):
		return s.toPrivate(p)
	}
	return nil, errors.New("请指定 group_id 或 user_id")
}

// private returns an empty message to a user, in a temporary session if there is one.
func (s *Server) private(id int64, p params) *message {
	m := &message{ChatMessage: ChatMessage{Chat: PrivateChat(id)}}
	if s.friend(id) == nil {
		m.temp = s.temps[id]
		if g, err := p.int("group_id", 0); m.temp == 0 && err == nil && s.sharesGroup(g, id) {
			m.temp = g
		}
	}
	return m
}

// send sends m with the message in p if QQ would accept it.
func (s *Server) send(m *message, p params) (any, error) {
	msg, err := p.message()
	if err != nil {
		return nil, err
	}
	return s.sendMessage(m, msg)
}

func (s *Server) sendMessage(m *message, msg onebot.Message) (any, error) {
	if len(msg) == 0 {
		return nil, refused(1200, "消息体无法解析, 请检查是否发送了不支持的消息类型").as("EMPTY_MSG_ERROR")
	}
	if err := s.sendable(m); err != nil {
		return nil, err
	}
	m.Message, m.UserID, m.At = msg, s.opts.SelfID, time.Now()
	s.sent = append(s.sent, s.say(m))
	if s.faults.unconfirm != 0 {
		s.faults.unconfirm--
		return nil, refused(1200, "Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg ListenerName:NodeIKernelMsgListener/onMsgInfoListUpdate EventRet:{}").as("SEND_MSG_API_ERROR")
	}
	return object{"message_id": m.MessageID}, nil
}

func (s *Server) sendable(m *message) error {
	if s.offline {
		return errNotSent(resultOffline)
	}
	if m.Chat.Kind == "group" {
		g := s.group(m.Chat.ID)
		if g == nil || !g.joined() {
			return errNotSent(resultNoGroup)
		}
		if g.member(s.opts.SelfID).muted() {
			return errNotSent(resultMuted)
		}
		return nil
	}
	if s.users[m.Chat.ID] == nil {
		return noUser()
	}
	if s.friend(m.Chat.ID) == nil && m.temp == 0 {
		return errNotSent(resultNoPeer)
	}
	return nil
}

// sharesGroup reports whether the bot and a user are both in a group.
func (s *Server) sharesGroup(groupID, userID int64) bool {
	g := s.group(groupID)
	return g != nil && g.joined() && g.member(userID) != nil
}

// deleteMsg recalls a message of the bot, or of any user if the bot manages the group.
func (s *Server) deleteMsg(m *message, _ params) (any, error) {
	mine := m.UserID == s.opts.SelfID
	if !mine && (m.Chat.Kind != "group" || !s.group(m.Chat.ID).manages()) {
		return nil, refused(1200, "无权撤回该消息").as("RECALL_API_ERROR")
	}
	s.recall(m, s.opts.SelfID)
	return nil, nil
}

func (s *Server) sendLike(p params) (any, error) {
	_, err := p.id("user_id")
	return nil, err
}

func (s *Server) messageOf(p params) (*message, error) {
	return find(p, "message_id", s.message, noMessage())
}

// history returns count messages of a chat, oldest first, ending with the anchor, or with the newest without one. The
// anchor is message_seq: a message id for NapCat, a sequence number for others. For Lagrange it is message_id.
func (s *Server) history(in *message, p params) (any, error) {
	anchor := "message_seq"
	if s.opts.Quirks.Actions == LikeLagrange {
		anchor = "message_id"
	}
	seq, err := p.int(anchor, 0)
	if err != nil {
		return nil, err
	}
	count, err := p.int("count", 20)
	if err != nil {
		return nil, err
	}
	said, ok := s.historyBefore(in.Chat, seq, int(count))
	if !ok {
		return nil, refused(1200, "消息%d不存在", seq).as("MESSAGES_API_ERROR")
	}
	wired := make([]object, 0, len(said))
	for _, m := range said {
		wired = append(wired, s.wire(m))
	}
	return object{"messages": wired}, nil
}
