package onebottest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/hearth-bot/hearth/onebot"
)

// A Node is one message of a merged forward; see [Server.Forward].
type Node struct {
	UserID  int64
	Name    string    // "" means the user's nickname
	At      time.Time // zero means now
	Message onebot.Message
}

// Forward returns a message that is a merged forward (合并转发, 聊天记录), to send in any chat. The bot receives its id of 19
// digits and fetches the messages by get_forward_msg: as "messages", or as "message" with nodes from Lagrange. The
// Message of a node may be another forward.
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

// Forwarded returns the messages of a merged forward by its id, from the bot or from [Server.Forward]; nil if there
// is none.
func (s *Server) Forwarded(id string) []Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.forwards[id])
}

// getForward reads the id from id and, except for Lagrange, from message_id. NapCat also accepts the id of the
// message.
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

// toForward returns the target: the group if there is a group_id, otherwise the user.
func (s *Server) toForward(p params) (*message, error) {
	if p.text("message_type") != "private" && p.has("group_id") {
		return s.toGroup(p)
	}
	return s.toPrivate(p)
}

// sendNodes sends a merged forward with the messages in p.
func (s *Server) sendNodes(m *message, p params) (any, error) {
	name := "messages"
	if !p.has(name) {
		name = "message"
	}
	var segments onebot.Message
	if !p.has(name) || json.Unmarshal(p[name], &segments) != nil {
		return nil, required("messages").(*failure).as("EMPTY_NODES")
	}
	nodes := s.nodes(segments)
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

// nodes decodes the node segments of a message and ignores others.
func (s *Server) nodes(m onebot.Message) (nodes []Node) {
	for _, seg := range m {
		if n, ok := s.node(seg); ok {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// node decodes a node segment: by the id of a message, or with its own content, which may be nodes of a nested forward.
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
	if nested := s.nodes(d.Content); len(nested) > 0 {
		d.Content = s.forward(nested)
	}
	n := Node{UserID: seg.Int("user_id"), Name: seg.Param("nickname"), At: time.Now(), Message: d.Content}
	if n.UserID == 0 {
		n.UserID, n.Name = seg.Int("uin"), seg.Param("name")
	}
	return n, true
}
