package main

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// problems returns the field problem of each tool that reads.
func (s *session) problems() map[string]string {
	s.t.Helper()
	batch := call[batchOut](s, "batch_get_recent_context", args{"targets": []args{{"target": "123456"}}})
	return map[string]string{
		"get_recent_context":       s.context(20).Problem,
		"batch_get_recent_context": batch.Results[0].Context.Problem,
		"get_group_list":           call[groupsOut](s, "get_group_list", nil).Problem,
		"check_status":             call[statusOut](s, "check_status", nil).Problem,
		"wait_for_message":         call[waitOut](s, "wait_for_message", args{"timeout_seconds": 1}).Problem,
	}
}

// After a login each tool reports a lost connection, and a send fails with "offline". The report ends with the outage.
func TestProblem_LinkLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		for tool, why := range s.problems() {
			assert.Empty(t, why, tool)
		}
		qq.RefuseConnections(true)
		qq.DropLinks()
		synctest.Wait()
		for tool, why := range s.problems() {
			assert.Contains(t, why, "连", tool)
		}
		assert.Contains(t, s.context(20).Problem, "连接断了")
		out := s.refused(to("断了"))
		assert.Equal(t, "offline", out.Error)
		assert.Contains(t, out.Message, "连接断了")
		assert.Contains(t, s.fails("get_message", args{"message_id": 12345}), "连接断了")
		qq.RefuseConnections(false)
		s.settle()
		time.Sleep(10 * time.Second)
		for tool, why := range s.problems() {
			assert.Empty(t, why, tool)
		}
		call[sendOut](s, "send_message", to("断了"))
		assert.Len(t, qq.Sent(), 1)
	})
}

// Each tool reports that the account is offline, by a notice, by a heartbeat, or by the answer to check_status. A send fails with
// "offline", and QQ is not asked to send.
func TestProblem_AccountOffline(t *testing.T) {
	for name, o := range map[string]onebottest.Options{
		"notice":    {Quirks: onebottest.Quirks{Events: onebottest.LikeNapCat}},
		"heartbeat": {Quirks: onebottest.Quirks{Events: onebottest.LikeGoCQHTTP}, Heartbeat: time.Second},
		"status":    {Quirks: onebottest.Quirks{Events: onebottest.LikeGoCQHTTP}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				qq, _, _ := newQQ(t, o)
				s := start(t, qq)
				for tool, why := range s.problems() {
					assert.Empty(t, why, tool)
				}
				qq.SetOnline(false)
				if name == "heartbeat" {
					time.Sleep(2 * time.Second)
				}
				synctest.Wait()
				if name == "status" {
					assert.Empty(t, s.context(20).Problem, "nobody has told")
					call[statusOut](s, "check_status", nil)
				}
				qq.Fail("send_group_msg", 1200, -1) // a call would be "refused"
				out := s.refused(to("掉线了"))
				assert.Equal(t, "offline", out.Error)
				assert.Contains(t, out.Message, "QQ 掉线了")
				for tool, why := range s.problems() {
					assert.Contains(t, why, "QQ 掉线了", tool)
				}
				qq.Fail("send_group_msg", 1200, 0)
				qq.SetOnline(true) // without a notice
				time.Sleep(2 * onlineEvery)
				assert.Empty(t, s.context(20).Problem)
				call[sendOut](s, "send_message", to("掉线了"))
			})
		})
	}
}

// If calls go over HTTP, a reply can be sent without the WebSocket, but messages may be missing.
func TestProblem_EventsLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--onebot-http", "http://test")
		assert.Empty(t, s.context(20).Problem)
		qq.DropLinks()
		synctest.Wait()
		assert.Contains(t, s.context(20).Problem, "连接断了")
		assert.Contains(t, call[statusOut](s, "check_status", nil).Problem, "收不到新消息")
		call[sendOut](s, "send_message", to("还能发"))
		s.settle()
		assert.Empty(t, s.context(20).Problem)
	})
}

// Without a limit the newest 20 messages are returned.
func TestContext_DefaultLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		for i := range 60 {
			g.Say(zhang, says(fmt.Sprint("第", i)))
		}
		synctest.Wait()
		c := call[contextOut](s, "get_recent_context", args{"target": "123456"})
		require.Equal(t, 20, c.MessageCount)
		assert.Equal(t, "第40", c.Messages[0].Content)
		batch := call[batchOut](s, "batch_get_recent_context", args{"targets": []args{{"target": "123456"}}})
		assert.Equal(t, 20, batch.Results[0].Context.MessageCount)
	})
}
