package qqbot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// TextLimit is the number of characters that are safe in one message. The platform publishes no number.
const TextLimit = 4500

// A Chat is where messages go to: a group, or one user (C2C). IDs are openids, which differ for each bot.
type Chat struct {
	Group bool
	ID    string
}

// GroupChat returns the chat of a group_openid.
func GroupChat(id string) Chat { return Chat{Group: true, ID: id} }

// UserChat returns the chat of a user_openid.
func UserChat(id string) Chat { return Chat{ID: id} }

// String returns the kind of the chat and its id, such as "group/ID".
func (c Chat) String() string { return c.word() + "/" + c.ID }

// path returns the beginning of the paths for a chat.
func (c Chat) path() (string, error) {
	id, err := pathID(c.ID)
	if c.Group {
		return "/v2/groups/" + id, err
	}
	return "/v2/users/" + id, err
}

func (c Chat) word() string {
	if c.Group {
		return "group"
	}
	return "user"
}

// An Out is a message to send. It has exactly one of Text, Markdown and Media, or Media with a Text as its caption.
//
// With a MsgID or EventID it is a reply, which the platform accepts for some minutes and a few times: see the package's
// comment. Without, the bot speaks first, which users and owners of groups must permit.
type Out struct {
	Text     string   // is escaped by EscapeText
	At       []string // member openids to mention before the Text; groups only
	Markdown string   // is sent as it is; use EscapeText for text of others
	Media    string   // Media.Info of an upload for the same kind of chat
	Quote    string   // Index of the message to quote
	MsgID    string   // reply to this message
	EventID  string   // reply to this event
	Seq      int      // number of the reply; 0 means 1. A second reply to one MsgID needs another number
	WakeUp   bool     // C2C only: a message to a user who was silent for days; excludes MsgID and EventID
}

// A Sent is an accepted message.
type Sent struct {
	ID    string    // for Recall
	Index string    // for Out.Quote, and the Index of this message when others quote it; may be ""
	Time  time.Time // zero if the answer has none
}

// Send sends a message. A refusal is an [*APIError]. An error after the request was written matches [ErrUnclear].
func (c *Client) Send(ctx context.Context, to Chat, m Out) (Sent, error) {
	name := "send to " + to.word()
	body, err := m.body(to)
	if err != nil {
		return Sent{}, fmt.Errorf("qqbot: %s: %w", name, err)
	}
	return c.send(ctx, to, name, body)
}

func (c *Client) send(ctx context.Context, to Chat, name string, body map[string]any) (Sent, error) {
	path, err := to.path()
	if err != nil {
		return Sent{}, fmt.Errorf("qqbot: %s: %w", name, err)
	}
	answer, err := c.object(ctx, call{name: name, method: http.MethodPost, path: path + "/messages", body: body, route: sendRoute, visible: true})
	if err != nil {
		return Sent{}, err
	}
	return Sent{ID: answer.text("id"), Index: answer.object("ext_info").text("ref_idx"), Time: answer.time("timestamp")}, nil
}

// body returns the request of a valid message.
func (m Out) body(to Chat) (map[string]any, error) {
	text := EscapeText(m.Text)
	for _, id := range m.At {
		if !to.Group || !isID(id, 128) {
			return nil, errors.New("mentions need a group and openids")
		}
	}
	for i := len(m.At) - 1; i >= 0; i-- {
		text = mention(m.At[i]) + " " + text
	}
	switch {
	case m.MsgID != "" && m.EventID != "":
		return nil, errors.New("want MsgID or EventID, not both")
	case m.WakeUp && (to.Group || m.MsgID != "" || m.EventID != ""):
		return nil, errors.New("a wake-up needs a user, and neither MsgID nor EventID")
	case m.Markdown != "" && (text != "" || m.Media != ""):
		return nil, errors.New("want Markdown or Text, At and Media, not both")
	case m.Seq < 0:
		return nil, errors.New("the Seq is negative")
	}
	body := make(map[string]any)
	switch {
	case m.Media != "":
		body["msg_type"] = 7
		body["media"] = map[string]any{"file_info": m.Media}
		body["content"] = text
		if text == "" {
			body["content"] = " " // older clients of QQ show nothing without a text
		}
	case m.Markdown != "":
		body["msg_type"] = 2
		body["markdown"] = map[string]any{"content": m.Markdown}
	case strings.TrimSpace(text) != "":
		body["msg_type"] = 0
		body["content"] = text
	default:
		return nil, errors.New("the message is empty")
	}
	m.address(body)
	if m.Quote != "" {
		body["message_reference"] = map[string]any{"message_id": m.Quote}
	}
	if m.WakeUp {
		body["is_wakeup"] = true
	}
	return body, nil
}

// address adds what the message replies to. Seq is always sent with it, because the platform refuses a repeated one.
func (m Out) address(body map[string]any) {
	switch {
	case m.MsgID != "":
		body["msg_id"] = m.MsgID
	case m.EventID != "":
		body["event_id"] = m.EventID
	default:
		return
	}
	body["msg_seq"] = max(m.Seq, 1)
}

// Typing shows a user that the bot is typing, for up to a minute. It needs a MsgID, counts as a reply to it, and so takes a
// Seq, like a message.
func (c *Client) Typing(ctx context.Context, user, msgID string, seq int, d time.Duration) error {
	if msgID == "" {
		return errors.New("qqbot: send typing: msgID is empty")
	}
	seconds := min(max(int(d.Round(time.Second)/time.Second), 1), 60)
	body := map[string]any{"msg_type": 6, "input_notify": map[string]any{"input_type": 1, "input_second": seconds}}
	Out{MsgID: msgID, Seq: seq}.address(body)
	_, err := c.send(ctx, UserChat(user), "send typing", body)
	return err
}

// Recall deletes a message of the bot within two minutes. In a group where the bot is an admin it deletes members' messages,
// too. It is safe to repeat.
func (c *Client) Recall(ctx context.Context, from Chat, id string) error {
	path, err := from.path()
	message, err2 := pathID(id)
	if err = errors.Join(err, err2); err != nil {
		return fmt.Errorf("qqbot: recall: %w", err)
	}
	_, err = c.do(ctx, call{name: "recall", method: http.MethodDelete, path: path + "/messages/" + message, route: recallRoute})
	return err
}

// Answer answers an interaction, such as a press of a button, within three seconds. code 0 means success; 1 to 5 are
// refusals.
func (c *Client) Answer(ctx context.Context, interaction string, code int) error {
	id, err := pathID(interaction)
	if err != nil {
		return fmt.Errorf("qqbot: answer: %w", err)
	}
	_, err = c.do(ctx, call{name: "answer", method: http.MethodPut, path: "/interactions/" + id, body: map[string]any{"code": code}})
	return err
}
