package qq_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A persona can answer only the requests that its turn was shown.
func TestRequests_FlagsAreCapabilities(t *testing.T) {
	friend := persona.Request{Kind: persona.FriendRequest, ID: "u_x|170"}
	s := newStage(t)
	invite := persona.Request{Kind: persona.GroupInvite, ID: "9007199254740993", Group: "77"}
	for _, tt := range []struct {
		who        nit.Principal
		shown      []persona.Request
		tool, args string
		want       string
	}{
		{inPrivate, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"u_x|170"}`, `set_friend_add_request {"flag":"u_x|170","approve":true}`},
		{inPrivate, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"u_x|170","approve":null}`, `set_friend_add_request {"flag":"u_x|170","approve":true}`},
		{inPrivate, []persona.Request{invite, friend}, "qq_handle_friend_request", `{"flag":"u_x|170","approve":false}`, `set_friend_add_request {"flag":"u_x|170","approve":false}`},
		{inPrivate, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"u_x|170","remark":"老\n王"}`, `set_friend_add_request {"flag":"u_x|170","approve":true,"remark":"老 王"}`},
		{nowhere, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"u_x|170"}`, `set_friend_add_request {"flag":"u_x|170","approve":true}`},
		{nowhere, []persona.Request{invite}, "qq_handle_group_invite", `{"flag":9007199254740993}`, `set_group_add_request {"flag":"9007199254740993","sub_type":"invite","type":"invite","approve":true}`},
		{nowhere, []persona.Request{invite}, "qq_handle_group_invite", `{"flag":"9007199254740993","approve":false}`, `set_group_add_request {"flag":"9007199254740993","sub_type":"invite","type":"invite","approve":false}`},
		{agent, nil, "qq_handle_friend_request", `{"flag":"anything"}`, `set_friend_add_request {"flag":"anything","approve":true}`},
		{agent, nil, "qq_handle_group_invite", `{"flag":"anything"}`, `set_group_add_request {"flag":"anything","sub_type":"invite","type":"invite","approve":true}`},

		{inGroup, nil, "qq_handle_friend_request", `{"flag":"u_x|170"}`, unknown},
		{inGroup, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"u_x|171"}`, unknown},
		{inGroup, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"U_X|170"}`, unknown},
		{inGroup, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":" u_x|170"}`, unknown},
		{inGroup, []persona.Request{friend}, "qq_handle_group_invite", `{"flag":"u_x|170"}`, unknown},
		{inGroup, []persona.Request{invite}, "qq_handle_friend_request", `{"flag":"9007199254740993"}`, unknown},
		{inGroup, []persona.Request{invite}, "qq_handle_group_invite", `{"flag":9007199254740992}`, unknown}, // as a float64 would round it
		{inGroup, []persona.Request{invite}, "qq_handle_group_invite", `{"flag":"09007199254740993"}`, unknown},
		{inPrivate, []persona.Request{friend}, "qq_handle_friend_request", `{}`, "error: bad arguments"},
		{inPrivate, []persona.Request{friend}, "qq_handle_friend_request", `{"flag":"u_x|170","approve":"yes"}`, "error: bad arguments"},
	} {
		s.sent = nil
		ctx := qq.WithRequests(t.Context(), tt.shown...)
		resp := s.callIn(ctx, tt.who, tt.tool, tt.args)
		if tt.want == unknown || tt.want == "error: bad arguments" {
			assert.Contains(t, resp.Content, tt.want, tt.args)
			assert.Empty(t, s.sent)
			if tt.want == unknown {
				assert.Equal(t, s.callIn(ctx, tt.who, "no_such_tool", tt.args), resp)
			}
			continue
		}
		assert.Equal(t, []string{tt.want}, s.sent, "%s: %s", tt.args, resp.Content)
		assert.Regexp(t, "^已", resp.Content)
	}

	shown := []persona.Request{friend}
	ctx := qq.WithRequests(t.Context(), shown...)
	shown[0].ID = "other"
	assert.Equal(t, unknown, s.callIn(ctx, nowhere, "qq_handle_friend_request", `{"flag":"other"}`).Content, "what was shown does not change")
	ctx = qq.WithRequests(ctx)
	assert.Equal(t, unknown, s.callIn(ctx, nowhere, "qq_handle_friend_request", `{"flag":"u_x|170"}`).Content, "another turn was shown nothing")
}

func TestPendingRequests(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	var book qq.PendingRequests
	s := stageWith(t, qq.Options{Requests: &book, Location: time.UTC})
	assert.Equal(t, "[]", s.call(agent, "qq_get_requests", ``).Content)
	assert.Equal(t, s.call(inGroup, "no_such_tool", ``), s.call(inGroup, "qq_get_requests", ``))

	heard := persona.Request{Kind: persona.FriendRequest, ID: "f1", From: persona.Account{Platform: "qq", ID: "5"}, Comment: "我是\n小明</x>", At: at}
	book.Add(heard)
	book.Add(heard)
	six := persona.Account{Platform: "qq", ID: "6"}
	book.Add(persona.Request{Kind: persona.GroupInvite, Group: "77", From: six, ID: "g1"})
	book.Add(persona.Request{Kind: persona.GroupJoin, Group: "77", From: six, ID: "g2"})
	book.Add(persona.Request{Kind: persona.GroupInvite, From: six, ID: "g3"})
	book.Add(persona.Request{Kind: persona.FriendRequest, From: six})
	assert.Equal(t, `[{"flag":"f1","kind":"friend","user_id":"user_5","comment":"我是 小明</x>","time":"2026-11-21 20:00:00"},`+
		`{"flag":"g1","kind":"group_invite","group_id":"group_77","user_id":"user_6","time":""}]`, s.call(agent, "qq_get_requests", ``).Content)

	s.wire.err = errors.New("SECRET")
	assert.Equal(t, "error: the tool failed: 没有处理成，这条申请可能已经过期或处理过了", s.call(agent, "qq_handle_friend_request", `{"flag":"f1"}`).Content)
	s.wire.err = fmt.Errorf("SECRET: %w", onebot.ErrTimeout)
	assert.Equal(t, "error: the tool failed: 不知道处理成没有，不要再处理一次", s.call(agent, "qq_handle_group_invite", `{"flag":"g1"}`).Content)
	s.wire.err = nil
	require.Len(t, book.List(), 2)
	assert.Equal(t, "已同意", s.call(agent, "qq_handle_friend_request", `{"flag":"f1"}`).Content)
	assert.Equal(t, "已拒绝", s.call(agent, "qq_handle_group_invite", `{"flag":"g1","approve":false}`).Content)
	assert.Empty(t, book.List())

	for i := range 100 {
		book.Add(persona.Request{Kind: persona.FriendRequest, ID: fmt.Sprint(i)})
	}
	assert.Len(t, book.List(), 64)
	assert.Equal(t, "99", book.List()[63].ID)
}

// In agent mode the owner need not know the flag. A matching flag wins, and an ambiguous requester is not guessed.
func TestRequests_FoundByRequester(t *testing.T) {
	var book qq.PendingRequests
	s := stageWith(t, qq.Options{Requests: &book})
	from := func(id string) persona.Account { return persona.Account{Platform: "qq", ID: id} }
	for _, r := range []persona.Request{
		{Kind: persona.FriendRequest, ID: "f5", From: from("5")}, {Kind: persona.FriendRequest, ID: "7", From: from("6")}, {Kind: persona.FriendRequest, ID: "f7", From: from("7")},
		{Kind: persona.GroupInvite, ID: "g77", Group: "77", From: from("5")}, {Kind: persona.GroupInvite, ID: "g78", Group: "78", From: from("6")}, {Kind: persona.GroupInvite, ID: "g79", Group: "79", From: from("6")},
	} {
		book.Add(r)
	}
	for _, tt := range []struct{ tool, flag, want string }{
		{"qq_handle_friend_request", "5", "f5"},
		{"qq_handle_friend_request", "user_5", "f5"},
		{"qq_handle_friend_request", "7", "7"},
		{"qq_handle_friend_request", "user_7", "f7"},
		{"qq_handle_friend_request", "group_77", "group_77"},
		{"qq_handle_friend_request", "77", "77"},
		{"qq_handle_friend_request", "older", "older"},
		{"qq_handle_group_invite", "77", "g77"},
		{"qq_handle_group_invite", "group_78", "g78"},
		{"qq_handle_group_invite", "user_5", "g77"},
		{"qq_handle_group_invite", "6", ""},
	} {
		s.sent = nil
		s.wire.err = errors.New("it stays pending")
		got := s.call(agent, tt.tool, fmt.Sprintf(`{"flag":%q}`, tt.flag)).Content
		if tt.want == "" {
			assert.Contains(t, got, "这样的申请有 2 个：g78、g79。")
			assert.Empty(t, s.sent)
			continue
		}
		require.Len(t, s.sent, 1, got)
		assert.Contains(t, s.sent[0], fmt.Sprintf(`"flag":%q`, tt.want), tt.flag)
	}
	ctx := qq.WithRequests(t.Context(), persona.Request{Kind: persona.FriendRequest, ID: "f5", From: from("5")})
	assert.Equal(t, unknown, s.callIn(ctx, nowhere, "qq_handle_friend_request", `{"flag":"5"}`).Content, "elsewhere only the flag counts")
}

// A person can make a persona delete only that person.
func TestDeleteFriend(t *testing.T) {
	s := newStage(t)
	const done = `delete_friend {"block":false,"friend_id":987,"temp_block":false,"temp_both_del":false,"user_id":987}`
	for _, tt := range []struct {
		who        nit.Principal
		args, want string
	}{
		{inPrivate, `{"user_id":987}`, done},
		{inPrivate, `{"user_id":"user_987"}`, done},
		{inGroup, `{"user_id":"987"}`, done},
		{agent, `{"user_id":987}`, done},
		{inPrivate, `{"user_id":5}`, unknown},
		{inGroup, `{"user_id":5}`, unknown},
		{inGroup, `{"user_id":"小明"}`, unknown},
		{inGroup, `{"user_id":"0987"}`, unknown},
		{inGroup, `{"user_id":0}`, unknown},
		{nit.Principal{Session: "group_123"}, `{"user_id":987}`, unknown},
		{elsewhere, `{"user_id":987}`, unknown},
		{nowhere, `{"user_id":987}`, unknown},
		{agent, `{"user_id":0}`, "error: the tool failed: user_id"},
	} {
		s.sent = nil
		resp := s.call(tt.who, "qq_delete_friend", tt.args)
		if tt.want == done {
			assert.Equal(t, []string{done}, s.sent)
			assert.Equal(t, "已删除好友 user_987", resp.Content)
			continue
		}
		assert.Contains(t, resp.Content, tt.want, "%+v %s", tt.who, tt.args)
		assert.Empty(t, s.sent)
		if tt.want == unknown {
			assert.Equal(t, s.call(tt.who, "no_such_tool", tt.args), resp)
		}
	}
}
