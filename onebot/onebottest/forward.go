package onebottest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Node is one message inside a merged forward; see [Server.Forward].
type Node struct {
	UserID  int64
	Name    string    // "" is the user's nickname
	At      time.Time // zero is now
	Message onebot.Message
}

// Forward gives a message that consists of others, 合并转发 or 聊天记录, to be said in any chat. The
// bot sees its id, of 19 digits, and fetches the rest by get_forward_msg: as "messages", or as
// "message" with nodes from Lagrange. The Message of a node may be one of Forward's.
func (s *Server) Forward(nodes ...Node) onebot.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forward(nodes)
}

func (s *Server) forward(nodes []Node) onebot.Message {
	id := strconv.FormatInt(7_400_000_000_000_000_000+int64(uint32(s.ids.next())), 10)
	nodes = slices.Clone(nodes)
	for i, n := range nodes {
		if n.At.IsZero() {
			nodes[i].At = time.Now()
		}
		if n.Name == "" {
			nodes[i].Name = s.user(n.UserID, "").nickname
		}
	}
	s.forwards[id] = nodes
	return onebot.Message{{Type: "forward", Data: encode(object{"id": id})}}
}

// Forwarded gives the messages in a merged forward, by the id in its forward segment: what the
// bot sent, and what [Server.Forward] made. nil when there is none.
func (s *Server) Forwarded(id string) []Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.forwards[id])
}

// getForward takes the id as id, and but for Lagrange as message_id; NapCat also that of the message.
func (s *Server) getForward(p params) (any, error) {
	id := p.text("id")
	like := s.opts.Quirks.Actions
	if id == "" && like != LikeLagrange {
		id = p.text("message_id")
	}
	if id == "" {
		return nil, required("id")
	}
	nodes, ok := s.forwards[id]
	if n, err := strconv.ParseInt(id, 10, 64); !ok && err == nil && like == LikeNapCat {
		if m := s.message(n); m != nil && len(m.Message) == 1 {
			nodes, ok = s.forwards[m.Message[0].Param("id")]
		}
	}
	if !ok {
		return nil, noMessage()
	}
	list := make([]object, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, s.wireNode(n))
	}
	if like == LikeLagrange {
		return object{"message": list}, nil
	}
	return object{"messages": list}, nil
}

func (s *Server) wireNode(n Node) object {
	var content any = n.Message
	if len(n.Message) == 0 {
		content = []any{}
	}
	if s.opts.Quirks.CQStrings {
		content = n.Message.CQ()
	}
	sender := object{"user_id": n.UserID, "nickname": n.Name}
	switch s.opts.Quirks.Actions {
	case LikeLagrange:
		return object{"type": "node", "data": object{
			"user_id": strconv.FormatInt(n.UserID, 10), "nickname": n.Name, "content": n.Message,
		}}
	case LikeGoCQHTTP:
		return object{"sender": sender, "time": n.At.Unix(), "content": content, "group_id": 0}
	case LikeLLBot:
		return object{"sender": sender, "time": n.At.Unix(), "content": content, "message_format": "array", "message_type": "group"}
	}
	sender["card"] = ""
	return object{
		"self_id": s.opts.SelfID, "user_id": n.UserID, "time": n.At.Unix(), "message_id": s.ids.next(), "message_type": "group",
		"sender": sender, "raw_message": n.Message.CQ(), "font": 14, "sub_type": "normal", "post_type": "message",
		"message": content, "message_format": "array", "group_id": dummyGroup,
	}
}

// toForward goes by which id is there.
func (s *Server) toForward(p params) (*message, error) {
	if p.text("message_type") != "private" && p.has("group_id") {
		return s.toGroup(p)
	}
	return s.toPrivate(p)
}

// sendNodes says a merged forward of the messages in p.
func (s *Server) sendNodes(m *message, p params) (any, error) {
	name := "messages"
	if !p.has(name) {
		name = "message"
	}
	var segments onebot.Message
	if !p.has(name) || json.Unmarshal(p[name], &segments) != nil {
		return nil, required("messages").(*failure).as("EMPTY_NODES")
	}
	var nodes []Node
	for _, seg := range segments {
		if n, ok := s.node(seg); ok {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		return nil, refused(1200, "未找到可发送的节点").as("EMPTY_NODES")
	}
	msg := s.forward(nodes)
	data, err := s.sendMessage(m, msg)
	if err != nil {
		return nil, err
	}
	id := msg[0].Param("id")
	out := object{"message_id": data.(object)["message_id"], "forward_id": id}
	if s.opts.Quirks.Actions == LikeNapCat {
		out["res_id"] = id
	}
	return out, nil
}

// node reads a node segment: by the id of a message, or with its own content.
func (s *Server) node(seg onebot.Segment) (Node, bool) {
	if seg.Type != "node" {
		return Node{}, false
	}
	if id := seg.Int("id"); id != 0 {
		m := s.message(id)
		if m == nil {
			return Node{}, false
		}
		return Node{UserID: m.UserID, Name: s.user(m.UserID, "").nickname, At: m.At, Message: m.Message}, true
	}
	var d struct {
		Content onebot.Message
	}
	if json.Unmarshal(seg.Data, &d) != nil || len(d.Content) == 0 {
		return Node{}, false
	}
	n := Node{UserID: seg.Int("user_id"), Name: seg.Param("nickname"), At: time.Now(), Message: d.Content}
	if n.UserID == 0 {
		n.UserID, n.Name = seg.Int("uin"), seg.Param("name")
	}
	return n, true
}
