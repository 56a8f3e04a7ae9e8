package qq

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/nit"
)

// A target is a chat on QQ.
type target struct {
	group bool
	id    int64
}

func (t target) String() string {
	if t.group {
		return "group_" + strconv.FormatInt(t.id, 10)
	}
	return "user_" + strconv.FormatInt(t.id, 10)
}

// parse reads "group_123" and "user_987". Bare digits are not ok.
func parse(s string) (t target, ok bool) {
	digits, group := strings.CutPrefix(s, "group_")
	if !group {
		if digits, ok = strings.CutPrefix(s, "user_"); !ok {
			return target{}, false
		}
	}
	id, ok := number(digits)
	return target{group, id}, ok
}

// number reads an id in its one form: digits, without a zero in front.
func number(s string) (int64, bool) {
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && s[0] != '+' && s[0] != '0'
}

// numeric is what can only be meant as an id, in whatever width, and so is never looked up as a name.
var numeric = regexp.MustCompile(`(?i)^(group_|user_)?[+-]?[0-9]+$`)

// session is the chat of the turn; not ok when there is none, or none on QQ.
func session(p nit.Principal) (target, bool) {
	if p.Platform != "" && p.Platform != "qq" {
		return target{}, false
	}
	return parse(p.Session)
}

// person is who is talked to; not ok when that is nobody on QQ.
func person(p nit.Principal) (int64, bool) {
	if p.Platform != "" && p.Platform != "qq" {
		return 0, false
	}
	return number(strings.TrimPrefix(p.Person, "user_"))
}

// everywhere reports whether the call may aim outside of the session of its turn.
func everywhere(p nit.Principal) bool { return p.Mode == nit.ModeAgent }

// aim finds the target of a call. kind says what bare digits are, "group" or "private"; empty when the model
// did not say: then they are the session if it has that number, otherwise of kind usual.
// Who may not reach the target gets nit.ErrUnknown, whatever else is wrong with it.
func (k *kit) aim(ctx context.Context, given nit.ID, kind, usual string) (to target, here bool, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	chat, inChat := session(p)
	to, ok := literal(string(given), kind, usual, chat)
	switch {
	case given == "" && inChat, ok && inChat && to == chat:
		return chat, true, nil
	case !everywhere(p):
		return target{}, false, nit.ErrUnknown
	case given == "":
		return target{}, false, nit.Tell("现在不在任何会话里，请给出 target_id")
	case ok:
		return to, false, nil
	case numeric.MatchString(fold(string(given))):
		return target{}, false, nit.Tell("target_id 的写法是 group_群号 或 user_QQ号，也可以写群名、好友的备注或昵称")
	}
	to, err = k.byName(ctx, string(given), kind)
	return to, err == nil && inChat && to == chat, err
}

// literal reads a target that is an id.
func literal(given, kind, usual string, chat target) (target, bool) {
	if to, ok := parse(given); ok {
		return to, true
	}
	id, ok := number(given)
	switch {
	case kind == "" && id == chat.id:
		return chat, ok
	case kind == "":
		kind = usual
	}
	return target{kind == "group", id}, ok
}

// aimAtGroup finds the group of a call; left out it is that of the session.
func (k *kit) aimAtGroup(ctx context.Context, given nit.ID) (int64, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if chat, ok := session(p); given == "" && !(ok && chat.group) {
		return 0, nit.Tell("现在不在群里，请给出 group_id")
	}
	to, _, err := k.aim(ctx, given, "group", "group")
	if err == nil && !to.group {
		err = nit.Tell("group_id 是一个群，不是人")
	}
	return to.id, err
}

// aimAtMember finds a member of a group.
func (k *kit) aimAtMember(ctx context.Context, group int64, given nit.ID) (int64, error) {
	id, ok, err := personal(given)
	if ok || err != nil {
		return id, err
	}
	if p, _ := nit.PrincipalFrom(ctx); !everywhere(p) {
		return 0, errNotANumber
	}
	return k.memberByName(ctx, group, string(given))
}

// aimAtUser finds anybody by number, and friends by name.
func (k *kit) aimAtUser(ctx context.Context, given nit.ID) (int64, error) {
	id, ok, err := personal(given)
	if ok || err != nil {
		return id, err
	}
	if p, _ := nit.PrincipalFrom(ctx); !everywhere(p) {
		return 0, errNotANumber
	}
	to, err := k.byName(ctx, string(given), "private")
	return to.id, err
}

var errNotANumber = nit.Tell("user_id 是数字的 QQ号")

// personal reads somebody's number; ok is false for what may be a name.
func personal(given nit.ID) (id int64, ok bool, err error) {
	if id, ok := number(strings.TrimPrefix(string(given), "user_")); ok {
		return id, true, nil
	}
	if given == "" || numeric.MatchString(fold(string(given))) {
		return 0, false, errNotANumber
	}
	return 0, false, nil
}
