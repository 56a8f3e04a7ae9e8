package onebottest

import (
	"cmp"
	"slices"
)

// A message is one that was said, with what the wire wants to know beyond it.
type message struct {
	ChatMessage
	seq    int    // its place in the chat, from 1: real_seq
	temp   int64  // the group of a temporary session
	sender object // as it was when it was said
	millis bool   // its time is told in milliseconds
}

// say puts a message into its chat's history and, where the bot is there to hear it, pushes it.
func (s *Server) say(m *message) *message {
	m.MessageID = s.ids.next()
	m.Message = slices.Clone(m.Message)
	m.seq = len(s.chats[m.Chat]) + 1
	m.sender = s.sender(m)
	s.said++
	m.millis = s.opts.Quirks.MillisEvery > 0 && s.said%s.opts.Quirks.MillisEvery == 0
	s.chats[m.Chat] = append(s.chats[m.Chat], m)
	s.messages[uint32(m.MessageID)] = m
	if s.hears(m) {
		s.emitFrame(s.encode(s.wire(m)))
	}
	s.changed()
	return m
}

// hears says whether the bots are told of a message.
func (s *Server) hears(m *message) bool {
	if m.UserID == s.opts.SelfID && !s.opts.Quirks.PushOwnMessages {
		return false
	}
	if len(m.Message) == 0 && s.opts.Quirks.Events == LikeLLBot {
		return false // it leaves out what it cannot read
	}
	return m.Chat.Kind != "group" || s.group(m.Chat.ID).joined()
}

// Recall lets whoever said a message take it back: group_recall or friend_recall. It says
// whether there was such a message.
func (s *Server) Recall(messageID int64) bool { return s.RecallBy(messageID, 0) }

// RecallBy is Recall by another one than the author, an admin say; 0 is the author.
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

// message finds one that was not recalled, modulo 2³².
func (s *Server) message(id int64) *message {
	if m := s.messages[uint32(id)]; m != nil && !m.Retracted {
		return m
	}
	return nil
}

func (s *Server) recall(m *message, operator int64) {
	m.Retracted = true
	s.changed()
	at := m.At.Unix() // these events tell when the message was said
	if m.Chat.Kind == "group" {
		s.group(m.Chat.ID).notice(object{
			"notice_type": "group_recall", "time": at, "user_id": m.UserID, "operator_id": cmp.Or(operator, m.UserID), "message_id": m.MessageID,
		})
		return
	}
	s.emit("notice", object{"notice_type": "friend_recall", "time": at, "user_id": m.Chat.ID, "message_id": m.MessageID})
}

// RepeatMessage pushes a message once more, just as it was, as implementations do after they came back.
// It says whether there was such a message.
func (s *Server) RepeatMessage(messageID int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(messageID)
	if m != nil {
		s.emitFrame(s.encode(s.wire(m)))
	}
	return m != nil
}

// before lists up to count messages of a chat, oldest first, that end with the anchor, or with
// the newest when anchor is 0. The anchor is a message id for NapCat and Lagrange, and its number
// in the chat for the others. It is false when there is no such message in the chat.
func (s *Server) before(c Chat, anchor int64, count int) ([]*message, bool) {
	all := s.chats[c]
	if anchor != 0 {
		seq := anchor
		if like := s.opts.Quirks.Actions; like == LikeNapCat || like == LikeLagrange {
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
