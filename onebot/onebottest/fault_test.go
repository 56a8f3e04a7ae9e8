package onebottest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestFail_Retcode(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	s.Group(7, "")
	b := connected(t, s)
	send := object{"group_id": 7, "message": hello}

	s.Fail("send_group_msg", 1200, 2)
	b.fails(1200, "send_group_msg", send)
	b.do("get_status", nil)
	b.fails(1200, "send_group_msg", send)
	assert.Empty(t, s.Sent(), "what failed did nothing")
	b.do("send_group_msg", send)

	s.Fail("", 1400, 1)
	s.Fail("get_status", 1404, -1)
	b.fails(1404, "get_status", nil)
	b.fails(1400, "get_login_info", nil)
	b.do("get_login_info", nil)
	for range 3 {
		b.fails(1404, "get_status", nil)
	}
	s.Fail("get_status", 0, 0)
	b.do("get_status", nil)

	s.UnconfirmSends(1)
	assert.Contains(t, b.fails(1200, "send_group_msg", send), "Timeout")
	assert.Len(t, s.Sent(), 2, "delivered all the same")
	b.do("send_group_msg", send)

	calls, err := s.WaitCalls(t.Context(), 3, "send_group_msg")
	require.NoError(t, err)
	assert.Equal(t, []int{1200, 1200, 0}, []int{calls[0].Retcode, calls[1].Retcode, calls[2].Retcode})
	assert.JSONEq(t, `{"group_id":7,"message":[{"type":"text","data":{"text":"你好"}}]}`, string(calls[0].Params))
}

func TestDelayResponse_AndWithhold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		s.Group(7, "")
		b := connected(t, s)
		start := time.Now()

		s.DelayResponse("send_group_msg", 3*time.Second)
		b.write(`{"action":"send_group_msg","params":{"group_id":7,"message":"慢"},"echo":"slow"}`)
		sent, err := s.WaitSent(t.Context(), 1)
		require.NoError(t, err)
		assert.Equal(t, start, sent[0].At, "it is done at once")
		b.do("get_status", nil) // overtakes the delayed response
		assert.Equal(t, "slow", b.read()["echo"])
		assert.Equal(t, 3*time.Second, time.Since(start))
		s.DelayResponse("send_group_msg", 0)

		s.WithholdResponse("send_group_msg", 1)
		b.write(`{"action":"send_group_msg","params":{"group_id":7,"message":"无"},"echo":"none"}`)
		b.do("send_group_msg", object{"group_id": 7, "message": hello})
		assert.Len(t, s.Sent(), 3)
		assert.Equal(t, start.Add(3*time.Second), time.Now())

		s.WithholdResponse("", -1)
		b.write(`{"action":"get_status","echo":"none"}`)
		_, err = s.WaitCalls(t.Context(), 2, "get_status")
		require.NoError(t, err)
		s.WithholdResponse("", 0)
		b.do("get_login_info", nil)
	})
}

func TestHalfOpen_SwallowsFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{Heartbeat: time.Second})
		defer s.Close()
		g := s.Group(7, "")
		b := connected(t, s)
		s.HalfOpen(true)
		late := dial(t, s, "/", nil) // accepted at first
		for _, bot := range []*rawBot{b, late} {
			bot.write(`{"action":"send_group_msg","params":{"group_id":7,"message":"喂"}}`)
		}
		g.Say(1, text("有人吗"))
		time.Sleep(time.Hour)
		assert.Empty(t, s.Sent())
		assert.Empty(t, s.Calls())
		s.HalfOpen(false)
		assert.Equal(t, "heartbeat", b.event()["meta_event_type"], "nothing of the time between")
		assert.Equal(t, "heartbeat", late.event()["meta_event_type"])
		assert.Equal(t, []string{"有人吗"}, texts(b.do("get_group_msg_history", object{"group_id": 7})))
	})
}

func TestHalfOpen_NoPong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := onebottest.New(onebottest.Options{})
		defer s.Close()
		b := connected(t, s)
		ctx := b.conn.CloseRead(context.Background())
		require.NoError(t, b.conn.Ping(t.Context()))
		s.HalfOpen(true)
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.ErrorIs(t, b.conn.Ping(short), context.DeadlineExceeded)
		s.Close()
		<-ctx.Done()
	})
}

func TestDropLinks_AndRefuse(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	a, b := connected(t, s), connected(t, s)
	s.RefuseConnections(true)
	s.DropLinks()
	assert.Zero(t, s.Links())
	a.gone()
	b.gone()
	g.Say(1, text("没人听"))
	_, resp, err := websocket.Dial(t.Context(), "ws://x/", &websocket.DialOptions{HTTPClient: s.HTTPClient()})
	require.Error(t, err)
	assert.Equal(t, 503, resp.StatusCode)
	assert.Error(t, s.Connect(t.Context(), "ws://127.0.0.1:1/", onebottest.ConnectOptions{}))
	s.RefuseConnections(false)
	b = connected(t, s)
	assert.Equal(t, []string{"没人听"}, texts(b.do("get_group_msg_history", object{"group_id": 7})))
}

func TestSendRaw_Frames(t *testing.T) {
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	b := connected(t, s)
	for _, frame := range []string{"", "no JSON", "[]", `{"post_type":5}`} {
		s.SendRaw([]byte(frame))
		assert.Equal(t, frame, string(b.frame()))
	}
	for _, n := range []int{1000, 1 << 20} {
		s.SendLargeEvent(n)
		assert.Len(t, b.frame(), n)
	}
	s.SendLargeEvent(0)
	assert.Equal(t, "onebottest_big", b.notice()["notice_type"])
	s.Emit(object{"notice_type": "essence", "self_id": 5, "time": 1.5})
	assert.Equal(t, object{"post_type": "notice", "notice_type": "essence", "self_id": 5.0, "time": 1.5}, b.event())
}

func TestSay_LargeMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MiB")
	}
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	g := s.Group(7, "")
	conn, _, err := websocket.Dial(t.Context(), s.Start(), nil)
	require.NoError(t, err)
	b := attach(t, conn)
	b.event()
	big := string(make([]byte, 64<<20-1000))
	s.SendRaw([]byte(big))
	assert.Len(t, b.frame(), len(big))
	g.Say(1, text("之后"))
	assert.Equal(t, "之后", b.event()["raw_message"])
}
