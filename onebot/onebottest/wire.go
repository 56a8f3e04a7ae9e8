package onebottest

import (
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/onebot"
)

// dummyGroup is NapCat's group for temporary sessions of an unknown group.
const dummyGroup = 284840486

// wire returns a message in the form of events and histories.
func (s *Server) wire(m *message) object {
	ev := object{
		"time": m.time(), "self_id": s.opts.SelfID, "post_type": "message",
		"message_id": m.wireID(), "user_id": m.UserID, "sender": m.sender,
	}
	switch {
	case m.Chat.Kind == "group":
		ev["message_type"], ev["sub_type"], ev["group_id"] = "group", "normal", m.Chat.ID
	case m.temp != 0:
		ev["message_type"], ev["sub_type"] = "private", "group"
	default:
		ev["message_type"], ev["sub_type"] = "private", "friend"
	}
	s.wireMessage(ev, m)
	own := m.UserID == s.opts.SelfID
	switch s.opts.Quirks.Events {
	case LikeNapCat:
		s.wireNapCat(ev, m, own)
	case LikeLLBot:
		s.wireLLBot(ev, m, own)
	case LikeSnowLuma:
		s.wireSnowLuma(ev, m, own)
	case LikeLagrange:
		s.wireLagrange(ev, m)
	case LikeGoCQHTTP:
		s.wireGoCQHTTP(ev, m, own)
	}
	return ev
}

// wireMessage adds the message as an array or as a CQ string.
func (s *Server) wireMessage(ev object, m *message) {
	msg := s.named(m)
	cq := msg.CQ()
	ev["raw_message"], ev["message"] = cq, msg
	if len(msg) == 0 {
		ev["message"] = []any{}
	}
	if s.opts.Quirks.CQStrings {
		ev["message"] = cq
	}
}

func (s *Server) wireNapCat(ev object, m *message, own bool) {
	ev["message_seq"], ev["real_id"], ev["real_seq"] = m.MessageID, m.MessageID, strconv.Itoa(m.seq)
	ev["font"], ev["raw_message"] = 14, strings.TrimSpace(ev["raw_message"].(string))
	s.format(ev)
	if own {
		ev["post_type"], ev["message_sent_type"] = "message_sent", "self"
	}
	switch {
	case m.Chat.Kind == "group":
		ev["group_name"] = s.group(m.Chat.ID).name
		if own {
			ev["target_id"] = m.Chat.ID
		}
		return
	case m.temp != 0: // a private message with a group id
		ev["group_id"], ev["temp_source"] = m.temp, 0
		if s.opts.Quirks.DummyGroup {
			ev["group_id"] = dummyGroup
		}
	}
	ev["target_id"] = m.Chat.ID
}

func (s *Server) wireLLBot(ev object, m *message, own bool) {
	ev["message_seq"], ev["font"] = m.seq, 14
	s.format(ev)
	if own {
		ev["post_type"], ev["target_id"] = "message_sent", m.Chat.ID
	}
	switch {
	case m.Chat.Kind == "group":
		ev["group_name"] = s.group(m.Chat.ID).name
	case m.temp != 0:
		ev["temp_source"] = 0
	}
}

// wireLagrange adds Lagrange's fields. Messages of the account itself are ordinary messages.
func (s *Server) wireLagrange(ev object, m *message) {
	ev["font"], ev["message_style"] = 0, nil
	switch {
	case m.Chat.Kind == "group":
		ev["anonymous"] = nil
	case m.temp != 0:
		ev["target_id"] = 0
	default:
		ev["target_id"] = s.recipient(m)
	}
}

func (s *Server) wireGoCQHTTP(ev object, m *message, own bool) {
	ev["font"] = 0
	if own {
		ev["post_type"] = "message_sent"
	}
	switch {
	case m.Chat.Kind == "group":
		ev["anonymous"], ev["message_seq"] = nil, m.seq
	case m.temp != 0:
		ev["temp_source"] = 0
	default:
		ev["target_id"] = s.recipient(m)
	}
}

// recipient returns the recipient of a private message.
func (s *Server) recipient(m *message) int64 {
	if m.UserID == s.opts.SelfID {
		return m.Chat.ID
	}
	return s.opts.SelfID
}

func (s *Server) format(ev object) {
	ev["message_format"] = "array"
	if s.opts.Quirks.CQStrings {
		ev["message_format"] = "string"
	}
}

// stored returns a message in the form of get_msg.
func (s *Server) stored(m *message) object {
	ev := s.wire(m)
	switch s.opts.Quirks.Events {
	case LikeLLBot:
		ev["real_id"] = m.seq
	case LikeSnowLuma:
		return storedSnowLuma(ev)
	case LikeLagrange:
		return pick(ev, object{"real_id": m.MessageID}, "time", "message_type", "message_id", "sender", "message")
	case LikeGoCQHTTP:
		more := object{"real_id": m.seq, "message_seq": m.seq, "group": m.Chat.Kind == "group"}
		more["sender"] = object{"user_id": m.UserID, "nickname": s.user(m.UserID, "").nickname}
		return pick(ev, more, "time", "message_type", "message_id", "message", "group_id")
	}
	return ev
}

// pick copies fields of o to more.
func pick(o, more object, fields ...string) object {
	for _, f := range fields {
		if v, ok := o[f]; ok {
			more[f] = v
		}
	}
	return more
}

// time returns the time of a message in seconds, or in milliseconds by Quirks.MillisEvery.
func (m *message) time() int64 {
	if m.millis {
		return m.At.UnixMilli()
	}
	return m.At.Unix()
}

// sender returns the author of a message with the implementation's fields.
func (s *Server) sender(m *message) object {
	o := object{"user_id": m.UserID, "nickname": s.user(m.UserID, "").nickname}
	var mem *Member
	if m.Chat.Kind == "group" {
		mem = s.group(m.Chat.ID).join(m.UserID, "")
		mem.lastSent = m.At
		o["card"], o["role"] = mem.card, mem.role
	}
	switch like := s.opts.Quirks.Events; like {
	case LikeNapCat:
		if mem == nil {
			o["card"] = ""
		}
	case LikeLLBot:
		if mem != nil {
			o["level"], o["title"] = "1", mem.title
		}
		if m.temp != 0 {
			o["group_id"] = m.temp
		}
	case LikeSnowLuma:
		o["sex"], o["age"] = "unknown", 0
	case LikeLagrange, LikeGoCQHTTP:
		o["sex"] = "unknown"
		if mem != nil {
			o["age"], o["area"], o["level"], o["title"] = 0, "", "1", mem.title
		}
		if like == LikeGoCQHTTP {
			o["age"] = 0
			if mem != nil {
				o["level"] = ""
			}
			if m.temp != 0 {
				o["group_id"] = m.temp
			}
		}
	}
	return o
}

// named returns a message with LLBot's and Lagrange's names in mentions.
func (s *Server) named(m *message) onebot.Message {
	like := s.opts.Quirks.Events
	if like != LikeLLBot && like != LikeLagrange {
		return m.Message
	}
	out := m.Message
	for i, seg := range m.Message {
		id := seg.Int("qq")
		if seg.Type != "at" || seg.Param("name") != "" || id == 0 || s.users[id] == nil {
			continue
		}
		name := s.users[id].nickname
		if g := s.group(m.Chat.ID); m.Chat.Kind == "group" && g.member(id) != nil && g.member(id).card != "" {
			name = g.member(id).card
		}
		if like == LikeLagrange {
			name = "@" + name
		}
		if &out[0] == &m.Message[0] {
			out = append(onebot.Message{}, m.Message...)
		}
		out[i] = onebot.Segment{Type: "at", Data: encode(object{"qq": strconv.FormatInt(id, 10), "name": name})}
	}
	return out
}
