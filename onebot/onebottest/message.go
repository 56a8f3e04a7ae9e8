package onebottest

import (
	"cmp"
	"slices"
)

// A message is a message in a chat, with additional fields for the protocol.
type message struct {
	ChatMessage
	seq       int    // number in the chat, from 1: real_seq
	temp      int64  // the group of a temporary session
	sender    object // at the time of sending
	millis    bool   // its time is sent in milliseconds
	reactions []Reaction
	status    bool  // the answer to SnowLuma's status command
	echoID    int64 // the id in events and histories if it is another one; 0: MessageID
}

// wireID returns the id in events and histories.
func (m *message) wireID() int64 { return cmp.Or(m.echoID, m.MessageID) }

// say adds a message to its chat's history and pushes it if the bot is in the chat.
func (s *Server) say(m *message) *message {
	m.Message = slices.Clone(m.Message)
	m.seq = len(s.chats[m.Chat]) + 1
	s.identify(m)
	m.sender = s.sender(m)
	s.messageCount++
	m.millis = s.opts.Quirks.MillisEvery > 0 && s.messageCount%s.opts.Quirks.MillisEvery == 0
	s.chats[m.Chat] = append(s.chats[m.Chat], m)
	if s.pushes(m) {
		s.emitFrame(s.encode(s.wire(m)))
	}
	s.changed()
	s.answerStatus(m)
	return m
}

// pushes reports whether the bots get an event for a message.
func (s *Server) pushes(m *message) bool {
	if m.UserID == s.opts.SelfID && !s.opts.Quirks.PushOwnMessages {
		return false
	}
	if len(m.Message) == 0 && s.opts.Quirks.Events == LikeLLBot {
		return false // LLBot omits unreadable messages
	}
	return m.Chat.Kind != "group" || s.group(m.Chat.ID).joined()
}

// Recall recalls a message on behalf of its author: group_recall or friend_recall. It returns false if there is no
// such message.
func (s *Server) Recall(messageID int64) bool { return s.RecallBy(messageID, 0) }

// RecallBy is Recall on behalf of another user, such as an admin; 0 is the author.
func (s *Server) RecallBy(messageID, operator int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(messageID)
	if m == nil {
		return false
	}
	s.recall(m, operator)
	return true
}

// message finds a message that was not recalled, by id modulo 2³².
func (s *Server) message(id int64) *message {
	if m := s.messages[uint32(id)]; m != nil && !m.Retracted {
		return m
	}
	return nil
}

func (s *Server) recall(m *message, operator int64) {
	m.Retracted = true
	s.changed()
	at := m.At.Unix() // these events have the time of the message
	if m.Chat.Kind == "group" {
		s.group(m.Chat.ID).notice(object{
			"notice_type": "group_recall", "time": at, "user_id": m.UserID, "operator_id": cmp.Or(operator, m.UserID), "message_id": m.wireID(),
		})
		return
	}
	s.emit("notice", object{"notice_type": "friend_recall", "time": at, "user_id": m.Chat.ID, "message_id": m.wireID()})
}

// RepeatMessage pushes a message again without changes, as implementations do after a restart. It returns false if there is
// no such message.
func (s *Server) RepeatMessage(messageID int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(messageID)
	if m != nil {
		s.emitFrame(s.encode(s.wire(m)))
	}
	return m != nil
}

// historyBefore lists up to count messages of a chat, oldest first, ending with the anchor, or with the newest if anchor is
// 0. The anchor is a message id for NapCat, SnowLuma and Lagrange, and a sequence number for the others. It returns false if
// the chat has no such message.
func (s *Server) historyBefore(c Chat, anchor int64, count int) ([]*message, bool) {
	all := s.chats[c]
	if anchor != 0 {
		seq := anchor
		if like := s.opts.Quirks.Actions; like == LikeNapCat || like == LikeSnowLuma || like == LikeLagrange {
			m := s.messages[uint32(anchor)]
			if m == nil || m.Chat != c {
				return nil, false
			}
			seq = int64(m.seq)
		}
		if seq < 1 || seq > int64(len(all)) {
			return nil, false
		}
		all = all[:seq]
	}
	said := []*message{}
	for _, m := range slices.Backward(all) {
		if len(said) == count {
			break
		}
		if !m.Retracted {
			said = append(said, m)
		}
	}
	slices.Reverse(said)
	return said, true
}
