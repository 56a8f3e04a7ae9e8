package onebot

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// Node is an existing message as a node of a merged forward.
func Node(messageID int64) Segment { return build("node", "id", itoa(messageID)) }

// CustomNode is a custom node of a merged forward, shown as a message from the given user. m may consist of nodes, which
// makes a nested forward.
//
//	onebot.Message{
//		onebot.CustomNode(10001, "甲", onebot.Message{onebot.Text("在吗")}),
//		onebot.CustomNode(10002, "乙", onebot.Message{onebot.Text("在")}),
//	}
func CustomNode(userID int64, name string, m Message) Segment {
	id := itoa(userID)
	s := build("node", "user_id", id, "nickname", name, "uin", id, "name", name) // go-cqhttp's names are uin and name
	return s.With("content", m)
}

// A ForwardNode is one message of a merged forward.
type ForwardNode struct {
	MessageID int64 // not 0 for a node that refers to a message: see [Node]
	UserID    int64
	Nickname  string
	Time      time.Time // zero if unknown
	Message   Message   // nested forwards have their nodes: see [Segment.Nodes]
}

// Nodes returns the messages of a merged forward if the segment contains them. A forward segment contains them if the
// implementation expanded it (NapCat: parse_mult_msg), a node segment if its content consists of nodes. Otherwise
// Nodes returns nil, and [Bot.GetForwardMsg] fetches a forward by its id.
func (s Segment) Nodes() []ForwardNode {
	if s.Type != "forward" && s.Type != "node" {
		return nil
	}
	nodes := forwardNodes(member(s.Data, "content"))
	for _, n := range nodes {
		if n.UserID != 0 || n.Nickname != "" || n.MessageID != 0 {
			return nodes
		}
	}
	return nil
}

// forwardNodes decodes nodes in any form: node segments, or messages as in events, inside content or message. It
// returns nil if raw is not a list.
func forwardNodes(raw json.RawMessage) []ForwardNode {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	nodes := make([]ForwardNode, 0, len(list))
	for _, raw := range list {
		var n wireNode
		if lenient.Unmarshal(raw, &n) != nil {
			continue // not a node, for example a string
		}
		if n.Type == "node" && n.Data != nil {
			raw, n = n.Data, wireNode{}
			if lenient.Unmarshal(raw, &n) != nil {
				continue
			}
		}
		nodes = append(nodes, n.node())
	}
	return nodes
}

// wireNode is a node, or a message as in an event.
type wireNode struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`

	ID        int64           `json:"id"`
	UserID    int64           `json:"user_id" alt:"uin"`
	Nickname  string          `json:"nickname" alt:"name"`
	Time      time.Time       `json:"time"`
	MessageID int64           `json:"message_id"`
	Sender    wireSender      `json:"sender"`
	Content   json.RawMessage `json:"content"`
	Message   json.RawMessage `json:"message"`
}

type wireSender struct {
	UserID   int64  `json:"user_id"`
	Nickname string `json:"nickname"`
	Card     string `json:"card"`
}

func (w wireNode) node() ForwardNode {
	n := ForwardNode{
		MessageID: cmp.Or(w.MessageID, w.ID), UserID: cmp.Or(w.UserID, w.Sender.UserID),
		Nickname: cmp.Or(w.Nickname, w.Sender.Card, w.Sender.Nickname), Time: w.Time,
	}
	for _, raw := range []json.RawMessage{w.Content, w.Message} { // NapCat sends both in nodes, the first one empty
		if len(n.Message) == 0 && raw != nil {
			_ = n.Message.UnmarshalJSON(raw)
		}
	}
	return n
}
