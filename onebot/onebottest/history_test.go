package onebottest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// texts returns the messages of a history in CQ form.
func texts(data any) (all []string) {
	for _, m := range data.(object)["messages"].([]any) {
		all = append(all, m.(object)["raw_message"].(string))
	}
	return all
}

func TestHistory_Paging(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	f := s.Friend(1, "")
	ids := make([]int64, 25)
	for i := range ids { // while no bot is connected
		ids[i] = g.Say(int64(1+i%3), text(fmt.Sprint(i)))
	}
	b := connected(t, s)
	b.do("send_group_msg", object{"group_id": 7, "message": "我在"})
	s.Recall(ids[23])
	b.event()

	all := texts(b.do("get_group_msg_history", object{"group_id": 7}))
	require.Len(t, all, 20, "the default")
	assert.Equal(t, []string{"21", "22", "24", "我在"}, all[16:])
	assert.Equal(t, []string{"24", "我在"}, texts(b.do("get_group_msg_history", object{"group_id": 7, "count": 2, "message_seq": 0})))
	assert.Equal(t, []string{"3", "4", "5"}, texts(b.do("get_group_msg_history", object{"group_id": "7", "count": "3", "message_seq": ids[5]})))
	assert.Equal(t, []string{"0", "1"}, texts(b.do("get_group_msg_history", object{"group_id": 7, "message_seq": ids[1]})))
	assert.Empty(t, texts(b.do("get_group_msg_history", object{"group_id": 9})))
	b.fails(1200, "get_group_msg_history", object{"group_id": 7, "message_seq": 1})
	b.fails(1400, "get_group_msg_history", nil)

	history := s.History(g.Chat())
	require.Len(t, history, 26)
	assert.True(t, history[23].Retracted)
	assert.Equal(t, s.Sent()[0], history[25])

	f.Say(text("私聊"))
	assert.Equal(t, []string{"私聊"}, texts(b.do("get_friend_msg_history", object{"user_id": 1})))
	b.fails(1200, "get_friend_msg_history", object{"user_id": 1, "message_seq": ids[0]})

	got := b.do("get_msg", object{"message_id": fmt.Sprint(ids[2])}).(object)
	assert.Equal(t, "2", got["raw_message"])
	assert.Equal(t, 3.0, got["user_id"])
	b.fails(1200, "get_msg", object{"message_id": ids[23]})
}

func TestRecall_Events(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	f := s.Friend(1, "")
	b := connected(t, s)

	id := g.Say(2, text("错了"))
	b.event()
	assert.True(t, s.Recall(id))
	assert.False(t, s.Recall(id), "only once")
	assert.Equal(t, object{
		"notice_type": "group_recall", "group_id": 7.0, "user_id": 2.0, "operator_id": 2.0, "message_id": float64(id),
	}, b.notice())

	id = g.Say(2, text("广告"))
	b.event()
	s.RecallBy(id, 3)
	assert.Equal(t, 3.0, b.notice()["operator_id"])

	at := time.Unix(1_600_000_000, 0)
	id = f.SayAt(at, text("错了"))
	b.event()
	s.Recall(id)
	assert.Equal(t, object{
		"time": float64(at.Unix()), "self_id": 10000.0, "post_type": "notice",
		"notice_type": "friend_recall", "user_id": 1.0, "message_id": float64(id),
	}, b.event(), "with the time of the message")

	mine := b.do("send_group_msg", object{"group_id": 7, "message": hello}).(object)["message_id"]
	b.do("delete_msg", object{"message_id": mine})
	assert.Equal(t, "group_recall", b.notice()["notice_type"])
	assert.True(t, s.Sent()[0].Retracted)
	b.fails(1200, "delete_msg", object{"message_id": mine})

	id = g.Say(2, text("别人的"))
	b.event()
	b.fails(1200, "delete_msg", object{"message_id": id})
	g.Member(self, "").WithRole("admin")
	b.do("delete_msg", object{"message_id": id})
	assert.Equal(t, 10000.0, b.notice()["operator_id"])
}
