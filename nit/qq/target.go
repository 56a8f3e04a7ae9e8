package qq

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
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

// What models may write as a target; digits may come as a number, too.
const targetPattern = `^(group_|user_)?[1-9][0-9]{0,18}$`

// parse reads "group_123" and "user_987". Bare digits are not ok.
func parse(s string) (t target, ok bool) {
	digits, group := strings.CutPrefix(s, "group_")
	if !group {
		if digits, ok = strings.CutPrefix(s, "user_"); !ok {
			return target{}, false
		}
	}
	id, err := nit.ID(digits).Int64()
	return target{group, id}, err == nil && id > 0
}

// session is the chat of the turn; not ok when there is none, or none on QQ.
func session(p nit.Principal) (target, bool) {
	if p.Platform != "" && p.Platform != "qq" {
		return target{}, false
	}
	return parse(p.Session)
}

// aim finds the target of a call. kind says what bare digits are, "group" or "private"; empty when the model
// did not say: then they are the session if it has that number, otherwise of kind usual.
// Who may not reach the target gets nit.ErrUnknown.
func aim(ctx context.Context, given nit.ID, kind, usual string) (to target, here bool, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	chat, inChat := session(p)
	everywhere := p.Mode == nit.ModeAgent
	switch {
	case given == "" && inChat:
		return chat, true, nil
	case given == "" && everywhere:
		return target{}, false, nit.Tell("现在不在任何会话里，请给出 target_id")
	case given == "":
		return target{}, false, nit.ErrUnknown
	}
	to, ok := parse(string(given))
	if !ok {
		id, err := given.Int64()
		if err != nil || id <= 0 {
			return target{}, false, nit.Tell("target_id 的写法是 group_群号 或 user_QQ号")
		}
		if kind == "" && inChat && id == chat.id {
			return chat, true, nil
		}
		if kind == "" {
			kind = usual
		}
		to = target{kind == "group", id}
	}
	here = inChat && to == chat
	if !here && !everywhere {
		return target{}, false, nit.ErrUnknown
	}
	return to, here, nil
}

// targetSchema tells the model of the forms.
func targetSchema(s *jsonschema.Schema) { s.Properties["target_id"].Pattern = targetPattern }
