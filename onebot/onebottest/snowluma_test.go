package onebottest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestSnowLuma_Greeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := of(t, "SnowLuma", onebottest.Options{})
		b := dial(t, s, "/event", nil)
		start := time.Now()
		assert.Equal(t, "connect", b.read()["sub_type"])
		assert.Equal(t, "enable", b.read()["sub_type"])
		for i := range 3 {
			beat := b.read()
			assert.Equal(t, 30_000.0, beat["interval"])
			assert.Equal(t, object{"online": true, "good": true}, beat["status"])
			assert.Equal(t, time.Duration(i)*30*time.Second, time.Since(start))
		}
		_, resp, err := websocket.Dial(t.Context(), "ws://x/onebot", &websocket.DialOptions{HTTPClient: s.HTTPClient()})
		require.Error(t, err)
		assert.Equal(t, 400, resp.StatusCode)
		s.Close()
	})
}

// The bot's private message has one id in the response and another one in its event. Both name it.
func TestSnowLuma_IDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quirks := onebottest.SnowLuma
		quirks.PushOwnMessages = true
		var before []int64
		for range 2 { // a restart
			s := onebottest.New(onebottest.Options{Quirks: quirks})
			f, g := s.Friend(3, ""), s.Group(7, "")
			s.Friend(4, "")
			c := visit(t, s, onebot.Options{})
			var ids []int64
			negative := false
			for i := range 20 {
				ids = append(ids, f.Say(text(fmt.Sprint(i))), g.Say(1, text(fmt.Sprint(i))))
				negative = negative || ids[2*i] < 0
				c.event()
				c.event()
			}
			assert.True(t, negative)
			if before != nil {
				assert.Equal(t, before, ids)
			}
			before = ids

			id, err := c.Bot().SendGroupMsg(t.Context(), 7, text("群"))
			require.NoError(t, err)
			assert.Equal(t, id, c.event().(*onebot.GroupMessage).MessageID)
			id, err = c.Bot().SendPrivateMsg(t.Context(), 3, text("好"))
			require.NoError(t, err)
			echo := c.event().(*onebot.PrivateMessage)
			assert.True(t, echo.Own())
			assert.NotEqual(t, id, echo.MessageID)
			assert.Equal(t, id, s.Sent()[1].MessageID)
			history, err := c.Bot().GetFriendMsgHistory(t.Context(), 3, 0, 1)
			require.NoError(t, err)
			assert.Equal(t, echo.MessageID, history[0].MessageID)
			other, err := c.Bot().SendPrivateMsg(t.Context(), 4, text("好"))
			require.NoError(t, err)
			assert.NotEqual(t, id, other)
			assert.NotEqual(t, echo.MessageID, c.event().(*onebot.PrivateMessage).MessageID)
			for _, known := range []int64{id, echo.MessageID} {
				got, err := c.Bot().GetMsg(t.Context(), known)
				require.NoError(t, err)
				assert.Equal(t, "好", got.(*onebot.PrivateMessage).Message.Text())
			}
			require.NoError(t, c.Bot().DeleteMsg(t.Context(), id))
			assert.Equal(t, echo.MessageID, c.event().(*onebot.FriendRecall).MessageID)
			s.Close()
		}
	})
}

func TestSnowLuma_StatusCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := of(t, "SnowLuma", onebottest.Options{})
		g, f := s.Group(7, ""), s.Friend(3, "")
		c := visit(t, s, onebot.Options{})
		g.Say(1, text(" #SL "))
		assert.Equal(t, " #SL ", c.text(), "the bot gets it all the same, but not the answer")
		require.Len(t, s.History(g.Chat()), 2)
		assert.EqualValues(t, self, s.History(g.Chat())[1].UserID)
		assert.Empty(t, s.Sent(), "it is none of the bot")
		g.Say(2, text("#sl"))
		assert.Len(t, s.History(g.Chat()), 3, "too soon")
		f.Say(text("#sl"))
		assert.Len(t, s.History(f.Chat()), 2, "another chat")
		time.Sleep(5 * time.Second)
		g.Say(2, text("#sl"))
		g.Say(2, text("#sl?"))
		assert.Len(t, s.History(g.Chat()), 6)
		s.Close()

		s = of(t, "NapCat", onebottest.Options{})
		s.Group(7, "").Say(1, text("#sl"))
		assert.Len(t, s.History(onebottest.GroupChat(7)), 1)
	})
}

func TestSnowLuma_Sends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := of(t, "SnowLuma", onebottest.Options{})
		s.Group(7, "")
		s.Friend(3, "")
		b := connected(t, s)
		odd := []object{{"type": "at", "data": object{"qq": "3"}}, {"type": "hologram", "data": object{}}, {"type": "text", "data": object{"text": "好"}}}
		b.do("send_group_msg", object{"group_id": 7, "message": odd})
		b.do("send_private_msg", object{"user_id": 3, "message": odd})
		assert.Equal(t, "@3好", s.Sent()[0].Message.Text())
		assert.Equal(t, "好", s.Sent()[1].Message.Text())
		for wording, params := range map[string]object{
			"message is empty": {"user_id": 3, "message": odd[:2]},
			"send private message rejected: result=16 err=": {"user_id": self, "message": "x"},
		} {
			no := b.call("send_private_msg", params)
			assert.Equal(t, []any{100.0, wording}, []any{no["retcode"], no["wording"]})
			assert.NotContains(t, no, "message")
		}

		c := visit(t, s, onebot.Options{})
		s.UnconfirmSends(1)
		_, err := c.Bot().SendGroupMsg(t.Context(), 7, text("x"))
		assert.ErrorIs(t, err, onebot.ErrUnclear)
		assert.Len(t, s.Sent(), 3, "it was delivered")
		_, err = c.Bot().SendGroupMsg(t.Context(), 8, text("x"))
		assert.ErrorIs(t, err, onebot.ErrFailed)
		assert.NotErrorIs(t, err, onebot.ErrUnclear)
		s.Close()
	})
}

func TestSnowLuma_History(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := of(t, "SnowLuma", onebottest.Options{})
		g := s.Group(7, "")
		var ids []int64
		for i := range 250 {
			ids = append(ids, g.Say(1, text(fmt.Sprint(i))))
		}
		b := connected(t, s)
		page := func(params object) []any {
			params["group_id"] = 7
			return b.do("get_group_msg_history", params).(object)["messages"].([]any)
		}
		assert.Len(t, page(object{}), 20)
		assert.Len(t, page(object{"count": 0}), 20)
		assert.Len(t, page(object{"count": 1000}), 200)
		assert.Empty(t, page(object{"message_id": 12345}), "an unknown anchor")
		assert.Equal(t, page(object{"count": 3}), page(object{"count": 3, "message_seq": ids[100]}), "NapCat's anchor is ignored")
		last := page(object{"count": 3, "message_id": ids[100]})[2].(object)
		assert.Equal(t, float64(ids[100]), last["message_id"])
		assert.Equal(t, last["message_id"], last["real_id"])
		assert.NotContains(t, last, "post_type")
		assert.NotContains(t, last, "self_id")
		s.Close()
	})
}

func TestSnowLuma_LargeRequest(t *testing.T) {
	s := of(t, "SnowLuma", onebottest.Options{})
	s.Group(7, "")
	call := httpCall{"POST", "/send_group_msg", jsonKind, `{"group_id":7,"message":"` + strings.Repeat("x", 2<<20) + `"}`, ""}
	status, _ := call.ask(t, s)
	assert.Zero(t, status)
	assert.Empty(t, s.Sent())
	_, body := httpCall{"POST", "/", jsonKind, `{"action":"send_group_msg","params":{"group_id":7,"message":"x"},"echo":[1]}`, ""}.ask(t, s)
	assert.Contains(t, body, `"echo":[1]`)
	assert.Len(t, s.Sent(), 1)
	for body, want := range map[httpCall]int{
		{"POST", "/", jsonKind, `[]`, ""}:                                      400,
		{"POST", "/get_status", "", `echo=1`, ""}:                              200,
		{"POST", "/", formKind, `action=get_status`, ""}:                       200,
		{"POST", "/send_group_msg", formKind, `group_id=7&message=%5B%5D`, ""}: 200,
	} {
		status, _ := body.ask(t, s)
		assert.Equal(t, want, status, body)
	}
}
