package onebot

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder is a Caller that records the last call and responds with data.
type recorder struct {
	action, params string
	data           string
}

func (r *recorder) Call(_ context.Context, action string, params, result any) error {
	p, err := marshalParams(params)
	if err != nil {
		return err
	}
	r.action, r.params = action, string(p)
	if r.data == "" || result == nil {
		return nil
	}
	return json.Unmarshal([]byte(r.data), result)
}

func TestBot_Actions(t *testing.T) {
	r := &recorder{}
	b := NewBot(r, 10000)
	ctx := t.Context()
	for _, c := range []struct {
		name         string
		do           func() (any, error)
		params, data string
		want         any
	}{
		{"send_group_msg", func() (any, error) { return b.SendGroupMsg(ctx, 1, Message{At(5), Text("<x>")}) },
			`{"group_id":1,"message":[{"type":"at","data":{"qq":"5"}},{"type":"text","data":{"text":"\u003cx\u003e"}}]}`, `{"message_id":3330331745.0}`, int64(3330331745)},
		{"send_private_msg", func() (any, error) { return b.SendPrivateMsg(ctx, 5, nil) }, `{"user_id":5,"message":[]}`, `{"message_id":"-7"}`, int64(-7)},
		{"delete_msg", func() (any, error) { return nil, b.DeleteMsg(ctx, -7) }, `{"message_id":-7}`, ``, nil},
		{"get_login_info", func() (any, error) { return b.GetLoginInfo(ctx) }, `{}`, `{"user_id":"10000","nickname":"炉"}`, LoginInfo{10000, "炉"}},
		{"get_status", func() (any, error) { return b.GetStatus(ctx) }, `{}`, `{"online":true,"good":null,"stat":{}}`, Status{true, false, json.RawMessage(`{"online":true,"good":null,"stat":{}}`)}},
		{"get_version_info", func() (any, error) { return b.GetVersionInfo(ctx) }, `{}`, `{"app_name":"NapCat.Onebot","app_version":"4","protocol_version":"v11"}`,
			VersionInfo{"NapCat.Onebot", "4", "v11", json.RawMessage(`{"app_name":"NapCat.Onebot","app_version":"4","protocol_version":"v11"}`)}},
		{"get_stranger_info", func() (any, error) { return b.GetStrangerInfo(ctx, 5, true) }, `{"user_id":5,"no_cache":true}`, `{"user_id":5,"nickname":"甲","sex":"female","age":"20","uid":"u_x"}`, StrangerInfo{UserID: 5, Nickname: "甲", Sex: "female", Age: 20}},
		{"get_friend_list", func() (any, error) { return b.GetFriendList(ctx) }, `{}`, `[{"user_id":5,"nickname":"甲","remark":"老甲"}]`, []Friend{{5, "甲", "老甲"}}},
		{"get_group_info", func() (any, error) { return b.GetGroupInfo(ctx, 1, false) }, `{"group_id":1}`, `{"group_id":1,"group_name":"群","member_count":3,"max_member_count":200}`, GroupInfo{GroupID: 1, Name: "群", Members: 3, MaxMembers: 200}},
		{"get_group_list", func() (any, error) { return b.GetGroupList(ctx) }, `{}`, `[{"group_id":1,"group_name":"群"}]`, []GroupInfo{{GroupID: 1, Name: "群"}}},
		{"get_group_member_info", func() (any, error) { return b.GetGroupMemberInfo(ctx, 1, 5, true) }, `{"group_id":1,"user_id":5,"no_cache":true}`,
			`{"group_id":1,"user_id":5,"nickname":"甲","card":"卡","sex":"male","age":1,"area":"杭州","join_time":1,"last_sent_time":0,"level":3,"role":"owner","title":"龙","unfriendly":false}`,
			GroupMember{GroupID: 1, UserID: 5, Nickname: "甲", Card: "卡", Sex: "male", Area: "杭州", Level: "3", Role: "owner", Title: "龙", Age: 1, Joined: time.Unix(1, 0)}},
		{"get_group_member_list", func() (any, error) { return b.GetGroupMemberList(ctx, 1) }, `{"group_id":1}`, `[]`, []GroupMember{}},
		{"group_poke", func() (any, error) { return nil, b.GroupPoke(ctx, 1, 5) }, `{"group_id":1,"user_id":5}`, ``, nil},
		{"friend_poke", func() (any, error) { return nil, b.FriendPoke(ctx, 5) }, `{"user_id":5}`, ``, nil},
		{"set_friend_add_request", func() (any, error) { return nil, b.SetFriendAddRequest(ctx, "f", false, "") }, `{"flag":"f","approve":false}`, ``, nil},
		{"set_friend_add_request", func() (any, error) { return nil, b.SetFriendAddRequest(ctx, "f", true, "老甲") }, `{"flag":"f","approve":true,"remark":"老甲"}`, ``, nil},
		{"set_group_add_request", func() (any, error) { return nil, b.SetGroupAddRequest(ctx, "f", "invite", false, "不") }, `{"flag":"f","sub_type":"invite","type":"invite","approve":false,"reason":"不"}`, ``, nil},
		{"set_group_ban", func() (any, error) { return nil, b.SetGroupBan(ctx, 1, 5, 90*time.Second) }, `{"group_id":1,"user_id":5,"duration":90}`, ``, nil},
		{"set_group_ban", func() (any, error) { return nil, b.SetGroupBan(ctx, 1, 5, 0) }, `{"group_id":1,"user_id":5,"duration":0}`, ``, nil},
		{"set_group_kick", func() (any, error) { return nil, b.SetGroupKick(ctx, 1, 5, false) }, `{"group_id":1,"user_id":5,"reject_add_request":false}`, ``, nil},
		{"set_group_card", func() (any, error) { return nil, b.SetGroupCard(ctx, 1, 5, "") }, `{"group_id":1,"user_id":5,"card":""}`, ``, nil},
		{"set_group_leave", func() (any, error) { return nil, b.SetGroupLeave(ctx, 1, false) }, `{"group_id":1,"is_dismiss":false}`, ``, nil},
	} {
		r.data = c.data
		got, err := c.do()
		require.NoError(t, err, c.name)
		assert.Equal(t, c.name, r.action)
		assert.Equal(t, c.params, r.params, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
}

func TestBot_History(t *testing.T) {
	r := &recorder{}
	b := NewBot(r, 10000)
	ctx := t.Context()
	one := `{"time":1735689600,"message_id":7,"real_id":7,"sender":{"user_id":5,"nickname":"甲"},"message":"a[CQ:face,id=1]"`

	r.data = one + `,"message_type":"group","group_id":1}`
	e, err := b.GetMsg(ctx, 7)
	require.NoError(t, err)
	g := e.(*GroupMessage)
	assert.EqualValues(t, []int64{10000, 1, 5, 7}, []int64{g.SelfID, g.GroupID, g.UserID, g.MessageID})
	assert.Equal(t, "a[表情]", g.Message.Text())

	r.data = one + `}`
	e, err = b.GetMsg(ctx, 7)
	require.NoError(t, err)
	assert.EqualValues(t, 5, e.(*PrivateMessage).UserID)

	r.data = `{"messages":[` + one + `,"group_id":1},` + one + `,"user_id":10000,"post_type":"message_sent","message_type":"group","group_id":1}]}`
	hist, err := b.GetGroupMsgHistory(ctx, 1, 9, 20)
	require.NoError(t, err)
	assert.Equal(t, `{"group_id":1,"message_seq":9,"message_id":9,"count":20}`, r.params)
	require.Len(t, hist, 2)
	assert.False(t, hist[0].Own())
	assert.True(t, hist[1].Own())

	talk, err := b.GetFriendMsgHistory(ctx, 5, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, `{"user_id":5}`, r.params)
	require.Len(t, talk, 1, "a group message is none of a friend")

	for _, bad := range []string{`{"messages":[7]}`, `[]`} {
		r.data = bad
		_, err = b.GetGroupMsgHistory(ctx, 1, 0, 0)
		assert.Error(t, err, bad)
	}
	r.data = `null`
	_, err = b.GetMsg(ctx, 7)
	assert.Error(t, err)
	for _, bad := range []string{`7`, `"x"`, `[]`} {
		r.data = bad
		_, err = b.GetLoginInfo(ctx)
		assert.Error(t, err, bad)
	}
}
