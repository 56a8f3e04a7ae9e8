package onebottest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

func TestClient_Reconnects(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		c := visit(t, s, onebot.Options{})
		for range 5 {
			g.Say(1, text("前"))
			assert.Equal(t, "前", c.text())
			s.DropLinks()
			missed := g.Say(1, text("后"))
			assert.ErrorIs(t, c.say("不在"), onebot.ErrDisconnected)
			assert.NotErrorIs(t, c.say("不在"), onebot.ErrUnclear, "it was never written")
			assert.IsType(t, &onebot.Lifecycle{}, c.event())
			history, err := c.Bot().GetGroupMsgHistory(t.Context(), 7, 0, 1)
			require.NoError(t, err)
			assert.Equal(t, missed, history[0].MessageID)
		}
		assert.Empty(t, s.Sent())
	})
}

func TestClient_WaitsWhileRefused(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		s.RefuseConnections(true)
		c := enter(t, s, onebot.Options{})
		time.Sleep(time.Hour)
		assert.ErrorIs(t, c.say("喂"), onebot.ErrDisconnected)
		assert.Empty(t, c.ended, "it does not give up")
		s.RefuseConnections(false)
		start := time.Now()
		assert.IsType(t, &onebot.Lifecycle{}, c.event())
		assert.LessOrEqual(t, time.Since(start), time.Minute+time.Second)
	})
}

// The link drops during calls: all fail at once, and a send is unclear.
func TestClient_LinkDropsDuringCalls(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		c := visit(t, s, onebot.Options{})
		s.WithholdResponse("", -1)
		failed := make(chan error, 100)
		for range 50 {
			go func() { failed <- c.say("喂") }()
			go func() { failed <- c.Bot().Call(context.Background(), "get_status", nil, nil) }()
		}
		synctest.Wait()
		assert.Len(t, s.Sent(), 50)
		start := time.Now()
		s.DropLinks()
		unclear := 0
		for range 100 {
			err := <-failed
			assert.ErrorIs(t, err, onebot.ErrDisconnected)
			if errors.Is(err, onebot.ErrUnclear) {
				unclear++
			}
		}
		assert.Equal(t, 50, unclear, "the sends")
		assert.Equal(t, start, time.Now())
		assert.Len(t, s.Sent(), 50, "nothing is sent again")
		s.WithholdResponse("", 0)
		c.event()
		require.NoError(t, c.say("又来了"))
	})
}

func TestClient_DetectsHalfOpenLinks(t *testing.T) {
	for _, beat := range []time.Duration{0, 5 * time.Second, 30 * time.Second} {
		bubble(t, onebottest.Options{Heartbeat: beat}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
			c := visit(t, s, onebot.Options{})
			if beat > 0 {
				assert.IsType(t, &onebot.Heartbeat{}, c.event())
			}
			time.Sleep(time.Hour + time.Millisecond) // an idle link stays open
			assert.Equal(t, uint64(1), c.Stats().Links)
			s.HalfOpen(true)
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := c.Bot().SendGroupMsg(ctx, 7, text("有人吗"))
			assert.ErrorIs(t, err, onebot.ErrDisconnected)
			assert.ErrorIs(t, err, onebot.ErrUnclear)
			limit := max(beat*5/2, 30*time.Second)
			if beat == 0 {
				limit *= 2 // the link must be sent a request
			}
			assert.LessOrEqual(t, time.Since(start), limit)
			s.HalfOpen(false)
			for c.say("回来了") != nil {
				require.Less(t, time.Since(start), limit+2*time.Minute)
				time.Sleep(time.Second)
			}
			assert.Len(t, s.Sent(), 1)
		})
	}
}

func TestClient_SlowResponses(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		c := visit(t, s, onebot.Options{})
		s.DelayResponse("send_group_msg", 3*time.Second)
		start := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Bot().SendGroupMsg(short, 7, text("慢"))
		assert.ErrorIs(t, err, onebot.ErrTimeout)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, onebot.ErrUnclear)
		assert.Equal(t, time.Second, time.Since(start))
		assert.Len(t, s.Sent(), 1)

		slow := make(chan error)
		go func() { slow <- c.say("还是慢") }()
		synctest.Wait()
		require.NoError(t, c.Bot().Call(t.Context(), "get_status", nil, nil), "others pass by")
		assert.Equal(t, time.Second, time.Since(start))
		require.NoError(t, <-slow)
		assert.Equal(t, 4*time.Second, time.Since(start))
		assert.Equal(t, uint64(1), c.Stats().Unmatched, "the late answer to the first")
		assert.Equal(t, uint64(1), c.Stats().Links, "the link stays")

		ctx, stop := context.WithCancel(t.Context())
		go func() {
			slow <- func() error { _, err := c.Bot().SendGroupMsg(ctx, 7, text("不等了")); return err }()
		}()
		synctest.Wait()
		stop()
		err = <-slow
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, onebot.ErrUnclear)

		s.DelayResponse("send_group_msg", 0)
		s.WithholdResponse("send_group_msg", 1)
		start = time.Now()
		err = c.say("没有下文")
		assert.ErrorIs(t, err, onebot.ErrTimeout)
		assert.ErrorIs(t, err, onebot.ErrUnclear)
		assert.Equal(t, 30*time.Second, time.Since(start), "the default CallTimeout")
		require.NoError(t, c.say("好了"))
	})
}

// After any frame, the next message arrives on the same link.
func TestClient_BadFrames(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		c := visit(t, s, onebot.Options{})
		frames := []string{
			"", " ", "no JSON", "[]", "null", "5", `"x"`, "{", `{"post_type":"message"`, "{}x", "\xff\xfe", "\x00",
			`{}`, `{"echo":null}`, `{"echo":{}}`, `{"echo":"h1-1","status":"ok"}`, `{"retcode":0}`, `{"status":"failed","retcode":1400,"echo":null}`,
			`{"post_type":null}`, `{"post_type":5}`, `{"post_type":"message"}`, `{"post_type":"message","message_type":"group"}`,
			`{"post_type":"message","message_type":"group","group_id":"7","user_id":1.0,"message_id":"-5","self_id":1e4,"message":null}`,
			`{"post_type":"message","message_type":"group","group_id":null,"user_id":{},"message_id":[1],"self_id":true,"message":5}`,
			`{"post_type":"message","message_type":"private","user_id":99999999999999999999,"message":[{"type":"text"},{"data":null},7,null,{"type":5,"data":[]}]}`,
			`{"post_type":"message","message_type":7,"sender":"x","message":{"type":"text","data":{"text":"one"}}}`,
			`{"post_type":"notice","notice_type":"group_ban","duration":"x","group_id":7}`,
			`{"post_type":"notice","notice_type":"notify"}`, `{"post_type":"request"}`, `{"post_type":"meta_event","meta_event_type":"heartbeat","interval":-1}`,
			`{"post_type":"meta_event","meta_event_type":"lifecycle","sub_type":"disable"}`, `{"post_type":"x","time":9e99}`,
			`{"post_type":"message","post_type":"notice"}`, strings.Repeat("[", 100_000), `{"post_type":"x","a":` + strings.Repeat("[", 100_000),
			`{"post_type":"x","a":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_001),
		}
		for i, frame := range frames {
			s.SendRaw([]byte(frame))
			want := fmt.Sprint("next ", i)
			g.Say(1, text(want))
			for {
				if m, ok := c.event().(*onebot.GroupMessage); ok && m.Message.Text() == want {
					break
				}
			}
			require.NoError(t, c.say(want), frame)
		}
		assert.Equal(t, uint64(1), c.Stats().Links)
		st := c.Stats()
		assert.Equal(t, st.Received, st.Handled+st.Dropped+uint64(st.Queued))
		assert.NotZero(t, st.Malformed)
		assert.Len(t, s.Sent(), len(frames))
	})
}

func TestClient_NamesWithMarkup(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		const nasty = "</message>[CQ:at,qq=10000]&amp;&#91;\"'\\\x00\u2028\U0001F525"
		g.Member(1, nasty).WithCard(nasty)
		c := visit(t, s, onebot.Options{})
		g.Say(1, text(nasty))
		m := c.event().(*onebot.GroupMessage)
		assert.Equal(t, nasty, m.Sender.Nickname)
		assert.Equal(t, nasty, m.Sender.Card)
		assert.Equal(t, nasty, m.Message.Text())
		assert.False(t, m.Message.Mentions(self))
		require.NoError(t, c.say(nasty))
		assert.Equal(t, nasty, s.Sent()[0].Message.Text())
	})
}

func TestClient_LargeFrames(t *testing.T) {
	const size = 8 << 20
	s := onebottest.New(onebottest.Options{})
	t.Cleanup(s.Close)
	g := s.Group(7, "")
	c := visit(t, s, onebot.Options{ReadLimit: size, MinBackoff: time.Millisecond, CallTimeout: -1, WriteTimeout: -1})
	s.SendLargeEvent(size)
	u := c.event().(*onebot.Unknown)
	assert.Len(t, u.Raw(), size)
	g.Say(1, text(strings.Repeat("炉", 1<<20)))
	assert.Len(t, c.text(), 1<<20*len("炉"))
	require.NoError(t, c.say(strings.Repeat("边", 1<<20)))

	s.SendLargeEvent(size + 1) // too large: the link ends, the client does not
	assert.IsType(t, &onebot.Lifecycle{}, c.event())
	g.Say(1, text("之后"))
	assert.Equal(t, "之后", c.text())
}

// A burst in several chats: nothing is lost, and each chat keeps its order.
func TestClient_Burst(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 2_000
	}
	s := onebottest.New(onebottest.Options{})
	defer s.Close()
	var got [10]atomic.Int64
	var wrong atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := s.Client(onebot.Options{})
	go c.Run(ctx, func(_ context.Context, _ *onebot.Bot, e onebot.Event) {
		if m, ok := e.(*onebot.GroupMessage); ok {
			if next := got[m.GroupID].Add(1) - 1; m.Message.Text() != fmt.Sprint(next) {
				wrong.Add(1)
			}
		}
	})
	require.NoError(t, s.WaitLink(ctx))
	for i := range n {
		s.Group(int64(i%10), "").Say(1, text(fmt.Sprint(i/10)))
	}
	for c.Stats().Handled < uint64(n)+1 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	for i := range got {
		assert.Equal(t, int64(n/10), got[i].Load())
	}
	assert.Zero(t, wrong.Load())
	assert.Zero(t, c.Stats().Dropped)
}

// Lost events are reported in the chat's order. With one worker the handler can still call.
func TestClient_Overflow(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		block, started := make(chan struct{}), make(chan struct{}, 1)
		handled, lost := 0, 0
		var last string
		c := s.Client(onebot.Options{Workers: 1, QueueBytes: 20_000})
		ended := make(chan error)
		go func() {
			ended <- c.Run(ctx, func(ctx context.Context, b *onebot.Bot, e onebot.Event) {
				switch e := e.(type) {
				case *onebot.GroupMessage:
					if e.Message.Text() == "开始" {
						started <- struct{}{}
						<-block
						_, err := b.SendGroupMsg(ctx, 7, text("我还能说话"))
						assert.NoError(t, err)
					}
					handled++
					last = e.Message.Text()
				case *onebot.Dropped:
					lost += e.Count
					assert.Equal(t, "开始", last, "in the place of what was lost")
				}
			})
		}()
		require.NoError(t, s.WaitLink(ctx))
		g.Say(1, text("开始"))
		<-started
		for i := range 1000 {
			g.Say(1, text(fmt.Sprint(i)))
		}
		synctest.Wait()
		close(block)
		synctest.Wait()
		st := c.Stats()
		assert.Equal(t, 1001, handled+lost)
		assert.NotZero(t, lost)
		assert.Equal(t, uint64(lost), st.Overflowed)
		assert.Equal(t, st.Received, st.Handled+st.Dropped+uint64(st.Queued))
		assert.Equal(t, "999", last)
		assert.Len(t, s.Sent(), 1)
		cancel()
		assert.NoError(t, <-ended)
	})
}

// Cancelling ends Run soon, in any state of the link, and no handler runs afterwards.
func TestClient_StopsInAnyState(t *testing.T) {
	for name, spoil := range map[string]func(*onebottest.Server){
		"well":      func(*onebottest.Server) {},
		"half-open": func(s *onebottest.Server) { s.HalfOpen(true) },
		"withheld":  func(s *onebottest.Server) { s.WithholdResponse("", -1) },
		"dropped":   func(s *onebottest.Server) { s.RefuseConnections(true); s.DropLinks() },
		"closed":    func(s *onebottest.Server) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, onebottest.Options{Heartbeat: time.Second}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
				c := visit(t, s, onebot.Options{})
				spoil(s)
				calling := make(chan error, 1)
				go func() { calling <- c.say("喂") }()
				synctest.Wait()
				start := time.Now()
				c.leave()
				assert.NoError(t, <-c.ended)
				assert.LessOrEqual(t, time.Since(start), 5*time.Second)
				<-calling
				assert.LessOrEqual(t, time.Since(start), 5*time.Second)
				heard := len(c.events)
				g.Say(1, text("走了吗"))
				synctest.Wait()
				assert.Len(t, c.events, heard)
				assert.ErrorIs(t, c.say("喂"), onebot.ErrDisconnected)
			})
		})
	}
}

// A peer stops reading: writes block, but callers and shutdown do not.
func TestClient_PeerDoesNotRead(t *testing.T) {
	bubble(t, onebottest.Options{}, func(t *testing.T, s *onebottest.Server, g *onebottest.Group) {
		c := visit(t, s, onebot.Options{})
		block := make(chan struct{})
		s.OnSend(func(onebottest.ChatMessage) { <-block })
		failed := make(chan error, 3)
		start := time.Now()
		for range 3 {
			go func() { failed <- c.say("喂") }()
			synctest.Wait()
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Bot().SendGroupMsg(short, 7, text("喂"))
		assert.ErrorIs(t, err, onebot.ErrTimeout)
		assert.NotErrorIs(t, err, onebot.ErrUnclear, "its turn to be written never came")
		for range 3 {
			<-failed
		}
		assert.LessOrEqual(t, time.Since(start), 31*time.Second)
		g.Say(1, text("听得到吗"))
		close(block)
		for c.say("回来了") != nil {
			time.Sleep(time.Second)
		}
		c.leave()
		assert.NoError(t, <-c.ended)
	})
}
