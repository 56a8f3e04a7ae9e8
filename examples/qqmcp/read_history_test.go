package main

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Messages from before the start are available and do not count as new. They are not summarized.
func TestHistory_AtStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{})
		for i := range 130 {
			g.Say(zhang, says(fmt.Sprint("第", i)))
		}
		f.Say(says("以前的"))
		s := start(t, qq, "--friends", "555666")
		c := s.context(50)
		assert.Equal(t, "第129", c.Messages[49].Content)
		assert.Nil(t, c.CompressedSummary)
		assert.Equal(t, 101, call[statusOut](s, "check_status", nil).BufferStats.TotalMessagesBuffered)
		assert.Zero(t, s.p.chats.find(chat{id: 123456}).receivedCount())
	})
}

// The connection drops three times during a conversation. Each message exists once and in order, with the ids of every
// implementation and with the account's own messages.
func TestHistory_Reconnects(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				habits.PushOwnMessages = true
				if habits.IDs == onebottest.IDsHash31 {
					habits.IDs = onebottest.IDsUint32 // signed in other implementations
				}
				qq, g, f := newQQ(t, onebottest.Options{Quirks: habits, Heartbeat: 5 * time.Second})
				var said []string
				n := 0
				talk := func(times int) {
					for range times {
						n++
						text := fmt.Sprint("第", n)
						said = append(said, text)
						who := int64(zhang)
						if n%7 == 0 {
							who = self
						}
						g.Say(who, says(text))
						f.Say(says(text))
						time.Sleep(50 * time.Millisecond)
					}
				}
				talk(10)
				s := start(t, qq, "--friends", "555666", "--buffer-size", "1000", "--compress-every", "10000")
				for round := range 3 {
					talk(20)
					qq.RefuseConnections(true)
					qq.DropLinks()
					talk(20)
					qq.RefuseConnections(false)
					talk(100) // the connection returns during this
					_, err := qq.WaitCalls(t.Context(), 1, "get_group_msg_history")
					require.NoError(t, err)
					assert.Equal(t, 1, qq.Links(), "round %d", round)
				}
				s.settle()
				for _, c := range []chat{{id: 123456}, {private: true, id: li}} {
					var got []string
					for _, m := range s.p.chats.find(c).view().all {
						got = append(got, m.text)
					}
					if c.private && habits.Actions == onebottest.LikeGoCQHTTP { // go-cqhttp has no history of private chats
						assert.Equal(t, slices.Compact(slices.Clone(got)), got)
						continue
					}
					assert.Equal(t, said, got, c)
				}
				for _, sent := range qq.History(g.Chat()) {
					qq.RepeatMessage(sent.MessageID) // as implementations do after a reconnect
				}
				s.settle()
				assert.Len(t, s.p.chats.find(chat{id: 123456}).view().all, len(said))
			})
		})
	}
}

// A gap is longer than a page of history.
func TestHistory_LongGap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--buffer-size", "1000", "--compress-every", "10000")
		g.Say(zhang, says("第0"))
		s.settle()
		qq.RefuseConnections(true)
		qq.DropLinks()
		for i := range 330 {
			g.Say(zhang, says(fmt.Sprint("第", i+1)))
		}
		qq.RefuseConnections(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		all := s.p.chats.find(chat{id: 123456}).view().all
		require.Len(t, all, 331)
		for i, m := range all {
			require.Equal(t, fmt.Sprint("第", i), m.text)
		}
	})
}

// While the history of a long gap is read, the connection drops again, or the history fails and people keep talking. The
// rest of the gap is still read later.
func TestHistory_LongGapInterrupted(t *testing.T) {
	for name, disturb := range map[string]func(*testing.T, *onebottest.Server, func()){
		"the link drops": func(t *testing.T, qq *onebottest.Server, say func()) {
			qq.DelayResponse("get_group_msg_history", time.Second)
			qq.RefuseConnections(false)
			_, err := qq.WaitCalls(t.Context(), 1+2, "get_group_msg_history")
			require.NoError(t, err)
			synctest.Wait()
			qq.DropLinks()
		},
		"it is not answered": func(t *testing.T, qq *onebottest.Server, say func()) {
			qq.WithholdResponse("get_group_msg_history", 1)
			qq.RefuseConnections(false)
			time.Sleep(callTimeout / 2)
			say() // waits and is then released without the history
			time.Sleep(callTimeout)
			say()
		},
		"its second page is not answered": func(t *testing.T, qq *onebottest.Server, say func()) {
			qq.DelayResponse("get_group_msg_history", time.Second)
			qq.RefuseConnections(false)
			_, err := qq.WaitCalls(t.Context(), 1+1, "get_group_msg_history")
			require.NoError(t, err)
			qq.WithholdResponse("get_group_msg_history", 1)
			time.Sleep(2 * callTimeout)
			say()
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				qq, g, _ := newQQ(t, onebottest.Options{})
				s := start(t, qq, "--buffer-size", "1000", "--compress-every", "10000")
				n := 0
				say := func() {
					g.Say(zhang, says(fmt.Sprint("第", n)))
					n++
				}
				say()
				s.settle()
				qq.RefuseConnections(true)
				qq.DropLinks()
				for range 330 {
					say()
				}
				disturb(t, qq, say)
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				all := s.p.chats.find(chat{id: 123456}).view().all
				require.Equal(t, n, len(all))
				for i, m := range all {
					require.Equal(t, fmt.Sprint("第", i), m.text)
				}
			})
		})
	}
}

// New messages do not wait for a history that fails, and the history is requested again.
func TestHistory_Fails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		g.SayAt(zhang, time.Now().Add(-time.Hour), says("以前的"))
		qq.WithholdResponse("get_group_msg_history", 1)
		s := start(t, qq)
		g.Say(zhang, says("现在的"))
		synctest.Wait()
		assert.Equal(t, []string{"现在的"}, contents(s.context(20).Messages))
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"以前的", "现在的"}, contents(s.context(20).Messages), "in their order")
		assert.Contains(t, s.log.String(), "cannot read the history")
	})
}

// QQ does not answer for one chat. The others do not wait for their own timeout.
func TestHistory_Hangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		for i := range 100 {
			qq.Group(int64(1000+i), fmt.Sprint("第", i, "群"))
		}
		qq.WithholdResponse("get_group_msg_history", -1)
		s := start(t, qq)
		g.Say(zhang, says("现在的"))
		time.Sleep(callTimeout)
		synctest.Wait()
		for _, r := range s.p.chats.list() {
			assert.False(t, r.isBackfilling(), r.chat)
		}
		qq.WithholdResponse("get_group_msg_history", 0)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		for _, r := range s.p.chats.list() {
			assert.False(t, r.needsHistory(), r.chat)
		}
		assert.Equal(t, []string{"现在的"}, contents(s.context(20).Messages))
	})
}

// An implementation runs without a login.
func TestStatus_NotLoggedIn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		qq.Fail("get_login_info", 1400, -1)
		s := start(t, qq)
		st := call[statusOut](s, "check_status", nil)
		assert.True(t, st.NapCatRunning)
		assert.False(t, st.QQLoggedIn)
		assert.Contains(t, st.Problem, "还没有登录")
		qq.Fail("get_login_info", 0, 0)
		s.settle()
		g.Say(zhang, says("好了"))
		synctest.Wait()
		assert.Equal(t, []string{"好了"}, contents(s.context(20).Messages))
	})
}

// A recalled message does not return with the history.
func TestHistory_RecalledMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		id := g.Say(zhang, says("说错了"))
		qq.Recall(id)
		synctest.Wait()
		r := s.p.chats.find(chat{id: 123456})
		r.beginBackfill()
		r.finishBackfill([]message{{id: id, text: "说错了", at: time.Now().Unix()}}, nil)
		assert.Empty(t, s.context(20).Messages)
		assert.Contains(t, s.fails("get_message", args{"message_id": id}), "没有这条消息")
	})
}

// A signed and an unsigned id of one message are equal.
func TestHistory_IDsModulo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		for _, id := range []int64{-964635551, 3330331745} {
			qq.Emit(map[string]any{"post_type": "message", "message_type": "group", "sub_type": "normal", "group_id": 123456, "user_id": zhang,
				"message_id": id, "time": time.Now().Unix(), "message": []any{map[string]any{"type": "text", "data": map[string]any{"text": "一条"}}},
				"sender": map[string]any{"user_id": zhang, "nickname": "张三"}})
		}
		synctest.Wait()
		c := s.context(20)
		require.Equal(t, 1, c.MessageCount)
		assert.Equal(t, "-964635551", c.Messages[0].MessageID)
		_, ok := s.p.chats.find(chat{id: 123456}).message(onebot.MessageKey(3330331745))
		assert.True(t, ok)
	})
}

// QQ does not send the list of groups, so nobody can say that a group does not exist.
func TestContext_GroupListFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		qq.Fail("get_group_list", 1200, -1)
		s := start(t, qq)
		assert.Contains(t, s.fails("get_recent_context", args{"target": "123456"}), "群列表还没有读到")
		qq.Fail("get_group_list", 1200, 0)
		time.Sleep(2 * time.Second)
		assert.Contains(t, s.fails("get_recent_context", args{"target": "789"}), "没有这个群")
		s.context(20)
	})
}

// OneBot starts later, and the tools report its absence until then.
func TestStatus_OneBotStartsLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		g.Say(zhang, says("以前的"))
		qq.RefuseConnections(true)
		s := launch(t, qq)
		early := launch(t, qq, "--groups", "123456")
		assert.Contains(t, early.context(20).Problem, "连不上 OneBot")
		assert.Contains(t, early.refused(to("在")).Message, "连不上 OneBot")
		began := time.Now()
		st := call[statusOut](s, "check_status", nil)
		assert.Less(t, time.Since(began), 2*time.Second)
		assert.False(t, st.NapCatRunning || st.QQLoggedIn)
		assert.Equal(t, "10001 offline", st.QQAccount+" "+st.OnlineStatus)
		assert.Contains(t, st.Problem, "连不上 OneBot")
		// Which groups there are is not known yet, and no tool says that there is none.
		for tool, a := range map[string]args{
			"get_recent_context": {"target": "123456"}, "wait_for_message": {"target": "123456", "timeout_seconds": 1}, "compress_context": {"target": "123456"},
			"send_message": {"target": "123456", "content": "在"}, "get_message": {"message_id": 5}, "get_group_list": nil,
		} {
			why := s.fails(tool, a)
			assert.Contains(t, why, "连不上 OneBot", tool)
			assert.NotContains(t, why, "没有这个群", tool)
		}
		batch := call[batchOut](s, "batch_get_recent_context", args{"targets": []args{{"target": "123456"}}})
		assert.Contains(t, batch.Results[0].Error, "连不上 OneBot")
		for _, target := range []args{{"target": "789012"}, {"target": "789012", "target_type": "private"}} { // not allowed
			why := early.fails("get_recent_context", target)
			assert.Contains(t, why, "名单")
			assert.Contains(t, why, "连不上 OneBot")
		}
		time.Sleep(time.Minute)
		qq.RefuseConnections(false)
		s.settle()
		s.settle()
		st = call[statusOut](s, "check_status", nil)
		assert.True(t, st.NapCatRunning && st.QQLoggedIn)
		assert.Empty(t, st.Problem)
		assert.Equal(t, []string{"以前的"}, contents(s.context(20).Messages))
		assert.Empty(t, early.context(20).Problem)
		assert.Empty(t, qq.Sent(), "what failed was not kept to be sent later")
		assert.True(t, call[sendOut](s, "send_message", args{"target": "123456", "content": "在"}).Success)
	})
}

// A wrong token does not end the program or cause repeated dialing. The status says what to do.
func TestStatus_WrongToken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{Token: "secret", Quirks: onebottest.GoCQHTTP})
		s := start(t, qq, "--token", "wrong-token")
		time.Sleep(time.Minute)
		assert.Contains(t, call[statusOut](s, "check_status", nil).Problem, "token")
		assert.NotContains(t, s.log.String(), "wrong-token")
	})
}

// The account goes offline while the implementation keeps running.
func TestStatus_Offline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		qq.SetOnline(false)
		synctest.Wait()
		st := call[statusOut](s, "check_status", nil)
		assert.True(t, st.NapCatRunning)
		assert.False(t, st.QQLoggedIn)
		assert.Equal(t, "offline", st.OnlineStatus)
		assert.NotEmpty(t, st.Problem)
		s.fails("send_message", args{"target": "123456", "content": "在"})
		qq.SetOnline(true)
		g.Say(zhang, says("回来了"))
		synctest.Wait()
		assert.Equal(t, "online", call[statusOut](s, "check_status", nil).OnlineStatus)
	})
}

// QQ accepts calls and never answers. The status reports that soon.
func TestStatus_HangingQQ(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		qq.WithholdResponse("", -1)
		began := time.Now()
		st := call[statusOut](s, "check_status", nil)
		assert.Equal(t, statusTimeout, time.Since(began))
		assert.False(t, st.NapCatRunning)
		assert.NotEmpty(t, st.Problem)
	})
}
