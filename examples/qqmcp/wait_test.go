package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waits calls wait_for_message and measures its time.
func (s *session) waits(a args) (chan waitOut, func() (waitOut, time.Duration)) {
	began, done := time.Now(), make(chan waitOut, 1)
	go func() { done <- call[waitOut](s, "wait_for_message", a) }()
	synctest.Wait()
	return done, func() (waitOut, time.Duration) {
		out := <-done
		return out, time.Since(began)
	}
}

func TestWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{Quirks: onebottest.Quirks{PushOwnMessages: true}})
		other := qq.Group(789012, "另一个群")
		s := start(t, qq, "--friends", "555666")
		first := g.Say(zhang, says("先说的"))
		synctest.Wait()

		_, done := s.waits(args{"timeout_seconds": 20})
		out, took := done()
		assert.True(t, out.TimedOut)
		assert.Empty(t, out.Messages)
		assert.Equal(t, 20*time.Second, took)

		_, done = s.waits(args{})
		time.Sleep(5 * time.Second)
		g.Say(self, says("自己说的"))
		time.Sleep(5 * time.Second)
		f.Say(says("在吗"))
		out, took = done()
		assert.Equal(t, 10*time.Second, took, "own messages are no news")
		require.Len(t, out.Messages, 1)
		assert.Equal(t, "555666 private 在吗", fmt.Sprint(out.Messages[0].Target, " ", out.Messages[0].TargetType, " ", out.Messages[0].Content))

		_, done = s.waits(args{"target": "123456", "at_me": true})
		other.Say(wang, onebot.Message{onebot.At(self), onebot.Text(" 别的群")})
		g.Say(wang, says("没有叫你"))
		synctest.Wait()
		time.Sleep(time.Second)
		g.Say(wang, onebot.Message{onebot.At(self), onebot.Text(" 叫你")})
		out, took = done()
		assert.Equal(t, time.Second, took)
		require.Len(t, out.Messages, 1)
		assert.Equal(t, "@Glitch 叫你", out.Messages[0].Content)

		// Messages between two waits are not lost.
		out = call[waitOut](s, "wait_for_message", args{"target": "123456", "after": fmt.Sprint(first)})
		require.Len(t, out.Messages, 2)
		assert.Equal(t, "没有叫你", out.Messages[0].Content)
		_, done = s.waits(args{"target": "123456", "after": out.Messages[1].MessageID, "timeout_seconds": 3})
		out, _ = done()
		assert.True(t, out.TimedOut)

		// A chat that opens meanwhile counts.
		_, done = s.waits(args{})
		qq.Group(4711, "新群").Say(zhang, says("新群里的"))
		out, _ = done()
		require.Len(t, out.Messages, 1)
		assert.Equal(t, "4711", out.Messages[0].Target)

		for _, bad := range []args{{"timeout_seconds": 0}, {"timeout_seconds": 301}, {"after": "5"}, {"after": "x", "target": "123456"}, {"target": "999"}} {
			s.fails("wait_for_message", bad)
		}
	})
}

// Messages of the history are new for waiting calls.
func TestWait_Reconnect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		_, done := s.waits(args{"target": "123456", "timeout_seconds": 60})
		qq.RefuseConnections(true)
		qq.DropLinks()
		g.Say(zhang, says("断开时说的"))
		qq.RefuseConnections(false)
		out, _ := done()
		require.Len(t, out.Messages, 1)
		assert.Equal(t, "断开时说的", out.Messages[0].Content)
	})
}

// A message of the new connection comes after the missed ones, each once, even if the history is slow. Nothing blocks while
// one is fetched.
func TestWait_ReconnectOrder(t *testing.T) {
	for name, disturb := range map[string]func(*onebottest.Server){
		"slow":         func(qq *onebottest.Server) { qq.DelayResponse("get_group_msg_history", 2*time.Second) },
		"not answered": func(qq *onebottest.Server) { qq.WithholdResponse("get_group_msg_history", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				qq, g, _ := newQQ(t, onebottest.Options{})
				s := start(t, qq)
				last := fmt.Sprint(g.Say(zhang, says("第1")))
				synctest.Wait()
				qq.RefuseConnections(true)
				qq.DropLinks()
				g.Say(zhang, says("第2"))
				disturb(qq)
				qq.RefuseConnections(false)
				time.Sleep(time.Second)
				g.Say(zhang, says("第3"))
				var told []string
				for range 4 {
					out := call[waitOut](s, "wait_for_message", args{"target": "123456", "after": last, "timeout_seconds": 300})
					for _, m := range out.Messages {
						told, last = append(told, m.Content), m.MessageID
					}
					time.Sleep(5 * time.Second)
				}
				want := []string{"第2", "第3"}
				if name == "not answered" { // nothing waits for it
					want = []string{"第3", "第2"}
				}
				assert.Equal(t, want, told)
			})
		})
	}
}

// Pending messages are returned at the latest when the wait ends.
func TestWait_EndsBeforeHistory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		s.p.chats.find(chat{id: 123456}).beginBackfill()
		qq.DelayResponse("get_group_msg_history", 8*time.Second)
		synctest.Wait()
		time.Sleep(time.Second)
		g.Say(zhang, says("在吗"))
		out := call[waitOut](s, "wait_for_message", args{"timeout_seconds": 3})
		assert.False(t, out.TimedOut)
		require.Len(t, out.Messages, 1)
		assert.Equal(t, "在吗", out.Messages[0].Content)
	})
}

// The history of a new chat is merged before its first message, which quotes one that has to be fetched.
func TestWait_NewChat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		qq.DelayResponse("get_msg", 2*time.Second)
		_, done := s.waits(args{})
		qq.Group(4711, "新群").Say(zhang, onebot.Message{onebot.Reply(4711), onebot.Text("新群里的")})
		out, _ := done()
		require.Len(t, out.Messages, 1)
		assert.Equal(t, "4711", out.Messages[0].Target)
		assert.Len(t, call[contextOut](s, "get_recent_context", args{"target": "4711"}).Messages, 1)
	})
}

// A wait ends with its client.
func TestWait_ClientGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "wait_for_message", Arguments: args{"timeout_seconds": 300}})
			failed <- err
		}()
		synctest.Wait()
		cancel()
		require.Error(t, <-failed)
		_, done := s.waits(args{"timeout_seconds": 300})
		began := time.Now()
		s.hangUp()
		out, _ := done()
		assert.True(t, out.TimedOut, "it is answered even so")
		require.NoError(t, <-s.ended)
		s.ended <- nil
		assert.Less(t, time.Since(began), time.Second)
	})
}

// Each chat is a resource, and subscribers are notified of its new messages only.
func TestResources_Notifications(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{Quirks: onebottest.Quirks{PushOwnMessages: true}})
		s := start(t, qq, "--friends", "555666")
		list, err := s.ListResources(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, list.Resources, 2)
		assert.Equal(t, "qq://group/123456 技术交流群", list.Resources[0].URI+" "+list.Resources[0].Name)
		assert.Equal(t, "qq://private/555666 李四", list.Resources[1].URI+" "+list.Resources[1].Name)
		require.NoError(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "qq://group/123456"}))
		require.Error(t, s.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "qq://group/999"}))

		f.Say(says("没有人听的"))
		g.Say(self, says("自己说的"))
		s.settle()
		assert.Empty(t, s.updates)
		for i := range 100 {
			g.Say(zhang, says(fmt.Sprint("第", i)))
		}
		s.settle()
		assert.Equal(t, "qq://group/123456", <-s.updates)
		assert.LessOrEqual(t, len(s.updates), 3, "many at once are told once or twice")
		read, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "qq://group/123456"})
		require.NoError(t, err)
		res := s.try("get_recent_context", args{"target": "123456"})
		assert.JSONEq(t, text(res), read.Contents[0].Text)
		for len(s.updates) > 0 {
			<-s.updates
		}
		require.NoError(t, s.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: "qq://group/123456"}))
		g.Say(zhang, says("不再听了"))
		s.settle()
		assert.Empty(t, s.updates)
		qq.Group(4711, "新群").Say(zhang, says("新群里的"))
		s.settle()
		list, err = s.ListResources(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, list.Resources, 3)
	})
}

// Invalid arguments are errors.
func TestTools_BadInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		g.Say(zhang, says("在吗"))
		synctest.Wait()
		for _, limit := range []any{0, 51, -1, "ten", "20", 1.5, []int{1}, args{}, true, 1e300} {
			assert.Contains(t, s.fails("get_recent_context", args{"target": "123456", "limit": limit}), "bad arguments", limit)
		}
		for _, fine := range []any{1, 50, nil, 20.0} {
			assert.Equal(t, 1, call[contextOut](s, "get_recent_context", args{"target": "123456", "limit": fine}).MessageCount, fine)
		}
		for _, target := range []any{"abc", "", " ", "123456 ", "１２３４５６", "group:123456", -123456, 0, 1.5, nil, []string{"123456"}, args{}, true,
			"123456\x00", "123456\n", "+123456", "0x1E240", "99999999999999999999999", "../123456"} {
			assert.NotEmpty(t, s.fails("get_recent_context", args{"target": target}), target)
		}
		for _, a := range []args{nil, {"target_type": "group"}, {"target": "123456", "target_type": "GROUP"}, {"target": "123456", "target_type": 1}, {"target": "123456", "what": 1}, {"Target": "123456"}} {
			assert.Contains(t, s.fails("get_recent_context", a), "bad arguments", a)
		}
		for _, id := range []any{"", "abc", nil, 1.5, []int{1}} {
			assert.NotEmpty(t, s.fails("get_message", args{"message_id": id}), id)
		}
		for _, name := range []string{"get_context", "", "GET_RECENT_CONTEXT", "zq7\x00"} {
			_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args{}})
			assert.ErrorContains(t, err, "unknown tool", name)
		}
		assert.Equal(t, 1, s.context(20).MessageCount, "and it goes on")
	})
}
