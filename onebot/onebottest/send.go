package onebottest

import (
	"errors"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// errNotSent is the error if QQ rejects a message.
func errNotSent(m *message, result int) error {
	no := refused(1200, `EventChecker Failed: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg EventRet: {"result":%d,"errMsg":""}`, result)
	no.inSnowLuma("send %s message rejected: result=%d err=", m.Chat.Kind, result)
	return no.as("SEND_MSG_API_ERROR", sendError(m, "send group message failed: blocked by server"))
}

// errUnconfirmed is the error if QQ does not confirm a message, which may have been delivered.
func errUnconfirmed(m *message) error {
	no := refused(1200, "Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg ListenerName:NodeIKernelMsgListener/onMsgInfoListUpdate EventRet:{}")
	no.inSnowLuma("send %s message failed: recv packet timed out after 15000 ms", m.Chat.Kind)
	return no.as("SEND_MSG_API_ERROR", sendError(m, "send group message failed: blocked by server"))
}

// sendError is go-cqhttp's wording for a message that was not sent. It gives a reason only in groups.
func sendError(m *message, reason string) string {
	if m.Chat.Kind == "group" {
		return reason
	}
	return "请参考 go-cqhttp 端输出"
}

// errEmpty is the error for a message without content. go-cqhttp distinguishes an empty string from other messages.
func errEmpty(m *message, emptyString bool) error {
	no := refused(1200, "消息体无法解析, 请检查是否发送了不支持的消息类型").inSnowLuma("message is empty")
	if emptyString {
		return no.as("EMPTY_MSG_ERROR", "消息为空")
	}
	return no.as("SEND_MSG_API_ERROR", sendError(m, "empty message"))
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
	if s.opts.Quirks.Actions == LikeGoCQHTTP && m.Chat.Kind == "group" { // looks for the group first
		if err := s.reachable(m); err != nil {
			return nil, err
		}
	}
	msg, err := p.message()
	if err != nil {
		return nil, err
	}
	if len(msg) == 0 {
		return nil, errEmpty(m, p.text("message") == "")
	}
	return s.sendMessage(m, msg)
}

func (s *Server) sendMessage(m *message, msg onebot.Message) (any, error) {
	if s.opts.Quirks.Actions == LikeSnowLuma {
		msg = sendableSegments(m.Chat, msg)
	}
	if len(msg) == 0 {
		return nil, errEmpty(m, false)
	}
	if err := s.sendable(m); err != nil {
		return nil, err
	}
	m.Message, m.UserID, m.At = msg, s.opts.SelfID, time.Now()
	s.sent = append(s.sent, s.say(m))
	if s.faults.unconfirm != 0 {
		s.faults.unconfirm--
		return nil, errUnconfirmed(m)
	}
	return object{"message_id": m.MessageID}, nil
}

// forwardSingle sends a copy of a message.
func (s *Server) forwardSingle(to *message, p params) (any, error) {
	m, err := s.messageOf(p)
	if err != nil {
		return nil, err
	}
	return s.sendMessage(to, m.Message)
}

// sendable returns the error if QQ would reject a message.
func (s *Server) sendable(m *message) error {
	if s.offline {
		return errNotSent(m, resultOffline)
	}
	if err := s.reachable(m); err != nil {
		return err
	}
	if m.Chat.Kind == "group" && s.group(m.Chat.ID).member(s.opts.SelfID).muted() {
		return errNotSent(m, resultMuted)
	}
	return nil
}

// reachable returns the error for an unknown group or user.
func (s *Server) reachable(m *message) error {
	like := s.opts.Quirks.Actions
	if m.Chat.Kind == "group" {
		g := s.group(m.Chat.ID)
		switch known := g != nil && g.joined(); {
		case known:
			return nil
		case like == LikeGoCQHTTP:
			return noGroup(m.Chat.ID)
		}
		return errNotSent(m, resultNoGroup)
	}
	if s.users[m.Chat.ID] == nil && like != LikeGoCQHTTP {
		return noUser()
	}
	if s.friend(m.Chat.ID) == nil && m.temp == 0 {
		return errNotSent(m, resultNoPeer)
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
// anchor is message_seq: a message id for NapCat, a sequence number for others. For SnowLuma and Lagrange it is message_id.
// SnowLuma has limited pages, and an empty one for an unknown anchor.
func (s *Server) history(in *message, p params) (any, error) {
	anchor, like := "message_seq", s.opts.Quirks.Actions
	if like == LikeLagrange || like == LikeSnowLuma {
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
	if like == LikeSnowLuma {
		if count = min(count, snowLumaPage); count <= 0 {
			count = 20
		}
	}
	said, ok := s.historyBefore(in.Chat, seq, int(count))
	if !ok && like != LikeSnowLuma {
		return nil, refused(1200, "消息%d不存在", seq).as("MESSAGES_API_ERROR")
	}
	wired := make([]object, 0, len(said))
	for _, m := range said {
		ev := s.wire(m)
		if like == LikeSnowLuma {
			ev = storedSnowLuma(ev)
		}
		wired = append(wired, ev)
	}
	return object{"messages": wired}, nil
}
