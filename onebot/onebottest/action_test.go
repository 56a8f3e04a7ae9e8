package onebottest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestResponse_Envelope(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	b := connected(t, s)
	for _, tt := range []struct{ frame, status, echo string }{
		{`{"action":"get_status","echo":"a<b>&\u2028"}`, "ok", `"a<b>&\u2028"`},
		{`{"action":"get_status","params":{},"echo":{"seq":1,"x":[null]}}`, "ok", `{"seq":1,"x":[null]}`},
		{`{"action":"get_status","params":null,"echo":12345678901234567890}`, "ok", `12345678901234567890`},
		{`{"action":"get_status"}`, "ok", `""`},
		{`{"action":"get_status_async","echo":1}`, "ok", `1`},
		{`{"action":"get_status_rate_limited","echo":2}`, "ok", `2`},
		{`{"action":"no_such","echo":3}`, "failed", `3`},
		{`{"action":7,"echo":4}`, "failed", `4`},
		{`{"echo":5}`, "failed", `5`},
		{`{"action":"get_status","params":"x","echo":6}`, "failed", `6`},
		{`no JSON`, "failed", `null`},
		{``, "failed", `null`},
	} {
		b.write(tt.frame)
		var got struct {
			Status string
			Echo   json.RawMessage
		}
		require.NoError(t, json.Unmarshal(b.frame(), &got))
		assert.Equal(t, tt.status, got.Status, tt.frame)
		assert.Equal(t, tt.echo, string(got.Echo), tt.frame)
	}
	b.fails(1404, "no_such", nil)
	b.fails(1400, "get_group_info", nil)
	assert.Len(t, s.Calls("no_such"), 2)
	assert.Equal(t, 1404, s.Calls("no_such")[0].Retcode)
}

func TestAction_Parameters(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	s.Group(7, "七")
	b := connected(t, s)
	for _, id := range []any{7, "7", 7.0, json.RawMessage("7e0")} {
		got := b.do("get_group_info", object{"group_id": id}).(object)
		assert.Equal(t, 7.0, got["group_id"], "%v", id)
		assert.Equal(t, "七", got["group_name"])
	}
	for _, id := range []any{"seven", 7.5, true, []int{7}, nil, ""} {
		o := b.call("get_group_info", object{"group_id": id})
		assert.Contains(t, []any{1400.0, 1200.0}, o["retcode"], "%v", id)
	}
	b.fails(1200, "get_group_info", object{"group_id": 8})
}

func TestAction_Info(t *testing.T) {
	s := onebottest.New(onebottest.Options{Nickname: "小炉"})
	defer s.Close()
	g := s.Group(7, "七")
	g.Member(self, "").WithRole("admin")
	g.Member(1, "张三").WithCard("三哥").WithRole("owner")
	g.Member(2, "李四 <b>")
	s.Friend(1, "").WithRemark("老张")
	b := connected(t, s)

	assert.Equal(t, object{"user_id": 10000.0, "nickname": "小炉"}, b.do("get_login_info", nil))
	assert.Equal(t, "v11", b.do("get_version_info", nil).(object)["protocol_version"])
	assert.Equal(t, object{"online": true, "good": true, "stat": object{}}, b.do("get_status", nil))
	assert.Equal(t, object{"yes": true}, b.do("can_send_image", nil))
	assert.Equal(t, []any{object{"user_id": 1.0, "nickname": "张三", "remark": "老张"}}, b.do("get_friend_list", nil))
	assert.Equal(t, "李四 <b>", b.do("get_stranger_info", object{"user_id": 2}).(object)["nickname"])
	b.fails(1200, "get_stranger_info", object{"user_id": 99})

	groups := b.do("get_group_list", nil).([]any)
	require.Len(t, groups, 1)
	assert.Equal(t, 3.0, groups[0].(object)["member_count"])

	members := b.do("get_group_member_list", object{"group_id": 7}).([]any)
	require.Len(t, members, 3)
	assert.Equal(t, "小炉", members[0].(object)["nickname"])
	zhang := b.do("get_group_member_info", object{"group_id": 7, "user_id": 1}).(object)
	assert.Equal(t, members[1], any(zhang))
	assert.Equal(t, "三哥", zhang["card"])
	assert.Equal(t, "owner", zhang["role"])
	b.fails(1200, "get_group_member_info", object{"group_id": 7, "user_id": 99})
	b.fails(1400, "get_group_member_info", object{"group_id": 7})
}
