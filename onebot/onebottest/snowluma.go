package onebottest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/hearth-bot/hearth/onebot"
)

const (
	snowLumaHeartbeat = 30 * time.Second
	snowLumaBody      = 2 << 20         // limit of a request to the HTTP API, in bytes
	snowLumaPage      = 200             // limit of a page of a history, in messages
	statusCommand     = "#sl"           // SnowLuma's account answers this message by itself
	statusEvery       = 5 * time.Second // at most, in one chat
)

// pushSnowLumaFirst pushes the first three frames.
func (l *link) pushSnowLumaFirst() {
	l.push(l.s.lifecycle())
	enable := l.s.lifecycle()
	enable["sub_type"] = "enable"
	l.push(enable)
	l.push(l.s.heartbeat())
}

// snowLumaPath reports whether there is a WebSocket server for a path. Each has exactly one.
func snowLumaPath(path string) bool { return path == "/" || path == "/api" || path == "/event" }

// snowLumaAdmits accepts a good token in the header or in the query, even if the other one is wrong.
func (s *Server) snowLumaAdmits(r *http.Request) (status int, ok bool) {
	ok = r.Header.Get("Authorization") == "Bearer "+s.opts.Token || r.URL.Query().Get("access_token") == s.opts.Token
	return http.StatusUnauthorized, ok
}

// rejectSnowLuma disconnects an accepted bot with a wrong token.
func rejectSnowLuma(conn *websocket.Conn) {
	conn.Close(websocket.StatusPolicyViolation, "invalid access token")
}

// sendableSegments returns the segments that SnowLuma sends. It drops the others silently, and mentions in private chats.
func sendableSegments(c Chat, m onebot.Message) onebot.Message {
	var out onebot.Message
	for _, seg := range m {
		switch seg.Type {
		case "at":
			if c.Kind == "group" {
				out = append(out, seg)
			}
		case "text", "face", "reply", "image", "record", "video", "json", "xml", "file", "mface", "poke", "forward", "markdown",
			"node", "share", "music", "location", "contact", "dice", "rps":
			out = append(out, seg)
		}
	}
	return out
}

// answerStatus answers SnowLuma's status command in the name of the account. The bot gets no event of the answer unless
// Quirks.PushOwnMessages is set.
func (s *Server) answerStatus(m *message) {
	if s.opts.Quirks.Events != LikeSnowLuma || len(m.Message) != 1 || m.Message[0].Type != "text" ||
		!strings.EqualFold(strings.TrimSpace(m.Message[0].Param("text")), statusCommand) || s.sendable(m) != nil {
		return
	}
	for _, o := range slices.Backward(s.chats[m.Chat]) {
		if o.status && time.Since(o.At) < statusEvery {
			return
		}
	}
	s.say(&message{temp: m.temp, status: true, ChatMessage: ChatMessage{
		Chat: m.Chat, UserID: s.opts.SelfID, Message: onebot.Message{onebot.Text("SnowLuma 状态: 运行中")}, At: time.Now(),
	}})
}

// wireSnowLuma adds SnowLuma's fields.
func (s *Server) wireSnowLuma(ev object, m *message, own bool) {
	ev["message_seq"], ev["font"] = m.seq, 0
	if own {
		ev["post_type"] = "message_sent"
	}
	if m.Chat.Kind == "group" {
		ev["anonymous"] = nil
	}
}

// storedSnowLuma is a message in the form of get_msg and of histories.
func storedSnowLuma(ev object) object {
	delete(ev, "post_type")
	delete(ev, "self_id")
	ev["real_id"] = ev["message_id"]
	return ev
}
