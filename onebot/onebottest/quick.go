package onebottest

import (
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// quickOperation is .handle_quick_operation. Errors of an operation are not reported.
func (s *Server) quickOperation(p params) (any, error) {
	if !p.has("context") || !p.has("operation") {
		return nil, required("context")
	}
	s.quick(p["context"], p["operation"])
	return nil, nil
}

// quick performs a quick operation: it replies and answers requests, and for LLBot, SnowLuma and go-cqhttp also recalls,
// kicks and mutes. Lagrange does nothing.
func (s *Server) quick(event, operation json.RawMessage) {
	ev, op := params{}, params{}
	like := s.opts.Quirks.Actions
	if like == LikeLagrange || json.Unmarshal(event, &ev) != nil || json.Unmarshal(operation, &op) != nil {
		return
	}
	switch ev.text("post_type") {
	case "message":
		s.quickReply(ev, op)
		if ev.text("message_type") == "group" && like != LikeNapCat {
			s.quickPunish(ev, op)
		}
	case "request":
		if !op.has("approve") {
			return
		}
		friend, word := ev.text("request_type") == "friend", op.text("reason")
		if friend {
			word = ""
		}
		if friend && (like == LikeLLBot || like == LikeSnowLuma) {
			word = op.text("remark")
		}
		_ = s.settle(ev.text("flag"), friend, op.bool("approve", false), word)
	}
}

// quickReply replies. NapCat quotes the message in groups, LLBot everywhere, SnowLuma and go-cqhttp nowhere. The author
// is mentioned only with at_sender, except that SnowLuma mentions without it and then takes a string as plain text.
func (s *Server) quickReply(ev, op params) {
	if !op.has("reply") {
		return
	}
	group, like := ev.text("message_type") == "group", s.opts.Quirks.Actions
	mention := group && op.bool("at_sender", like == LikeSnowLuma)
	if like == LikeSnowLuma && mention {
		op["auto_escape"] = json.RawMessage("true")
	}
	said, err := params{"message": op["reply"], "auto_escape": op["auto_escape"]}.message()
	id, _ := ev.int("message_id", 0)
	user, _ := ev.int("user_id", 0)
	groupID, _ := ev.int("group_id", 0)
	if err != nil || len(said) == 0 {
		return
	}
	var msg onebot.Message
	if like == LikeLLBot || like == LikeNapCat && group {
		msg = append(msg, onebot.Reply(id))
	}
	if mention {
		msg = append(msg, onebot.At(user))
	}
	msg = append(msg, said...)
	to := &message{ChatMessage: ChatMessage{Chat: GroupChat(groupID)}}
	if !group {
		to = s.private(user, ev)
	}
	_, _ = s.sendMessage(to, msg)
}

// quickPunish recalls a message, and kicks or mutes its author, if the bot may.
func (s *Server) quickPunish(ev, op params) {
	if said, err := s.messageOf(ev); err == nil && op.bool("delete", false) {
		_, _ = s.deleteMsg(said, ev)
	}
	m, err := s.managed(ev)
	if err != nil {
		return
	}
	if op.bool("ban", false) {
		seconds, err := op.int("ban_duration", 1800)
		if err != nil || seconds <= 0 {
			seconds = 1800
		}
		m.g.ban(m.ID, time.Duration(min(seconds, longestBan))*time.Second, s.opts.SelfID)
	}
	if op.bool("kick", false) {
		s.setGroupKick(m, ev)
	}
}
