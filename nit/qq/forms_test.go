package qq_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/stretchr/testify/assert"
)

// An id has one canonical form. No other form is accepted as an id, nor looked up as a name for the owner unless someone
// has that name. For a persona it gives an unknown tool, or bad arguments if the schema says so, and never another chat.
func TestTools_FormsOfIDs(t *testing.T) {
	s := stageWith(t, qq.Options{})
	s.answers = town(t).answers
	forms := []string{ // as JSON
		`124.0`, `1.24e2`, `124e0`, `12400e-2`, `-124`, `-0`, `0`, `0.0`, `0124`, `+124`, `0x7c`, `1e9`, `1E400`, `99999999999999999999`, `[124]`, `{"id":124}`, `true`, `"124.0"`, `"1.24e2"`, `"0124"`,
		`"+124"`, `"-124"`, `"0x7c"`, `" 124"`, `"124 "`, `"1 24"`, `"124\n"`, `"124\t"`, `"１２４"`, `"１２３"`, `"123\u200b"`, `"١٢٤"`, `"①②④"`, `"1\u200b24"`, `"\u202e421"`, `"124\ufeff"`, `"group_0124"`, `"group_+124"`, `"group_-124"`,
		`"group_ 124"`, `" group_124"`, `"group_124 "`, `"GROUP_124"`, `"Group_124"`, `"ｇｒｏｕｐ_124"`, `"group＿124"`, `"group_１２４"`, `"group-124"`, `"group:124"`, `"group/124"`, `"group_124/../group_123"`, `"group_123,group_124"`,
		`"group_group_124"`, `"group_user_124"`, `"user_group_124"`, `"qq:group:124"`, `"group_124\\u0000"`, `"group_18446744073709551740"`, `"18446744073709551740"`, `"group_"`, `"user_"`, `"_124"`, `"124_"`,
		`"[CQ:at,qq=124]"`, `"all"`, `"null"`, `"self"`, `"master"`,
	}
	for _, form := range forms {
		for _, tool := range []string{"qq_send_text", "qq_poke"} {
			a := `{"content":"x","target_id":` + form + `}`
			if tool == "qq_poke" {
				a = `{"user_id":"5","target_id":` + form + `}`
			}
			s.said, s.sent = nil, nil
			for _, p := range []nit.Principal{inGroup, inPrivate} {
				got := s.call(p, tool, a).Content
				assert.True(t, got == unknown || strings.HasPrefix(got, "error: bad arguments"), "%s %s: %s", tool, form, got)
			}
			assert.Empty(t, s.said, form)
			assert.Empty(t, s.sent, "a persona looks nothing up: %s", form)

			got := s.call(agentIn, tool, a).Content
			assert.True(t, strings.HasPrefix(got, "error: "), "%s %s: %s", tool, form, got)
			assert.Empty(t, s.said, form)
			for _, action := range s.sent {
				assert.True(t, strings.HasPrefix(action, "get_"), "%s: %s", form, action)
			}
		}
		// target and message ids
		for tool, a := range map[string]string{
			"qq_delete_friend": `{"user_id":` + form + `}`, "qq_group_kick": `{"group_id":123,"user_id":` + form + `}`, "qq_group_ban": `{"group_id":` + form + `,"user_id":5}`,
		} {
			if form == `"all"` && tool == "qq_group_kick" {
				continue // someone has that name
			}
			s.sent = nil
			got := s.call(agentIn, tool, a).Content
			assert.True(t, strings.HasPrefix(got, "error: "), "%s %s: %s", tool, form, got)
			for _, action := range s.sent {
				assert.True(t, strings.HasPrefix(action, "get_"), "%s: %s", form, action)
			}
		}
		if json.Valid([]byte(form)) {
			got := s.call(inGroup, "qq_send_text", `{"content":"x","at":[`+form+`]}`).Content
			assert.True(t, strings.HasPrefix(got, "error: "), "at %s: %s", form, got)
		}
	}
	assert.Empty(t, s.said)
	for _, form := range []string{"１２４", "group_１２４", "GROUP_124", "124\u200b", "+124", "0124"} { // non-canonical ids: the error explains the form, and no name is looked up
		s.sent = nil
		assert.Contains(t, s.call(agentIn, "qq_send_text", args(t, map[string]any{"content": "x", "target_id": form})).Content, "target_id 的写法", form)
		assert.Empty(t, s.sent, form)
	}
}
