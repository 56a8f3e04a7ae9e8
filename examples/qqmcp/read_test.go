package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keys returns the field names of an object in order.
func keys(t *testing.T, object string) (names []string) {
	d := json.NewDecoder(strings.NewReader(object))
	depth := 0
	name := true
	for {
		token, err := d.Token()
		if err != nil {
			return names
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			name = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			name = depth == 1
			continue
		}
		if depth == 1 {
			if name {
				names = append(names, token.(string))
			}
			name = !name
		}
	}
}

// Results have every field of the specification with its name and in its order.
func TestContext_Fields(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{})
		qq.Group(789012, "摸鱼乐园")
		s := start(t, qq, "--groups", "123456", "--friends", fmt.Sprint(li))
		g.Say(zhang, says("有人用过 Tauri 吗？"))
		f.Say(says("最近那个QQ Agent做得怎么样了？"))
		at := g.Say(wang, onebot.Message{onebot.At(self), onebot.Text(" 你呢")})
		synctest.Wait()

		res := s.try("get_recent_context", args{"target": "123456"})
		assert.Equal(t, []string{"target", "target_type", "group_name", "compressed_summary", "message_count", "messages", "has_at_me", "at_me_messages"}, keys(t, text(res)))
		c := structured[contextOut](t, res)
		require.Equal(t, 2, c.MessageCount)
		assert.Equal(t, "技术交流群", *c.GroupName)
		assert.Nil(t, c.CompressedSummary)
		assert.Contains(t, text(res), `"compressed_summary":null`)
		assert.Equal(t, "123456 group", c.Target+" "+c.TargetType)
		assert.True(t, c.HasAtMe)
		assert.Equal(t, []string{fmt.Sprint(at)}, c.AtMeMessages)
		assert.Equal(t, "有人用过 Tauri 吗？", c.Messages[0].Content)
		assert.Equal(t, "111222 张三", c.Messages[0].SenderID+" "+c.Messages[0].SenderName)
		assert.Equal(t, "@Glitch 你呢", c.Messages[1].Content)
		when, err := time.Parse(time.RFC3339, c.Messages[0].Timestamp)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now(), when, 5*time.Second)
		var raw struct{ Messages []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(text(res)), &raw))
		assert.Equal(t, []string{"sender_id", "sender_name", "content", "timestamp", "message_id"}, keys(t, string(raw.Messages[0])))

		res = s.try("get_recent_context", args{"target": li, "target_type": "private"}) // a number instead of a string
		assert.Equal(t, []string{"target", "target_type", "friend_name", "compressed_summary", "message_count", "messages", "has_at_me", "at_me_messages"}, keys(t, text(res)))
		assert.Contains(t, text(res), `"friend_name":"李四"`)
		assert.Contains(t, text(res), `"has_at_me":false,"at_me_messages":[]`)

		res = s.try("check_status", nil)
		assert.Equal(t, []string{"napcat_running", "qq_logged_in", "qq_account", "qq_nickname", "online_status", "uptime_seconds",
			"monitored_groups", "monitored_friends", "total_groups", "buffer_stats"}, keys(t, text(res)))
		st := structured[statusOut](t, res)
		assert.Equal(t, statusOut{
			NapCatRunning: true, QQLoggedIn: true, QQAccount: "10001", QQNickname: "Glitch", OnlineStatus: "online", UptimeSeconds: 3,
			MonitoredGroups:  []groupOut{{"123456", "技术交流群", 3}},
			MonitoredFriends: []friendOut{{"555666", "李四"}},
			TotalGroups:      2, BufferStats: bufferStats{3, 1, 1},
		}, st)

		res = s.try("get_group_list", nil)
		assert.JSONEq(t, `{"groups":[{"group_id":"123456","group_name":"技术交流群","member_count":3},{"group_id":"789012","group_name":"摸鱼乐园","member_count":1}]}`, text(res))

		res = s.try("send_message", args{"target": "123456", "content": "用过", "reply_to": fmt.Sprint(at)})
		assert.Equal(t, []string{"success", "message_id", "target", "timestamp"}, keys(t, text(res)))
		out := structured[sendOut](t, res)
		assert.True(t, out.Success)
		assert.Equal(t, fmt.Sprint(qq.Sent()[0].MessageID), out.MessageID)
	})
}

// Times are RFC 3339 in the zone of this computer.
func TestContext_TimeZone(t *testing.T) {
	at := time.Date(2026, 2, 15, 6, 30, 0, 0, time.UTC)
	m := message{id: -964635551, sender: 111222, at: at.Unix()}
	said := m.output(time.FixedZone("", 8*3600))
	assert.Equal(t, "2026-02-15T14:30:00+08:00", said.Timestamp)
	assert.Equal(t, "-964635551 111222", said.MessageID+" "+said.SenderID)
	assert.Equal(t, "2026-02-15T06:30:00Z", m.output(time.UTC).Timestamp)
}

// Each tool has a schema of its arguments and of its result.
func TestTools_Schemas(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		list, err := s.ListTools(t.Context(), nil)
		require.NoError(t, err)
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			assert.NotNil(t, tool.OutputSchema, tool.Name)
			assert.NotEmpty(t, tool.Description)
			assert.Equal(t, tool.Name != "send_message" && tool.Name != "compress_context", tool.Annotations.ReadOnlyHint, tool.Name)
		}
		assert.Equal(t, []string{"batch_get_recent_context", "check_status", "compress_context", "get_group_list", "get_message",
			"get_recent_context", "send_message", "wait_for_message"}, names)
		schema, err := json.Marshal(list.Tools[5])
		require.NoError(t, err)
		for _, want := range []string{`"limit":{"default":20,`, `"maximum":50`, `"minimum":1`, `"enum":["group","private"]`, `"required":["target"]`} {
			assert.Contains(t, string(schema), want)
		}
	})
}

// Chats that are not on the lists are not stored, read or written.
func TestAllowed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{})
		other := qq.Group(789012, "摸鱼乐园")
		other.Member(zhang, "张三")
		stranger := qq.Friend(777, "生人")
		past := other.Say(zhang, says("zq7 以前的秘密"))
		s := start(t, qq, "--groups", "123456", "--friends", "555666")
		secret := other.Say(zhang, says("zq7 秘密"))
		stranger.Say(says("zq7 私聊"))
		g.Member(888, "群友").SayPrivately(says("zq7 临时会话"))
		f.Say(says("在吗"))
		synctest.Wait()

		for _, a := range []args{
			{"target": "789012"}, {"target": 789012}, {"target": "777", "target_type": "private"}, {"target": "888", "target_type": "private"},
			{"target": "555666"}, {"target": "123456", "target_type": "private"}, {"target": "999999"},
		} {
			assert.Contains(t, s.fails("get_recent_context", a), "名单", a)
			assert.NotContains(t, s.fails("wait_for_message", a), "zq7")
			a["content"] = "不该发出去"
			assert.Contains(t, s.fails("send_message", a), "名单", a)
			delete(a, "content")
			s.fails("compress_context", a)
		}
		assert.Equal(t, s.fails("get_recent_context", args{"target": "789012"}), s.fails("get_recent_context", args{"target": "999999"}), "forbidden and unknown are one")
		for _, id := range []int64{past, secret} {
			assert.Equal(t, s.fails("get_message", args{"message_id": 12345}), s.fails("get_message", args{"message_id": id}))
			assert.Contains(t, s.fails("send_message", args{"target": "123456", "content": "引用", "reply_to": id}), "没有这条消息")
		}
		assert.Empty(t, qq.Sent())
		all, err := s.ListResources(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, all.Resources, 2)
		for _, r := range s.p.chats.list() {
			for _, m := range r.view().all {
				assert.NotContains(t, m.text, "zq7")
			}
		}
		assert.Equal(t, bufferStats{1, 1, 1}, call[statusOut](s, "check_status", nil).BufferStats)
	})
}

// Without lists all groups and no friends are allowed.
func TestAllowed_Defaults(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		g.Say(zhang, says("群里"))
		f.Say(says("私聊"))
		qq.Group(789012, "新群").Say(zhang, says("刚进的群")) // not on the first list of groups
		synctest.Wait()
		assert.Equal(t, []string{"群里"}, contents(s.context(20).Messages))
		assert.Equal(t, []string{"刚进的群"}, contents(call[contextOut](s, "get_recent_context", args{"target": 789012}).Messages))
		assert.Contains(t, s.fails("get_recent_context", args{"target": li, "target_type": "private"}), "--friends")
	})
}

// The status counts the groups of the account, listed or not.
func TestStatus_CountsGroups(t *testing.T) {
	for _, more := range []int{0, 2} {
		t.Run(fmt.Sprint(more), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				qq, _, _ := newQQ(t, onebottest.Options{})
				for i := range more {
					qq.Group(int64(700001+i), "别的群")
				}
				s := start(t, qq, "--groups", "123456")
				assert.Equal(t, 1+more, call[statusOut](s, "check_status", nil).TotalGroups)
			})
		})
	}
}

// One call reads several chats, each with its own error.
func TestContext_Batch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, f := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--friends", "555666")
		for i := range 5 {
			g.Say(zhang, says(fmt.Sprint("第", i)))
		}
		f.Say(says("在吗"))
		synctest.Wait()
		out := call[batchOut](s, "batch_get_recent_context", args{"limit": 2, "targets": []args{
			{"target": "123456"}, {"target": li, "target_type": "private"}, {"target": "999"},
		}})
		require.Len(t, out.Results, 3)
		assert.Equal(t, []string{"第3", "第4"}, contents(out.Results[0].Context.Messages))
		assert.Equal(t, []string{"在吗"}, contents(out.Results[1].Context.Messages))
		assert.Nil(t, out.Results[2].Context)
		assert.Contains(t, out.Results[2].Error, "没有这个群")
		for _, bad := range []args{{}, {"targets": []args{}}, {"targets": []string{"123456"}}, {"targets": make([]args, 21)}, {"targets": []args{{"target": "1", "x": 1}}}} {
			assert.Contains(t, s.fails("batch_get_recent_context", bad), "bad arguments")
		}
	})
}
