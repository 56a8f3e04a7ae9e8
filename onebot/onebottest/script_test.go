package onebottest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		g := s.Group(7, "")
		f := s.Friend(1, "")
		start := time.Now()
		poked := time.Duration(0)
		require.NoError(t, s.Play(t.Context(), onebottest.Script{
			{Chat: g.Chat(), UserID: 2, Message: text("一")},
			{After: time.Second, Chat: g.Chat(), UserID: 3, Message: text("二")},
			{After: time.Minute, Chat: f.Chat(), Message: text("三")},
			{After: time.Hour, Do: func(s *onebottest.Server) { poked = time.Since(start) }},
			{Chat: f.Chat(), UserID: self, Message: text("四")},
		}))
		var all []string
		for _, c := range []onebottest.Chat{g.Chat(), f.Chat()} {
			for _, m := range s.History(c) {
				all = append(all, m.At.Sub(start).String()+" "+m.Message.CQ())
			}
		}
		assert.Equal(t, []string{"0s 一", "1s 二", "1m1s 三", "1h1m1s 四"}, all)
		assert.Equal(t, time.Hour+61*time.Second, poked)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, s.Play(ctx, onebottest.Script{{After: time.Hour, Chat: f.Chat()}}), context.DeadlineExceeded)
		for _, l := range []onebottest.Line{
			{Chat: onebottest.GroupChat(9), UserID: 1},
			{Chat: onebottest.PrivateChat(9)},
			{Chat: g.Chat()},
			{},
		} {
			assert.ErrorContains(t, s.Play(t.Context(), onebottest.Script{{Chat: g.Chat(), UserID: 2}, l}), "line 2")
		}
		assert.Len(t, s.History(g.Chat()), 2, "a bad script is refused whole")
	})
}

func TestOnSend(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	b := connected(t, s)
	s.OnSend(func(m onebottest.Sent) {
		if m.Message.CQ() == "你好" {
			g.Say(1, text("你也好"))
		}
	})
	b.do("send_group_msg", object{"group_id": 7, "message": hello})
	assert.Equal(t, "你也好", b.event()["raw_message"])
	b.fails(1200, "send_group_msg", object{"group_id": 8, "message": hello})
	assert.Len(t, s.History(g.Chat()), 2)
}

// Everything at once, for the race detector.
func TestConcurrentUse(t *testing.T) {
	s := onebottest.New(onebottest.Options{Heartbeat: time.Millisecond})
	g := s.Group(7, "")
	f := s.Friend(1, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 3 {
		b := connected(t, s)
		go func() {
			for ctx.Err() == nil {
				if _, _, err := b.conn.Read(ctx); err != nil {
					return
				}
			}
		}()
		go func() {
			for ctx.Err() == nil {
				b.conn.Write(ctx, 1, []byte(`{"action":"send_group_msg","params":{"group_id":7,"message":"x"}}`))
			}
		}()
	}
	for _, do := range []func(){
		func() { g.Say(2, text("y")) },
		func() { s.Recall(f.Say(text("z"))) },
		func() { g.Join(5, ""); g.Member(5, "五").Card("c").Role("admin").Rename("d"); g.Leave(5) },
		func() { g.Ban(self, time.Millisecond); g.Ban(self, 0) },
		func() { s.Sent(); s.Calls(); s.History(g.Chat()); s.Requests(); s.Links() },
		func() { s.FriendRequest(9, "n", "c"); g.Poke(1, 2); f.Poke() },
		func() { s.Delay("", time.Microsecond); s.Fail("", 1200, 1); s.Withhold("", 1); s.HalfOpen(false) },
		func() { s.SendBig(100); s.Raw(nil); s.Repeat(1); s.Emit(object{}) },
	} {
		go func() {
			for ctx.Err() == nil {
				do()
				time.Sleep(100 * time.Microsecond)
			}
		}()
	}
	_, err := s.WaitSent(ctx, 200)
	require.NoError(t, err)
	cancel()
	s.Close()
}
