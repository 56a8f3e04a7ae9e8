package onebottest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

var hello = []object{{"type": "text", "data": object{"text": "你好"}}}

func TestSend_MessageForms(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	s.Group(7, "")
	s.Friend(1, "")
	b := connected(t, s)
	for i, tt := range []struct {
		action string
		params object
		chat   onebottest.Chat
		cq     string
	}{
		{"send_group_msg", object{"group_id": 7, "message": hello}, onebottest.GroupChat(7), "你好"},
		{"send_private_msg", object{"user_id": "1", "message": hello}, onebottest.PrivateChat(1), "你好"},
		{"send_msg", object{"message_type": "group", "group_id": 7, "user_id": 1, "message": hello}, onebottest.GroupChat(7), "你好"},
		{"send_msg", object{"message_type": "private", "group_id": 7, "user_id": 1, "message": hello}, onebottest.PrivateChat(1), "你好"},
		{"send_msg", object{"group_id": 7, "message": hello}, onebottest.GroupChat(7), "你好"},
		{"send_msg", object{"user_id": 1, "message": hello}, onebottest.PrivateChat(1), "你好"},
		{"send_group_msg", object{"group_id": 7, "message": hello[0]}, onebottest.GroupChat(7), "你好"},
		{"send_group_msg", object{"group_id": 7, "message": "[CQ:at,qq=1] &amp;"}, onebottest.GroupChat(7), "[CQ:at,qq=1] &amp;"},
		{"send_group_msg", object{"group_id": 7, "message": "[CQ:at,qq=1]", "auto_escape": true}, onebottest.GroupChat(7), "&#91;CQ:at,qq=1&#93;"},
		{"send_group_msg", object{"group_id": 7, "message": "[CQ:at,qq=1]", "auto_escape": "true"}, onebottest.GroupChat(7), "&#91;CQ:at,qq=1&#93;"},
	} {
		before := time.Now()
		got := b.do(tt.action, tt.params).(object)
		sent := s.Sent()
		require.Len(t, sent, i+1)
		last := sent[i]
		assert.Equal(t, got["message_id"], float64(last.MessageID))
		assert.Equal(t, tt.chat, last.Chat)
		assert.Equal(t, tt.cq, last.Message.CQ())
		assert.Equal(t, int64(self), last.UserID)
		assert.WithinRange(t, last.At, before, time.Now())
		history := s.History(tt.chat)
		assert.Equal(t, last, history[len(history)-1])
	}
	assert.Empty(t, b.held, "no echo of own messages unless asked for")

	b.fails(1400, "send_group_msg", object{"message": hello})
	b.fails(1400, "send_group_msg", object{"group_id": 7})
	b.fails(1400, "send_group_msg", object{"group_id": 7, "message": 5})
	b.fails(1200, "send_group_msg", object{"group_id": 7, "message": []any{}})
	b.fails(1200, "send_group_msg", object{"group_id": 7, "message": ""})
	b.fails(1200, "send_msg", object{"message": hello})
	assert.Len(t, s.Sent(), 10)
}

func TestSend_Failures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		g := s.Group(7, "")
		f := s.Friend(1, "")
		g.Member(2, "")
		b := connected(t, s)
		toGroup, toFriend := object{"group_id": 7, "message": hello}, object{"user_id": 1, "message": hello}

		b.fails(1200, "send_group_msg", object{"group_id": 8, "message": hello})
		assert.Equal(t, "无法获取用户信息", b.fails(1200, "send_private_msg", object{"user_id": 99, "message": hello}))
		b.fails(1200, "send_private_msg", object{"user_id": 2, "message": hello})

		g.Ban(self, time.Minute)
		assert.Contains(t, b.fails(1200, "send_group_msg", toGroup), `"result":120`)
		time.Sleep(time.Minute)
		b.do("send_group_msg", toGroup)
		g.Ban(self, time.Minute)
		g.Ban(self, 0)
		b.do("send_group_msg", toGroup)
		g.Ban(0, time.Minute)
		b.fails(1200, "send_group_msg", toGroup)
		g.Member(self, "").WithRole("admin")
		b.do("send_group_msg", toGroup)
		g.Ban(0, 0)

		g.Kick(self, 2)
		b.fails(1200, "send_group_msg", toGroup)
		f.Leave()
		b.fails(1200, "send_private_msg", toFriend)
		s.Friend(1, "")
		s.SetOnline(false)
		b.fails(1200, "send_private_msg", toFriend)
		s.SetOnline(true)
		b.do("send_private_msg", toFriend)
		assert.Len(t, s.Sent(), 4)
	})
}

func TestSend_TemporarySession(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	m := s.Group(7, "七").Member(2, "李四")
	b := connected(t, s)
	m.SayPrivately(text("悄悄话"))
	got := b.event()
	assert.Equal(t, "private", got["message_type"])
	assert.Equal(t, "group", got["sub_type"])
	assert.Equal(t, 7.0, got["group_id"], "the trap that this is about")
	assert.Equal(t, 2.0, got["user_id"])

	b.do("send_private_msg", object{"user_id": 2, "message": hello})
	assert.Len(t, s.History(onebottest.PrivateChat(2)), 2)
	assert.Empty(t, s.History(onebottest.GroupChat(7)))

	s.Group(7, "").Member(3, "")
	b.fails(1200, "send_private_msg", object{"user_id": 3, "message": hello})
	b.do("send_private_msg", object{"user_id": 3, "group_id": 7, "message": hello})
}

func TestSay_MessageEvents(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "七")
	zhang := g.Member(1, "张三 <&>").WithCard("三哥")
	b := connected(t, s)
	at := time.Unix(1_600_000_000, 5)

	id := g.SayAt(1, at, onebot.Message{onebot.At(self), onebot.Text(" 在吗 ")})
	assert.Equal(t, object{
		"time": 1_600_000_000.0, "self_id": 10000.0, "post_type": "message", "message_type": "group", "sub_type": "normal",
		"message_id": float64(id), "message_seq": float64(id), "real_id": float64(id), "real_seq": "1",
		"group_id": 7.0, "group_name": "七", "user_id": 1.0, "font": 14.0,
		"sender":      object{"user_id": 1.0, "nickname": "张三 <&>", "card": "三哥", "role": "member"},
		"raw_message": "[CQ:at,qq=10000] 在吗", "message_format": "array",
		"message": []any{
			object{"type": "at", "data": object{"qq": "10000"}},
			object{"type": "text", "data": object{"text": " 在吗 "}},
		},
	}, b.event())

	zhang.Say(nil)
	assert.Equal(t, []any{}, b.event()["message"], "NapCat sends [] for what it cannot show")

	s.Friend(3, "王五").Say(text("晚上好"))
	got := b.event()
	assert.Equal(t, "private", got["message_type"])
	assert.Equal(t, "friend", got["sub_type"])
	assert.NotContains(t, got, "group_id")
	assert.Equal(t, object{"user_id": 3.0, "nickname": "王五", "card": ""}, got["sender"])

	g.Say(self, text("the owner on the phone"))
	s.RepeatMessage(id)
	assert.Equal(t, float64(id), b.event()["message_id"], "own messages are not pushed")
	assert.False(t, s.RepeatMessage(id+1))
}

func TestQuirks_Single(t *testing.T) {
	s := onebottest.New(onebottest.Options{Quirks: onebottest.Quirks{PushOwnMessages: true, CQStrings: true, IDs: onebottest.IDsInt32}})
	defer s.Close()
	g := s.Group(7, "")
	b := connected(t, s)
	g.Say(1, onebot.Message{onebot.At(self), onebot.Text(" [在]")})
	got := b.event()
	assert.Equal(t, "string", got["message_format"])
	assert.Equal(t, "[CQ:at,qq=10000] &#91;在&#93;", got["message"])

	id := b.do("send_group_msg", object{"group_id": 7, "message": hello}).(object)["message_id"]
	got = b.event()
	assert.Equal(t, "message_sent", got["post_type"])
	assert.Equal(t, "self", got["message_sent_type"])
	assert.Equal(t, id, got["message_id"])
	assert.Equal(t, 10000.0, got["user_id"])

	// the same id in other widths
	n := int64(id.(float64))
	for _, other := range []int64{int64(int32(n)), int64(uint32(n))} {
		assert.Equal(t, id, b.do("get_msg", object{"message_id": other}).(object)["message_id"])
	}
}
