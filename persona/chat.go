package persona

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of chat that every platform has. A platform may have more; they are kept as they come.
const (
	Group   = "group"
	Private = "private"
)

// A Chat is a conversation on some platform: {"qq", "group", "123456"} or {"qq", "private", "987654"}.
// It is comparable, so it serves as a key. The zero Chat is no conversation: what has no chat (a dream, the owner's
// own window) carries it.
type Chat struct {
	Platform string // "qq"
	Kind     string // [Group], [Private]
	ID       string // the group, or the person at the other end
}

// String gives the chat's address, "qq:group:123456"; the zero Chat gives "".
func (c Chat) String() string {
	if c == (Chat{}) {
		return ""
	}
	return c.Platform + ":" + c.Kind + ":" + c.ID
}

// SourceID gives the chat as tools and models write it: "group_123456", or "user_987654" for a private chat.
// It holds no platform, so it tells chats apart within one platform only.
func (c Chat) SourceID() string {
	switch {
	case c == (Chat{}):
		return ""
	case c.Kind == Private:
		return "user_" + c.ID
	}
	return c.Kind + "_" + c.ID
}

// SessionID gives the name of the persona's session in this chat: "session_social:group_123456".
// What is said to the owner's own window is in [OwnerSession].
func (c Chat) SessionID() string { return "session_social:" + c.SourceID() }

// ParseSource reads what [Chat.SourceID] gives.
func ParseSource(platform, source string) (Chat, error) {
	kind, id, ok := strings.Cut(source, "_")
	if !ok || kind == "" || id == "" {
		return Chat{}, fmt.Errorf("persona: %q is no source id like group_123 or user_987", source)
	}
	if kind == "user" {
		kind = Private
	}
	return Chat{Platform: platform, Kind: kind, ID: id}, nil
}

var errChatText = errors.New("persona: a chat is written platform:kind:id")

// MarshalText gives [Chat.String]. It fails for a chat that could not be read back: one with an empty part, or with a
// colon in its platform or kind.
func (c Chat) MarshalText() ([]byte, error) {
	if c == (Chat{}) {
		return nil, nil
	}
	if c.Platform == "" || c.Kind == "" || c.ID == "" || strings.Contains(c.Platform, ":") || strings.Contains(c.Kind, ":") {
		return nil, errChatText
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads what [Chat.MarshalText] gives; the empty text is the zero Chat.
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
