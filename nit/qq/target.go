package qq

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

const platform = "qq"

func groupChat(id string) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Group, ID: id}
}
func userChat(id string) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Private, ID: id}
}

// parseChatID parses "group_123" and "user_987". It rejects bare digits.
func parseChatID(s string) (persona.Chat, bool) {
	if id, ok := strings.CutPrefix(s, "group_"); ok {
		return groupChat(id), isID(id)
	}
	id, ok := strings.CutPrefix(s, "user_")
	return userChat(id), ok && isID(id)
}

// isID reports whether s is a positive number in canonical form.
func isID(s string) bool {
	id, err := strconv.ParseInt(s, 10, 64)
	return err == nil && id > 0 && s[0] != '+' && s[0] != '0'
}

// looksLikeID matches ids, also invalid ones. They are never looked up as names.
var looksLikeID = regexp.MustCompile(`(?i)^(group_|user_)?[+-]?[0-9]+$`)

// principalChat returns the chat of the turn. ok is false without a QQ chat.
func principalChat(p nit.Principal) (persona.Chat, bool) {
	if chat, ok := parseChatID(persona.SessionSource(p.Session)); ok && (p.Platform == "" || p.Platform == platform) {
		return chat, true
	}
	return persona.Chat{}, false
}

// principalUser returns the person in the conversation. ok is false without a QQ user.
func principalUser(p nit.Principal) (id string, ok bool) {
	id = strings.TrimPrefix(p.Person, "user_")
	return id, isID(id) && (p.Platform == "" || p.Platform == platform)
}

// isAgent reports whether the call may have targets outside the chat of its turn.
func isAgent(p nit.Principal) bool { return p.Mode == nit.ModeAgent }

// resolveTarget returns the target of a call. kind is the meaning of bare digits, "group" or "private". If it is empty,
// digits equal to the id of the current chat mean that chat, and others are of kind usual. A forbidden target always
// gives nit.ErrUnknownTool.
func (k *toolkit) resolveTarget(ctx context.Context, given nit.ID, kind, usual string) (to persona.Chat, here bool, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	chat, inChat := principalChat(p)
	to, ok := targetByID(string(given), kind, usual, chat)
	switch {
	case given == "" && inChat, ok && inChat && to == chat:
		return chat, true, nil
	case !isAgent(p):
		return persona.Chat{}, false, nit.ErrUnknownTool
	case given == "":
		return persona.Chat{}, false, nit.ModelError("现在不在任何会话里，请给出 target_id")
	case ok:
		return to, false, nil
	case looksLikeID.MatchString(normalizeName(string(given))):
		return persona.Chat{}, false, nit.ModelError("target_id 的写法是 group_群号 或 user_QQ号，也可以写群名、好友的备注或昵称")
	}
	to, err = k.resolveName(ctx, string(given), kind)
	return to, err == nil && inChat && to == chat, err
}

// targetByID parses a target that is an id.
func targetByID(given, kind, usual string, chat persona.Chat) (persona.Chat, bool) {
	if to, ok := parseChatID(given); ok {
		return to, true
	}
	ok := isID(given)
	switch {
	case kind == "" && given == chat.ID:
		return chat, ok
	case cmp.Or(kind, usual) == "group":
		return groupChat(given), ok
	}
	return userChat(given), ok
}

// resolveGroup returns the group of a call, by default the current one.
func (k *toolkit) resolveGroup(ctx context.Context, given nit.ID) (string, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if chat, ok := principalChat(p); given == "" && !(ok && chat.Kind == persona.Group) {
		return "", nit.ModelError("现在不在群里，请给出 group_id")
	}
	to, _, err := k.resolveTarget(ctx, given, "group", "group")
	if err == nil && to.Kind != persona.Group {
		err = nit.ModelError("group_id 是一个群，不是人")
	}
	return to.ID, err
}

// resolveMember returns a group member.
func (k *toolkit) resolveMember(ctx context.Context, group string, given nit.ID) (string, error) {
	return resolvePerson(ctx, given, func() (string, error) { return k.memberByName(ctx, group, string(given)) })
}

// resolveUser returns any user by id, or a friend by name.
func (k *toolkit) resolveUser(ctx context.Context, given nit.ID) (string, error) {
	return resolvePerson(ctx, given, func() (string, error) {
		to, err := k.resolveName(ctx, string(given), "private")
		return to.ID, err
	})
}

// resolvePerson returns a user by id, in agent mode also by name.
func resolvePerson(ctx context.Context, given nit.ID, byName func() (string, error)) (string, error) {
	id, ok, err := userByID(given)
	if ok || err != nil {
		return id, err
	}
	if p, _ := nit.PrincipalFrom(ctx); !isAgent(p) {
		return "", errNotANumber
	}
	return byName()
}

var errNotANumber = nit.ModelError("user_id 是数字的 QQ号")

// userByID parses a user id. ok is false if given may be a name.
func userByID(given nit.ID) (id string, ok bool, err error) {
	if id := strings.TrimPrefix(string(given), "user_"); isID(id) {
		return id, true, nil
	}
	if given == "" || looksLikeID.MatchString(normalizeName(string(given))) {
		return "", false, errNotANumber
	}
	return "", false, nil
}
