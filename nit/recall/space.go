package recall

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
)

// sessionMaster is the session of the conversation with the owner, as named by persona.
const sessionMaster = "session_master"

// SpaceOf returns the space that persona/social uses for a chat. On platform "qq" the session "group_123" is
// "qq:group:123", and "user_987" is "qq:private:987". It returns false outside a chat.
func SpaceOf(p nit.Principal) (memory.Space, bool) {
	kind, id, ok := strings.Cut(strings.TrimPrefix(p.Session, "session_social:"), "_")
	if !ok || kind == "" || id == "" || p.Platform == "" || p.Session == sessionMaster || strings.Contains(p.Platform+kind, ":") {
		return "", false
	}
	if kind == "user" {
		kind = "private"
	}
	s := memory.Space(p.Platform + ":" + kind + ":" + id)
	return s, s.Validate() == nil && !s.IsSecret()
}

// readerFor returns a reader for the memories of a turn. In agent mode it reads the owner's and the bot's spaces with
// secrets, elsewhere the chat of the turn. spaces is empty if there is nothing to read.
func (k *toolkit) readerFor(p nit.Principal) (r *memory.Reader, spaces []memory.Space) {
	if p.Mode == nit.ModeAgent {
		spaces = []memory.Space{memory.Owner, memory.Owner.Secret(), memory.Self, memory.Self.Secret()}
		return k.m.OwnerReader(spaces...), spaces
	}
	if s, ok := k.o.Space(p); ok {
		spaces = []memory.Space{s}
	} else if p.Mode != nit.ModePersona && (p.Session == "" || p.Session == sessionMaster) {
		spaces = []memory.Space{memory.Owner, memory.Self}
	}
	return k.redacted(k.m.Reader(spaces...)), spaces
}

// A chatSpace is the space of a chat.
type chatSpace struct {
	space memory.Space // the public space
	kind  string       // "group", "private", or another kind of the host
	id    string
}

// parseChatSpace parses the space of a chat. ok is false for other spaces.
func parseChatSpace(s memory.Space) (c chatSpace, ok bool) {
	_, rest, ok := strings.Cut(string(s.Base()), ":")
	if !ok {
		return chatSpace{}, false
	}
	kind, id, ok := strings.Cut(rest, ":")
	return chatSpace{s.Base(), kind, id}, ok && kind != "" && id != ""
}

// spaceLabel returns the name of a space for models: "qq:group_123", "owner".
func spaceLabel(s memory.Space) string {
	c, ok := parseChatSpace(s)
	if !ok {
		return string(s.Base())
	}
	platform, _, _ := strings.Cut(string(s), ":")
	kind := c.kind
	if kind == "private" {
		kind = "user"
	}
	return platform + ":" + kind + "_" + c.id
}

// chats lists the chats that have memories.
func (k *toolkit) chats(ctx context.Context) ([]chatSpace, error) {
	spaces, err := k.m.Spaces(ctx)
	if err != nil {
		return nil, err
	}
	var all []chatSpace
	for _, s := range spaces {
		c, ok := parseChatSpace(s)
		if ok && !slices.ContainsFunc(all, func(o chatSpace) bool { return o.space == c.space }) {
			all = append(all, c)
		}
	}
	return all, nil
}
