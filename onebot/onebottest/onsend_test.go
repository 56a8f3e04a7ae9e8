package onebottest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestOnSend_BeforeResponse(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	b := connected(t, s)
	s.OnSend(func(m onebottest.ChatMessage) {
		if m.Message.CQ() == "你好" {
			g.Say(1, text("你也好"))
		}
	})
	b.do("send_group_msg", object{"group_id": 7, "message": hello})
	assert.Equal(t, "你也好", b.event()["raw_message"])
	b.fails(1200, "send_group_msg", object{"group_id": 8, "message": hello})
	assert.Len(t, s.History(g.Chat()), 2)
}

// Concurrent use of everything, for the race detector.
func TestServer_ConcurrentUse(t *testing.T) {
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
		func() { g.Join(5, ""); g.Member(5, "五").WithCard("c").WithRole("admin").SetCard("d"); g.Leave(5) },
		func() { g.Ban(self, time.Millisecond); g.Ban(self, 0) },
		func() { s.Sent(); s.Calls(); s.History(g.Chat()); s.Requests(); s.Links() },
		func() { s.FriendRequest(9, "n", "c"); g.Poke(1, 2); f.Poke() },
		func() {
			s.DelayResponse("", time.Microsecond)
			s.Fail("", 1200, 1)
			s.WithholdResponse("", 1)
			s.HalfOpen(false)
		},
		func() { s.SendLargeEvent(100); s.SendRaw(nil); s.RepeatMessage(1); s.Emit(object{}) },
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
