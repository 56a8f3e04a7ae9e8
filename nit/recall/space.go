package recall

import (
	"context"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
)

// sessionMaster is the session of the owner's own talk, as persona names it.
const sessionMaster = "session_master"

// SpaceOf is the space of a chat as persona/social keeps it: the session "group_123" of platform "qq" is "qq:group:123", "user_987"
// is "qq:private:987". It is not ok outside a chat.
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

// own is what a turn may read of its own: in the agent's mode the owner's and the being's, secrets too; elsewhere the
// chat of the turn. spaces is empty where there is nothing.
func (k *kit) own(p nit.Principal) (r *memory.Reader, spaces []memory.Space) {
	if p.Mode == nit.ModeAgent {
		spaces = []memory.Space{memory.Owner, memory.Owner.Secret(), memory.Self, memory.Self.Secret()}
		return k.m.OwnerReader(spaces...), spaces
	}
	if s, ok := k.o.Space(p); ok {
		spaces = []memory.Space{s}
	} else if p.Mode != nit.ModePersona && (p.Session == "" || p.Session == sessionMaster) {
		spaces = []memory.Space{memory.Owner, memory.Self}
	}
	return k.masked(k.m.Reader(spaces...)), spaces
}

// A chat is a space of one, as tools name it.
type chat struct {
	space memory.Space // plain
	kind  string       // "group", "private", or another of the host
	id    string
}

// chatOf takes a space apart. Not ok: it is no chat's.
func chatOf(s memory.Space) (c chat, ok bool) {
	_, rest, ok := strings.Cut(string(s.Base()), ":")
	if !ok {
		return chat{}, false
	}
	kind, id, ok := strings.Cut(rest, ":")
	return chat{s.Base(), kind, id}, ok && kind != "" && id != ""
}

// label names a space as models do: "qq:group_123", "owner".
func label(s memory.Space) string {
	c, ok := chatOf(s)
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

// chats lists those that hold anything.
func (k *kit) chats(ctx context.Context) ([]chat, error) {
	spaces, err := k.m.Spaces(ctx)
	if err != nil {
		return nil, err
	}
	var all []chat
	for _, s := range spaces {
		c, ok := chatOf(s)
		if ok && !slices.ContainsFunc(all, func(o chat) bool { return o.space == c.space }) {
			all = append(all, c)
		}
	}
	return all, nil
}
