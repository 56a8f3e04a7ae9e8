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

func group(id string) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Group, ID: id}
}
func user(id string) persona.Chat {
	return persona.Chat{Platform: platform, Kind: persona.Private, ID: id}
}

// parse reads "group_123" and "user_987". Bare digits are not ok.
func parse(s string) (persona.Chat, bool) {
	if id, ok := strings.CutPrefix(s, "group_"); ok {
		return group(id), number(id)
	}
	id, ok := strings.CutPrefix(s, "user_")
	return user(id), ok && number(id)
}

// number reports whether an id is in its one form: digits, without a zero in front.
func number(s string) bool {
	id, err := strconv.ParseInt(s, 10, 64)
	return err == nil && id > 0 && s[0] != '+' && s[0] != '0'
}

// numeric is what can only be meant as an id, in whatever width, and so is never looked up as a name.
var numeric = regexp.MustCompile(`(?i)^(group_|user_)?[+-]?[0-9]+$`)

// session is the chat of the turn; not ok when there is none, or none on QQ.
func session(p nit.Principal) (persona.Chat, bool) {
	if chat, ok := parse(p.Session); ok && (p.Platform == "" || p.Platform == platform) {
		return chat, true
	}
	return persona.Chat{}, false
}

// person is who is talked to; not ok when that is nobody on QQ.
func person(p nit.Principal) (id string, ok bool) {
	id = strings.TrimPrefix(p.Person, "user_")
	return id, number(id) && (p.Platform == "" || p.Platform == platform)
}

// everywhere reports whether the call may aim outside of the session of its turn.
func everywhere(p nit.Principal) bool { return p.Mode == nit.ModeAgent }

// aim finds the target of a call. kind says what bare digits are, "group" or "private"; empty when the model
// did not say: then they are the session if it has that number, otherwise of kind usual.
// Who may not reach the target gets nit.ErrUnknown, whatever else is wrong with it.
func (k *kit) aim(ctx context.Context, given nit.ID, kind, usual string) (to persona.Chat, here bool, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	chat, inChat := session(p)
	to, ok := literal(string(given), kind, usual, chat)
	switch {
	case given == "" && inChat, ok && inChat && to == chat:
		return chat, true, nil
	case !everywhere(p):
		return persona.Chat{}, false, nit.ErrUnknownTool
	case given == "":
		return persona.Chat{}, false, nit.ModelError("现在不在任何会话里，请给出 target_id")
	case ok:
		return to, false, nil
	case numeric.MatchString(fold(string(given))):
		return persona.Chat{}, false, nit.ModelError("target_id 的写法是 group_群号 或 user_QQ号，也可以写群名、好友的备注或昵称")
	}
	to, err = k.byName(ctx, string(given), kind)
	return to, err == nil && inChat && to == chat, err
}

// literal reads a target that is an id.
func literal(given, kind, usual string, chat persona.Chat) (persona.Chat, bool) {
	if to, ok := parse(given); ok {
		return to, true
	}
	ok := number(given)
	switch {
	case kind == "" && given == chat.ID:
		return chat, ok
	case cmp.Or(kind, usual) == "group":
		return group(given), ok
	}
	return user(given), ok
}

// aimAtGroup finds the group of a call; left out it is that of the session.
func (k *kit) aimAtGroup(ctx context.Context, given nit.ID) (string, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if chat, ok := session(p); given == "" && !(ok && chat.Kind == persona.Group) {
		return "", nit.ModelError("现在不在群里，请给出 group_id")
	}
	to, _, err := k.aim(ctx, given, "group", "group")
	if err == nil && to.Kind != persona.Group {
		err = nit.ModelError("group_id 是一个群，不是人")
	}
	return to.ID, err
}

// aimAtMember finds a member of a group.
func (k *kit) aimAtMember(ctx context.Context, group string, given nit.ID) (string, error) {
	return aimAtPerson(ctx, given, func() (string, error) { return k.memberByName(ctx, group, string(given)) })
}

// aimAtUser finds anybody by number, and friends by name.
func (k *kit) aimAtUser(ctx context.Context, given nit.ID) (string, error) {
	return aimAtPerson(ctx, given, func() (string, error) {
		to, err := k.byName(ctx, string(given), "private")
		return to.ID, err
	})
}

// aimAtPerson finds somebody by number, and by name where the call may aim everywhere.
func aimAtPerson(ctx context.Context, given nit.ID, byName func() (string, error)) (string, error) {
	id, ok, err := personal(given)
	if ok || err != nil {
		return id, err
	}
	if p, _ := nit.PrincipalFrom(ctx); !everywhere(p) {
		return "", errNotANumber
	}
	return byName()
}

var errNotANumber = nit.ModelError("user_id 是数字的 QQ号")

// personal reads somebody's number; ok is false for what may be a name.
func personal(given nit.ID) (id string, ok bool, err error) {
	if id := strings.TrimPrefix(string(given), "user_"); number(id) {
		return id, true, nil
	}
	if given == "" || numeric.MatchString(fold(string(given))) {
		return "", false, errNotANumber
	}
	return "", false, nil
}
