package onebottest_test

import (
	"context"
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

// A guest is an onebot.Client of a Server that records its events.
type guest struct {
	*onebot.Client
	t      *testing.T
	events chan onebot.Event
	ended  chan error
	leave  context.CancelFunc
	snow   bool // of SnowLuma
}

// visit runs a client until the test ends and waits until it is connected.
func visit(t *testing.T, s *onebottest.Server, o onebot.Options) *guest {
	t.Helper()
	g := enter(t, s, o)
	require.IsType(t, &onebot.Lifecycle{}, g.event())
	return g
}

// enter runs a client.
func enter(t *testing.T, s *onebottest.Server, o onebot.Options) *guest {
	ctx, cancel := context.WithCancel(context.Background())
	g := &guest{s.Client(o), t, make(chan onebot.Event, 100_000), make(chan error, 1), cancel, s.Events() == onebottest.LikeSnowLuma}
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.ended <- g.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) { g.events <- e })
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(patience):
			t.Error("Run does not return")
		}
	})
	return g
}

// isSnowLumaGreeting reports SnowLuma's second and third frame and its heartbeats.
func isSnowLumaGreeting(e onebot.Event) bool {
	switch e := e.(type) {
	case *onebot.Lifecycle:
		return e.SubType == "enable"
	case *onebot.Heartbeat:
		return e.Interval == 30*time.Second
	}
	return false
}

// event returns the next event, without SnowLuma's greeting.
func (g *guest) event() onebot.Event {
	g.t.Helper()
	for late := time.After(10 * time.Minute); ; { // in the bubble's time
		select {
		case e := <-g.events:
			if !g.snow || !isSnowLumaGreeting(e) {
				return e
			}
		case <-late:
			g.t.Fatal("no event comes")
			return nil
		}
	}
}

// text returns the text of the next event, which must be a message.
func (g *guest) text() string {
	g.t.Helper()
	switch e := g.event().(type) {
	case *onebot.GroupMessage:
		return e.Message.Text()
	case *onebot.PrivateMessage:
		return e.Message.Text()
	default:
		g.t.Fatalf("%T %+v", e, e)
		return ""
	}
}

func (g *guest) say(m string) error {
	_, err := g.Bot().SendGroupMsg(context.Background(), 7, text(m))
	return err
}

func bubble(t *testing.T, o onebottest.Options, f func(t *testing.T, s *onebottest.Server, g *onebottest.Group)) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(o)
		t.Cleanup(s.Close) // before the clients stop
		f(t, s, s.Group(7, "七"))
	})
}

func TestClient_ReceivesEveryEvent(t *testing.T) {
	bubble(t, onebottest.Options{Quirks: onebottest.Quirks{PushOwnMessages: true}}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		zhang := g.Member(1, "张三").WithCard("三哥").WithRole("owner")
		f := s.Friend(2, "李四")
		c := visit(t, s, onebot.Options{})

		id := zhang.Say(onebot.Message{onebot.At(self), onebot.Text(" 在吗")})
		m := c.event().(*onebot.GroupMessage)
		assert.Equal(t, id, m.MessageID)
		assert.Equal(t, []int64{7, 1, self}, []int64{m.GroupID, m.UserID, m.SelfID})
		assert.Equal(t, "三哥", m.Sender.Name())
		assert.Equal(t, "七", m.GroupName)
		assert.True(t, m.Message.Mentions(self))
		assert.Equal(t, time.Now().Unix(), m.Time.Unix())

		id = f.Say(text("晚上好"))
		p := c.event().(*onebot.PrivateMessage)
		assert.Equal(t, []any{id, int64(2), int64(0), "friend"}, []any{p.MessageID, p.UserID, p.GroupID, p.SubType})
		zhang.SayPrivately(text("悄悄"))
		p = c.event().(*onebot.PrivateMessage)
		assert.Equal(t, []any{int64(1), int64(7), "group"}, []any{p.UserID, p.GroupID, p.SubType})

		require.NoError(t, c.say("我在"))
		m = c.event().(*onebot.GroupMessage)
		assert.True(t, m.Own())
		_, err := c.Bot().SendPrivateMsg(t.Context(), 2, text("好"))
		require.NoError(t, err)
		p = c.event().(*onebot.PrivateMessage)
		assert.True(t, p.Own())
		assert.Equal(t, int64(2), p.PeerID())

		s.Recall(m.MessageID)
		assert.Equal(t, m.MessageID, c.event().(*onebot.GroupRecall).MessageID)
		s.Recall(id)
		assert.Equal(t, id, c.event().(*onebot.FriendRecall).MessageID)
		g.Ban(self, time.Minute)
		assert.Equal(t, time.Minute, c.event().(*onebot.GroupBan).Duration)
		g.Ban(self, 0)
		assert.True(t, c.event().(*onebot.GroupBan).Lifted())
		g.Ban(0, 1)
		assert.True(t, c.event().(*onebot.GroupBan).Whole())
		g.Join(5, "新人")
		assert.Equal(t, int64(5), c.event().(*onebot.GroupIncrease).UserID)
		g.Member(5, "").SetCard("小新")
		assert.Equal(t, "小新", c.event().(*onebot.GroupCard).New)
		g.Poke(5, self)
		poke := c.event().(*onebot.Poke)
		assert.Equal(t, []int64{7, 5, self}, []int64{poke.GroupID, poke.UserID, poke.TargetID})
		g.Leave(5)
		assert.Equal(t, "leave", c.event().(*onebot.GroupDecrease).SubType)
		f.Poke()
		assert.Equal(t, int64(2), c.event().(*onebot.Poke).UserID)
		require.NoError(t, c.Bot().FriendPoke(t.Context(), 2))
		assert.Equal(t, int64(self), c.event().(*onebot.Poke).UserID, "who poked, though NapCat gives the friend")

		flag := s.FriendRequest(9, "小明", "是我")
		assert.Equal(t, flag, c.event().(*onebot.FriendRequest).Flag)
		require.NoError(t, c.Bot().SetFriendAddRequest(t.Context(), flag, true, "明"))
		assert.Equal(t, int64(9), c.event().(*onebot.FriendAdd).UserID)
		flag = s.GroupInvite(8, "八", 9)
		r := c.event().(*onebot.GroupRequest)
		assert.Equal(t, []any{flag, "invite", int64(8), int64(9)}, []any{r.Flag, r.SubType, r.GroupID, r.UserID})
		require.NoError(t, c.Bot().SetGroupAddRequest(t.Context(), flag, "invite", false, "忙"))
		assert.Equal(t, "忙", s.Requests()[1].AnswerText)
		s.SetOnline(false)
		assert.IsType(t, &onebot.BotOffline{}, c.event())
		s.SendLargeEvent(1000)
		assert.IsType(t, &onebot.Unknown{}, c.event())
	})
}

func TestClient_CallsEveryAction(t *testing.T) {
	bubble(t, onebottest.Options{Nickname: "小炉", Quirks: onebottest.Quirks{IDs: onebottest.IDsInt32}}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		g.Member(self, "").WithRole("owner")
		g.Member(1, "张三").WithCard("三哥")
		f := s.Friend(2, "李四").WithRemark("老李")
		said := g.Say(1, text("一"))
		whispered := f.Say(text("二"))
		b, ctx := visit(t, s, onebot.Options{}).Bot(), t.Context()

		login, err := b.GetLoginInfo(ctx)
		require.NoError(t, err)
		assert.Equal(t, onebot.LoginInfo{UserID: self, Nickname: "小炉"}, login)
		status, err := b.GetStatus(ctx)
		require.NoError(t, err)
		assert.True(t, status.Good)
		version, err := b.GetVersionInfo(ctx)
		require.NoError(t, err)
		assert.Equal(t, "NapCat.Onebot", version.AppName)
		friends, err := b.GetFriendList(ctx)
		require.NoError(t, err)
		assert.Equal(t, []onebot.Friend{{UserID: 2, Nickname: "李四", Remark: "老李"}}, friends)
		stranger, err := b.GetStrangerInfo(ctx, 1, true)
		require.NoError(t, err)
		assert.Equal(t, "张三", stranger.Nickname)
		group, err := b.GetGroupInfo(ctx, 7, false)
		require.NoError(t, err)
		groups, err := b.GetGroupList(ctx)
		require.NoError(t, err)
		assert.Equal(t, []onebot.GroupInfo{group}, groups)
		member, err := b.GetGroupMemberInfo(ctx, 7, 1, false)
		require.NoError(t, err)
		assert.Equal(t, "三哥", member.Name())
		members, err := b.GetGroupMemberList(ctx, 7)
		require.NoError(t, err)
		assert.Equal(t, member, members[1])

		m, err := b.GetMsg(ctx, int64(uint32(said)))
		require.NoError(t, err)
		assert.Equal(t, said, m.(*onebot.GroupMessage).MessageID)
		history, err := b.GetGroupMsgHistory(ctx, 7, 0, 10)
		require.NoError(t, err)
		require.Len(t, history, 1)
		assert.Equal(t, "一", history[0].Message.Text())
		private, err := b.GetFriendMsgHistory(ctx, 2, whispered, 10)
		require.NoError(t, err)
		require.Len(t, private, 1)

		id, err := b.SendGroupMsg(ctx, 7, onebot.Message{onebot.Reply(said), onebot.At(1), onebot.Text("[CQ:at,qq=all]"), onebot.Face(1)})
		require.NoError(t, err)
		sent := s.Sent()[0]
		assert.Equal(t, id, sent.MessageID)
		assert.Equal(t, "&#91;CQ:at,qq=all&#93;", onebot.Message{sent.Message[2]}.CQ(), "text stays text")
		require.NoError(t, b.DeleteMsg(ctx, id))
		assert.True(t, s.Sent()[0].Retracted)
		require.NoError(t, b.GroupPoke(ctx, 7, 1))
		require.NoError(t, b.SetGroupBan(ctx, 7, 1, time.Minute))
		require.NoError(t, b.SetGroupCard(ctx, 7, 1, "新名"))
		require.NoError(t, b.SetGroupKick(ctx, 7, 1, false))
		require.NoError(t, b.SetGroupLeave(ctx, 7, false))
		assert.ErrorIs(t, b.GroupPoke(ctx, 7, 1), onebot.ErrFailed)
		assert.ErrorIs(t, b.Call(ctx, "no_such", nil, nil), onebot.ErrUnknownAction)
		assert.ErrorIs(t, b.Call(ctx, "get_msg", nil, nil), onebot.ErrBadParams)
	})
}

func TestClient_WrongToken(t *testing.T) {
	for _, status := range []bool{false, true} {
		bubble(t, onebottest.Options{Token: "right", Quirks: onebottest.Quirks{RejectBeforeUpgrade: status}},
			func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
				start := time.Now()
				c := enter(t, s, onebot.Options{Token: "wrong"})
				err := <-c.ended
				var auth *onebot.AuthError
				require.ErrorAs(t, err, &auth)
				require.ErrorIs(t, err, onebot.ErrAuth)
				assert.NotContains(t, err.Error(), "wrong")
				assert.Less(t, time.Since(start), 10*time.Second)
				visit(t, s, onebot.Options{}) // with the server's token
			})
	}
}

func TestClient_OverAPort(t *testing.T) {
	s := onebottest.New(onebottest.Options{Token: "密"})
	defer s.Close()
	g := s.Group(7, "")
	ctx, cancel := context.WithCancel(t.Context())
	c := must(onebot.NewClient(s.Start(), onebot.Options{Token: "密"}))
	ended := make(chan error)
	go func() { ended <- c.Run(ctx, echo) }()
	require.NoError(t, s.WaitLink(ctx))
	g.Say(1, onebot.Message{onebot.At(self)})
	_, err := s.WaitSent(ctx, 1)
	assert.NoError(t, err)
	cancel()
	assert.NoError(t, <-ended)
}

func TestClient_Quirks(t *testing.T) {
	for _, h := range []onebottest.Quirks{
		{CQStrings: true, PushOwnMessages: true, IDs: onebottest.IDsUint32},
		{CQStrings: true, IDs: onebottest.IDsInt32},
		{PushOwnMessages: true, IDs: onebottest.IDsUint32},
	} {
		bubble(t, onebottest.Options{Quirks: h}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
			c := visit(t, s, onebot.Options{})
			for range 20 {
				want := onebot.Message{onebot.At(self), onebot.Text(" [CQ:face,id=1] &amp; a,b")}
				id := g.Say(1, want)
				m := c.event().(*onebot.GroupMessage)
				assert.Equal(t, want.CQ(), m.Message.CQ())
				assert.Equal(t, id, m.MessageID)
				own, err := c.Bot().SendGroupMsg(t.Context(), 7, onebot.Message{onebot.Reply(id), onebot.Text("[好]")})
				require.NoError(t, err)
				if h.PushOwnMessages {
					assert.True(t, c.event().(*onebot.GroupMessage).Own())
				}
				history, err := c.Bot().GetGroupMsgHistory(t.Context(), 7, own, 2)
				require.NoError(t, err)
				require.Len(t, history, 2)
				assert.Equal(t, want.CQ(), history[0].Message.CQ())
				assert.True(t, history[1].Own())
				reply, _ := history[1].Message.ReplyID()
				assert.Equal(t, fmt.Sprint(id), reply)
				require.NoError(t, c.Bot().DeleteMsg(t.Context(), int64(int32(own))))
				c.event()
			}
		})
	}
}

// The retcodes of all implementations, by class.
func TestClient_RetcodeClasses(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		c := visit(t, s, onebot.Options{})
		all := []error{onebot.ErrBadParams, onebot.ErrUnknownAction, onebot.ErrAuth, onebot.ErrFailed, onebot.ErrUnclear, onebot.ErrTimeout, onebot.ErrDisconnected}
		for code, want := range map[int]error{
			1400: onebot.ErrBadParams, 1404: onebot.ErrUnknownAction, 404: onebot.ErrUnknownAction, 1401: onebot.ErrAuth,
			1403: onebot.ErrAuth, 1200: onebot.ErrFailed, 200: onebot.ErrFailed, 100: onebot.ErrFailed, -1: onebot.ErrFailed,
		} {
			s.Fail("send_group_msg", code, 1)
			err := c.say("喂")
			var api *onebot.APIError
			require.ErrorAs(t, err, &api)
			assert.Equal(t, code, api.Code)
			for _, class := range all {
				assert.Equal(t, class == want, errors.Is(err, class), "%d %v", code, class)
			}
		}
		s.UnconfirmSends(1)
		assert.ErrorIs(t, c.say("到了没"), onebot.ErrUnclear)
		assert.Len(t, s.Sent(), 1)
		g.Ban(self, time.Hour)
		err := c.say("喂")
		assert.ErrorIs(t, err, onebot.ErrFailed)
		assert.NotErrorIs(t, err, onebot.ErrUnclear)
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
