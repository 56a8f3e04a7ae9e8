package onebottest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestGroup_UserEvents(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "七")
	g.Member(1, "群主").WithRole("owner")
	b := connected(t, s)

	for _, tt := range []struct {
		name string
		do   func()
		want object
	}{
		{"join", func() { g.Join(5, "新人") },
			object{"notice_type": "group_increase", "sub_type": "approve", "user_id": 5.0, "operator_id": 1.0}},
		{"rename", func() { g.Member(5, "").SetCard("小新") },
			object{"notice_type": "group_card", "user_id": 5.0, "card_new": "小新", "card_old": ""}},
		{"poke", func() { g.Poke(5, self) },
			object{"notice_type": "notify", "sub_type": "poke", "user_id": 5.0, "target_id": 10000.0, "raw_info": []any{}}},
		{"ban", func() { g.Ban(5, 90*time.Second) },
			object{"notice_type": "group_ban", "sub_type": "ban", "user_id": 5.0, "operator_id": 1.0, "duration": 90.0}},
		{"lift", func() { g.Ban(5, 0) },
			object{"notice_type": "group_ban", "sub_type": "lift_ban", "user_id": 5.0, "operator_id": 1.0, "duration": 0.0}},
		{"ban all", func() { g.Ban(0, 1) },
			object{"notice_type": "group_ban", "sub_type": "ban", "user_id": 0.0, "operator_id": 1.0, "duration": -1.0}},
		{"lift all", func() { g.Ban(0, 0) },
			object{"notice_type": "group_ban", "sub_type": "lift_ban", "user_id": 0.0, "operator_id": 1.0, "duration": 0.0}},
		{"leave", func() { g.Leave(5) },
			object{"notice_type": "group_decrease", "sub_type": "leave", "user_id": 5.0, "operator_id": 5.0}},
		{"kick", func() { g.Member(6, ""); g.Kick(6, 1) },
			object{"notice_type": "group_decrease", "sub_type": "kick", "user_id": 6.0, "operator_id": 1.0}},
		{"kick me", func() { g.Kick(self, 1) },
			object{"notice_type": "group_decrease", "sub_type": "kick_me", "user_id": 10000.0, "operator_id": 1.0}},
	} {
		tt.do()
		tt.want["group_id"] = 7.0
		assert.Equal(t, tt.want, b.notice(), tt.name)
	}
	g.Say(1, text("它走了"))
	g.Join(9, "")
	assert.Empty(t, b.do("get_group_list", nil))
	assert.Empty(t, b.held, "who was kicked hears nothing")
	assert.Same(t, g, s.Group(7, ""))
	assert.Empty(t, b.do("get_group_list", nil), "looking a group up does not bring the bot back")
}

func TestGroup_BotActions(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	g.Member(1, "").WithRole("owner")
	g.Member(2, "")
	b := connected(t, s)
	two := object{"group_id": 7, "user_id": 2}

	b.do("group_poke", two)
	assert.Equal(t, object{
		"notice_type": "notify", "sub_type": "poke", "group_id": 7.0, "user_id": 10000.0, "target_id": 2.0, "raw_info": []any{},
	}, b.notice())
	b.do("send_poke", two)
	b.notice()
	b.fails(1200, "group_poke", object{"group_id": 7, "user_id": 99})

	b.do("set_group_card", object{"group_id": 7, "user_id": self, "card": "小炉"})
	assert.Equal(t, "小炉", b.notice()["card_new"])
	for _, action := range []string{"set_group_ban", "set_group_kick", "set_group_card"} {
		b.fails(1200, action, two)
	}
	b.fails(1200, "set_group_whole_ban", object{"group_id": 7})

	g.Member(self, "").WithRole("admin")
	b.do("set_group_ban", two)
	assert.Equal(t, object{
		"notice_type": "group_ban", "sub_type": "ban", "group_id": 7.0, "user_id": 2.0, "operator_id": 10000.0, "duration": 1800.0,
	}, b.notice())
	b.do("set_group_ban", object{"group_id": 7, "user_id": 2, "duration": 0})
	assert.Equal(t, "lift_ban", b.notice()["sub_type"])
	b.fails(1200, "set_group_ban", object{"group_id": 7, "user_id": 1})
	b.do("set_group_whole_ban", object{"group_id": 7})
	assert.Equal(t, -1.0, b.notice()["duration"])
	b.do("set_group_whole_ban", object{"group_id": 7, "enable": false})
	assert.Equal(t, "lift_ban", b.notice()["sub_type"])
	b.do("set_group_kick", two)
	assert.Equal(t, "kick", b.notice()["sub_type"])
	b.fails(1200, "set_group_kick", two)
	b.do("set_group_leave", object{"group_id": 7})
	assert.Equal(t, object{
		"notice_type": "group_decrease", "sub_type": "leave", "group_id": 7.0, "user_id": 10000.0, "operator_id": 10000.0,
	}, b.notice())
	b.fails(1200, "set_group_leave", object{"group_id": 7})
}

func TestFriend_EventsAndActions(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	f := s.Friend(1, "张三")
	b := connected(t, s)
	f.Poke()
	assert.Equal(t, object{
		"notice_type": "notify", "sub_type": "poke", "user_id": 1.0, "sender_id": 1.0, "target_id": 10000.0, "raw_info": []any{},
	}, b.notice())
	b.do("friend_poke", object{"user_id": 1})
	got := b.notice()
	assert.Equal(t, 1.0, got["user_id"], "NapCat's friend, not who poked")
	assert.Equal(t, 10000.0, got["sender_id"])
	b.do("send_poke", object{"user_id": 1})
	b.fails(1200, "friend_poke", object{"user_id": 2})
}

func TestRequest_Answers(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	b := connected(t, s)

	flag := s.FriendRequest(5, "小明", "我是小明")
	assert.Equal(t, object{"request_type": "friend", "user_id": 5.0, "comment": "我是小明", "flag": flag}, b.notice())
	b.fails(1200, "set_group_add_request", object{"flag": flag})
	b.do("set_friend_add_request", object{"flag": flag, "remark": "明"})
	assert.Equal(t, object{"notice_type": "friend_add", "user_id": 5.0}, b.notice())
	b.fails(1200, "set_friend_add_request", object{"flag": flag})
	b.fails(1400, "set_friend_add_request", nil)
	assert.Equal(t, []any{object{"user_id": 5.0, "nickname": "小明", "remark": "明"}}, b.do("get_friend_list", nil))

	no := s.FriendRequest(6, "", "")
	b.notice()
	b.do("set_friend_add_request", object{"flag": no, "approve": false})

	invite := s.GroupInvite(8, "八", 5)
	assert.Equal(t, object{
		"request_type": "group", "sub_type": "invite", "group_id": 8.0, "user_id": 5.0, "comment": "", "flag": invite,
	}, b.notice())
	assert.Len(t, b.do("get_group_list", nil), 1)
	b.do("set_group_add_request", object{"flag": invite, "sub_type": "invite", "approve": "true"})
	got := b.notice()
	assert.Equal(t, "invite", got["sub_type"])
	assert.Equal(t, 10000.0, got["user_id"])
	assert.Len(t, b.do("get_group_list", nil), 2)

	add := g.JoinRequest(9, "放我进来")
	b.notice()
	b.do("set_group_add_request", object{"flag": add, "sub_type": "add", "approve": false, "reason": "不认识"})

	all := s.Requests()
	require.Len(t, all, 4)
	assert.Equal(t, onebottest.Request{
		Flag: flag, Kind: "friend", UserID: 5, Comment: "我是小明", Answered: true, Approved: true, AnswerText: "明",
	}, all[0])
	assert.False(t, all[1].Approved)
	assert.Equal(t, onebottest.Request{
		Flag: add, Kind: "add", UserID: 9, GroupID: 7, Comment: "放我进来", Answered: true, AnswerText: "不认识",
	}, all[3])
	assert.Empty(t, b.held)
}
