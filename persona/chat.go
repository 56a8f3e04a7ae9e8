package persona

import (
	"errors"
	"fmt"
	"strings"
)

// The common kinds of chat. A platform may have more kinds, and they are kept unchanged.
const (
	Group   = "group"
	Private = "private"
)

// A Chat identifies a conversation on a platform: {"qq", "group", "123456"} or {"qq", "private", "987654"}. It is
// comparable and can be a map key. The zero Chat means no chat. Data without a chat carries it, for example a dream or
// a message in the owner's app.
type Chat struct {
	Platform string // "qq"
	Kind     string // [Group], [Private]
	ID       string // the group's id, or the other person's id in a private chat
}

// String returns the chat's address, "qq:group:123456". It returns "" for the zero Chat.
func (c Chat) String() string {
	if c == (Chat{}) {
		return ""
	}
	return c.Platform + ":" + c.Kind + ":" + c.ID
}

// SourceID returns the chat in the form that tools and models use: "group_123456", or "user_987654" for a private chat.
// It does not contain the platform. Therefore it is unique only within one platform.
func (c Chat) SourceID() string {
	switch {
	case c == (Chat{}):
		return ""
	case c.Kind == Private:
		return "user_" + c.ID
	}
	return c.Kind + "_" + c.ID
}

const socialSession = "session_social:"

// SessionID returns the name of the bot's session in this chat, as tools see it: "session_social:group_123456". The
// session in the owner's app is [OwnerSession].
func (c Chat) SessionID() string { return socialSession + c.SourceID() }

// SessionSource returns the part of a session's name that is a [Chat.SourceID]. It returns other names unchanged.
func SessionSource(session string) string { return strings.TrimPrefix(session, socialSession) }

// ParseSource parses the output of [Chat.SourceID] or [Chat.SessionID].
func ParseSource(platform, source string) (Chat, error) {
	kind, id, ok := strings.Cut(SessionSource(source), "_")
	if !ok || kind == "" || id == "" {
		return Chat{}, fmt.Errorf("persona: invalid source id %q: want a form like group_123 or user_987", source)
	}
	if kind == "user" {
		kind = Private
	}
	return Chat{Platform: platform, Kind: kind, ID: id}, nil
}

var errChatText = errors.New("persona: invalid chat: want platform:kind:id")

// MarshalText encodes the chat like [Chat.String]. It returns an error if UnmarshalText could not read the text back.
// This is the case for an empty part, or a colon in Platform or Kind.
func (c Chat) MarshalText() ([]byte, error) {
	if c == (Chat{}) {
		return nil, nil
	}
	if c.Platform == "" || c.Kind == "" || c.ID == "" || strings.Contains(c.Platform, ":") || strings.Contains(c.Kind, ":") {
		return nil, errChatText
	}
	return []byte(c.String()), nil
}

// UnmarshalText parses the output of [Chat.MarshalText]. The empty text is the zero Chat.
func (c *Chat) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = Chat{}
		return nil
	}
	platform, rest, _ := strings.Cut(string(text), ":")
	kind, id, _ := strings.Cut(rest, ":")
	if platform == "" || kind == "" || id == "" {
		return errChatText
	}
	*c = Chat{Platform: platform, Kind: kind, ID: id}
	return nil
}
