package onebottest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// each runs a test in a bubble against every implementation.
func each(t *testing.T, o onebottest.Options, test func(t *testing.T, s *onebottest.Server)) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o.Quirks = habits
				s := onebottest.New(o)
				t.Cleanup(s.Close)
				test(t, s)
			})
		})
	}
}

// A peer is a bot of this module connected to a Server over any transport.
type peer struct {
	t      *testing.T
	bot    *onebot.Bot
	events chan onebot.Event
}

// next returns the next event of type E and skips others.
func next[E onebot.Event](p *peer) E {
	p.t.Helper()
	for {
		select {
		case e := <-p.events:
			if e, ok := e.(E); ok {
				return e
			}
		case <-time.After(10 * time.Minute):
			var none E
			p.t.Fatalf("no %T comes", none)
			return none
		}
	}
}

// ways are the transports between a bot and a Server.
var ways = map[string]func(t *testing.T, s *onebottest.Server) *peer{
	"forward": func(t *testing.T, s *onebottest.Server) *peer {
		c := visit(t, s, onebot.Options{Token: "密"})
		return &peer{t, c.Bot(), c.events}
	},
	"reverse": func(t *testing.T, s *onebottest.Server) *peer {
		h := host(t, onebot.Options{Token: "密"})
		h.join(s, "", 5*time.Second)
		return h.peer(s)
	},
	"reverse split": func(t *testing.T, s *onebottest.Server) *peer {
		h := host(t, onebot.Options{Token: "密"})
		h.join(s, "API", 5*time.Second)
		h.join(s, "Event", 5*time.Second)
		return h.peer(s)
	},
}

func (h *home) peer(s *onebottest.Server) *peer {
	h.t.Helper()
	bot, ok := h.Bot(s.SelfID())
	require.True(h.t, ok)
	return &peer{h.t, bot, h.events}
}

// A complete scenario with the clients of this module, against each implementation.
func TestPresets_OverWebSocket(t *testing.T) {
	for way, connect := range ways {
		t.Run(way, func(t *testing.T) {
			each(t, onebottest.Options{Token: "密", Heartbeat: 15 * time.Second}, func(t *testing.T, s *onebottest.Server) {
				settle(s)
				live(t, s, connect(t, s), true)
			})
		})
	}
}

// settle sets up the state for live.
func settle(s *onebottest.Server) {
	g := s.Group(7, "七 <&>")
	g.Member(self, "").WithRole("owner")
	g.Member(1, "张三 🔥").WithCard("三哥")
	g.Member(2, "李四")
	s.Friend(3, "王五")
}

// live runs the scenario; beats reports whether heartbeats are pushed.
func live(t *testing.T, s *onebottest.Server, p *peer, beats bool) {
	ctx := t.Context()
	g, f := s.Group(7, ""), s.Friend(3, "")

	// messages in any form
	said := onebot.Message{onebot.At(self), onebot.Text(" 在吗 [x] &amp; 🔥<b>"), onebot.Face(5)}
	id := g.Say(1, said)
	m := next[*onebot.GroupMessage](p)
	assert.Equal(t, []int64{7, 1, id, self}, []int64{m.GroupID, m.UserID, m.MessageID, m.SelfID})
	assert.True(t, m.Message.Mentions(self))
	require.Len(t, m.Message, 3)
	assert.Equal(t, said[1].Param("text"), m.Message[1].Param("text"))
	assert.Equal(t, int64(5), m.Message[2].Int("id"))
	assert.Equal(t, []string{"张三 🔥", "三哥", "member"}, []string{m.Sender.Nickname, m.Sender.Card, m.Sender.Role})
	assert.False(t, m.Own())
	f.Say(text("悄悄"))
	assert.Equal(t, int64(3), next[*onebot.PrivateMessage](p).PeerID())
	g.Member(2, "").SayPrivately(text("临时"))
	whisper := next[*onebot.PrivateMessage](p)
	assert.Equal(t, []any{int64(2), "group"}, []any{whisper.PeerID(), whisper.SubType}, "the chat is not the group's")

	// sending, reading, recalling
	reply, err := p.bot.SendGroupMsg(ctx, 7, onebot.Message{onebot.Reply(id), onebot.Text("在")})
	require.NoError(t, err)
	assert.Equal(t, reply, s.Sent()[0].MessageID)
	_, err = p.bot.SendPrivateMsg(ctx, 2, text("好"))
	require.NoError(t, err)
	got, err := p.bot.GetMsg(ctx, reply)
	require.NoError(t, err)
	assert.Equal(t, reply, got.(*onebot.GroupMessage).MessageID)
	history, err := p.bot.GetGroupMsgHistory(ctx, 7, 0, 20)
	require.NoError(t, err)
	require.Len(t, history, 2)
	assert.True(t, history[1].Own())
	require.NoError(t, p.bot.DeleteMsg(ctx, reply))
	assert.Equal(t, onebot.MessageKey(reply), onebot.MessageKey(next[*onebot.GroupRecall](p).MessageID))

	// queries and management
	info, err := p.bot.GetGroupInfo(ctx, 7, false)
	require.NoError(t, err)
	assert.Equal(t, "七 <&>", info.Name)
	require.NoError(t, p.bot.SetGroupBan(ctx, 7, 2, time.Minute))
	assert.Equal(t, time.Minute, next[*onebot.GroupBan](p).Duration)
	flag := s.FriendRequest(9, "新朋友", "你好")
	assert.Equal(t, flag, next[*onebot.FriendRequest](p).Flag)
	require.NoError(t, p.bot.SetFriendAddRequest(ctx, flag, true, "新"))
	assert.Equal(t, int64(9), next[*onebot.FriendAdd](p).UserID)
	f.Poke()
	poke := next[*onebot.Poke](p)
	assert.Equal(t, []int64{3, self, 3}, []int64{poke.UserID, poke.TargetID, poke.PeerID()})

	// failures, by class
	_, err = p.bot.SendGroupMsg(ctx, 99, text("谁"))
	assert.ErrorIs(t, err, onebot.ErrFailed)
	assert.ErrorIs(t, p.bot.Call(ctx, "no_such", nil, nil), onebot.ErrUnknownAction)
	s.WithholdResponse("send_group_msg", 1)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = p.bot.SendGroupMsg(short, 7, text("喂"))
	assert.ErrorIs(t, err, onebot.ErrUnclear)

	// all events of an implementation, and the passage of time
	events := s.Extensions()
	for _, ev := range events {
		s.Emit(ev)
	}
	for range events {
		e := next[onebot.Event](p)
		for {
			if _, beat := e.(*onebot.Heartbeat); !beat {
				break
			}
			e = next[onebot.Event](p)
		}
		assert.Equal(t, int64(self), e.EventSelfID(), "%s", e.Raw())
	}
	time.Sleep(10 * time.Minute)
	if beats {
		next[*onebot.Heartbeat](p)
	}
	_, err = p.bot.GetStatus(ctx)
	require.NoError(t, err, "the watchdog is content")
}

func TestPresets_WrongToken(t *testing.T) {
	each(t, onebottest.Options{Token: "密"}, func(t *testing.T, s *onebottest.Server) {
		c := enter(t, s, onebot.Options{Token: "wrong"})
		select {
		case err := <-c.ended:
			assert.ErrorIs(t, err, onebot.ErrAuth)
		case <-time.After(time.Minute):
			t.Error("it dials on")
		}
	})
}

func TestHandle_AddsActions(t *testing.T) {
	each(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server) {
		p := ways["forward"](t, s)
		s.Handle("get_rkey", func(params json.RawMessage) (any, error) {
			s.Like(1, 1) // OnSend functions may call the Server's methods
			return []string{string(params)}, nil
		})
		var got []string
		require.NoError(t, p.bot.Call(t.Context(), "get_rkey", map[string]int{"a": 1}, &got))
		assert.Equal(t, []string{`{"a":1}`}, got)
		s.Handle("get_rkey", func(json.RawMessage) (any, error) { return nil, &onebot.APIError{Code: 1234, Wording: "没有"} })
		err := p.bot.Call(t.Context(), "get_rkey", nil, nil)
		var api *onebot.APIError
		require.ErrorAs(t, err, &api)
		assert.Equal(t, 1234, api.Code)
		s.Handle("get_rkey", func(json.RawMessage) (any, error) { return nil, errors.New("没有") })
		assert.ErrorIs(t, p.bot.Call(t.Context(), "get_rkey", nil, nil), onebot.ErrFailed)
		s.Handle("get_rkey", nil)
		assert.ErrorIs(t, p.bot.Call(t.Context(), "get_rkey", nil, nil), onebot.ErrUnknownAction)
	})
}

func TestQuirks_Millis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{Quirks: onebottest.Quirks{MillisEvery: 3}})
		defer s.Close()
		p := ways["forward"](t, s)
		for i := range 9 {
			s.Group(7, "").Say(1, text(fmt.Sprint(i)))
			m := next[*onebot.GroupMessage](p)
			assert.Equal(t, time.Now().Unix(), m.Time.Unix())
			var raw struct{ Time int64 }
			require.NoError(t, json.Unmarshal(m.Raw(), &raw))
			assert.Equal(t, i%3 == 2, raw.Time > 1e11)
		}
	})
}

// go-cqhttp's refusals of sends. Only those that may follow a delivered message are unclear.
func TestGoCQHTTP_SendErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{Quirks: onebottest.GoCQHTTP})
		defer s.Close()
		p := ways["forward"](t, s)
		s.Group(7, "").Member(self, "")
		s.Friend(3, "")
		s.Group(8, "").Member(self, "")
		s.Group(8, "").Ban(self, time.Hour)
		for _, k := range []struct {
			action, params, wording string
			unclear                 bool
		}{
			{"send_group_msg", `{"group_id":99,"message":"x"}`, "GROUP_NOT_FOUND: 群聊不存在", false},
			{"send_group_msg", `{"group_id":99,"message":[]}`, "GROUP_NOT_FOUND: 群聊不存在", false},
			{"send_msg", `{"group_id":99,"message":"x"}`, "GROUP_NOT_FOUND: 群聊不存在", false},
			{"send_group_msg", `{"message":"x"}`, "GROUP_NOT_FOUND: 群聊不存在", false},
			{"get_group_info", `{"group_id":99}`, "GROUP_NOT_FOUND: 群聊不存在", false},
			{"send_group_msg", `{"group_id":7,"message":[]}`, "SEND_MSG_API_ERROR: empty message", false},
			{"send_group_msg", `{"group_id":7,"message":""}`, "EMPTY_MSG_ERROR: 消息为空", false},
			{"send_group_msg", `{"group_id":7}`, "EMPTY_MSG_ERROR: 消息为空", false},
			{"send_group_msg", `{"group_id":8,"message":"x"}`, "SEND_MSG_API_ERROR: send group message failed: blocked by server", true},
			{"send_private_msg", `{"user_id":3,"message":[]}`, "SEND_MSG_API_ERROR: 请参考 go-cqhttp 端输出", true},
			{"send_private_msg", `{"user_id":3,"message":""}`, "EMPTY_MSG_ERROR: 消息为空", false},
			{"send_private_msg", `{"user_id":9,"message":"x"}`, "SEND_MSG_API_ERROR: 请参考 go-cqhttp 端输出", true},
		} {
			err := p.bot.Call(t.Context(), k.action, json.RawMessage(k.params), nil)
			var api *onebot.APIError
			require.ErrorAs(t, err, &api, k.params)
			assert.Equal(t, []any{100, k.wording}, []any{api.Code, api.Wording}, "%s %s", k.action, k.params)
			assert.Equal(t, k.unclear, errors.Is(err, onebot.ErrUnclear), "%s %s", k.action, k.params)
		}
		s.UnconfirmSends(1)
		_, err := p.bot.SendGroupMsg(t.Context(), 7, text("x"))
		assert.ErrorIs(t, err, onebot.ErrUnclear)
		assert.Len(t, s.Sent(), 1, "it was delivered")
	})
}

// Fields that only some implementations send.
func TestPresets_EventFields(t *testing.T) {
	each(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server) {
		p := ways["forward"](t, s)
		like := s.Events()
		g := s.Group(100, "")
		g.Member(self, "")
		f := g.Upload(1, "a.txt", []byte("abc"))
		upload := next[*onebot.GroupUpload](p)
		assert.Equal(t, []any{f.ID, "a.txt", int64(3)}, []any{upload.File.ID, upload.File.Name, upload.File.Size})
		assert.Equal(t, like == onebottest.LikeGoCQHTTP, upload.File.URL != "")
		g.Essence(g.Say(1, text("x")), 2, true)
		hasUser := func(e onebot.Event) bool {
			var o map[string]any
			require.NoError(t, json.Unmarshal(e.Raw(), &o))
			return o["user_id"] != nil
		}
		essence := next[*onebot.Essence](p)
		assert.EqualValues(t, 1, essence.SenderID)
		authored := like == onebottest.LikeNapCat || like == onebottest.LikeLLBot || like == onebottest.LikeSnowLuma
		assert.Equal(t, authored, hasUser(essence))
		for _, ev := range s.Extensions() {
			switch s.Emit(ev); e := next[onebot.Event](p).(type) {
			case *onebot.Essence:
				assert.Equal(t, authored, hasUser(e))
			case *onebot.FlashFile, *onebot.ProfileLike:
				assert.False(t, hasUser(e), "%s", e.Raw())
			}
		}
	})
}
