package onebot

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// Node is a message that exists, as part of a forward.
func Node(messageID int64) Segment { return build("node", "id", itoa(messageID)) }

// CustomNode is a message of your making, as part of a forward, shown as said by somebody. m may be made of nodes in
// turn, which makes a forward within the forward.
//
//	onebot.Message{
//		onebot.NodeOf(10001, "甲", onebot.Message{onebot.Text("在吗")}),
//		onebot.NodeOf(10002, "乙", onebot.Message{onebot.Text("在")}),
//	}
func CustomNode(userID int64, name string, m Message) Segment {
	id := itoa(userID)
	s := build("node", "user_id", id, "nickname", name, "uin", id, "name", name) // the last two are go-cqhttp's names
	return s.With("content", m)
}

// A ForwardNode is one message of a forward.
type ForwardNode struct {
	MessageID int64 // not 0 for a node that only names a message: see [Node]
	UserID    int64
	Nickname  string
	Time      time.Time // zero when not told
	Message   Message   // what was said; forwards within have their nodes: see [Segment.Nodes]
}

// Nodes gives the messages of a forward where the segment has them: those of a segment forward when the
// implementation opened it (NapCat: parse_mult_msg), the content of a segment node when it is made of nodes. Else it
// is nil, and [Bot.GetForwardMsg] opens a forward by its id.
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

// forwardNodes reads nodes in any form: segments node, or messages as in events, within content or message. It is nil
// for what is no list.
func forwardNodes(raw json.RawMessage) []ForwardNode {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	nodes := make([]ForwardNode, 0, len(list))
	for _, raw := range list {
		var n wireNode
		if lenient.Unmarshal(raw, &n) != nil {
			continue // a string or the like: no node
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
	for _, raw := range []json.RawMessage{w.Content, w.Message} { // NapCat has both in nodes, the first of them empty
		if len(n.Message) == 0 && raw != nil {
			_ = n.Message.UnmarshalJSON(raw)
		}
	}
	return n
}
