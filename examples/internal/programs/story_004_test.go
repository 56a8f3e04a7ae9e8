package programs

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A toolClient is an MCP client of a running qqmcp.
type toolClient struct{ *mcp.ClientSession }

// call calls a tool. It returns the JSON object of the result, and false if the tool failed.
func (c toolClient) call(s *section, tool string, args map[string]any) (result map[string]any, ok bool) {
	s.Helper()
	answer, err := c.CallTool(s.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(s, err)
	result, _ = answer.StructuredContent.(map[string]any)
	return result, !answer.IsError
}

// object calls a tool that must succeed.
func (c toolClient) object(s *section, tool string, args map[string]any) map[string]any {
	s.Helper()
	result, ok := c.call(s, tool, args)
	require.True(s, ok, "%s %v: %v", tool, args, result)
	return result
}

// refuses checks that a tool fails without a result.
func (c toolClient) refuses(s *section, tool string, args map[string]any) {
	s.Helper()
	result, ok := c.call(s, tool, args)
	assert.False(s, ok)
	assert.Nil(s, result)
}

func fields(o map[string]any) []string { return slices.Sorted(maps.Keys(o)) }

// TestStory_004_QQOverMCP follows the document on QQ over MCP with the program as an MCP client starts it: its JSON, its lists
// of allowed chats, its window with summaries, and its limits.
func TestStory_004_QQOverMCP(t *testing.T) {
	tale := newStory(t)
	const techID, fishID, zhangID, liID, strangerID = 123456, 789012, 111222, 555666, 999
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "Glitch"})
	t.Cleanup(qq.Close)
	tech, fish := qq.Group(techID, "技术交流群"), qq.Group(fishID, "摸鱼乐园")
	for _, group := range []*onebottest.Group{tech, fish} {
		group.Member(self, "Glitch")
		group.Member(zhangID, "张三")
	}
	li, stranger := qq.Friend(liID, "李四"), qq.Friend(strangerID, "路人")
	plain := func(text string) onebot.Message { return onebot.Message{onebot.Text(text)} }
	cmd := command(t, "qqmcp", "--qq", fmt.Sprint(self), "--onebot-ws", qq.Start(), "--groups", fmt.Sprint(techID), "--friends", fmt.Sprint(liID))
	connected, err := mcp.NewClient(&mcp.Implementation{Name: "PetGPT", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	c := toolClient{connected}
	t.Cleanup(func() { c.Close() })
	group, private := map[string]any{"target": fmt.Sprint(techID)}, map[string]any{"target": fmt.Sprint(liID), "target_type": "private"}
	with := func(target map[string]any, name string, value any) map[string]any {
		target = maps.Clone(target)
		target[name] = value
		return target
	}
	var asked string // the message that mentions the account

	tale.section("1.1 标准 MCP 工具", func(s *section) {
		tools, err := c.ListTools(s.Context(), nil)
		require.NoError(s, err)
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
		}
		for _, name := range []string{"get_recent_context", "send_message", "check_status", "get_group_list"} {
			assert.Contains(s, names, name)
		}
	})

	tale.section("3.3 check_status", func(s *section) {
		var status map[string]any
		s.eventually("QQ is online", func() bool {
			status = c.object(s, "check_status", map[string]any{})
			return status["online_status"] == "online" && status["total_groups"] == 2.
		})
		assert.Equal(s, []string{"buffer_stats", "monitored_friends", "monitored_groups", "napcat_running", "online_status", "qq_account", "qq_logged_in",
			"qq_nickname", "total_groups", "uptime_seconds"}, fields(status))
		assert.Equal(s, "Glitch", status["qq_nickname"])
		assert.Equal(s, strconv.Itoa(self), status["qq_account"])
		assert.Equal(s, []any{map[string]any{"group_id": "123456", "group_name": "技术交流群", "member_count": 2.}}, status["monitored_groups"])
		assert.Equal(s, []any{map[string]any{"user_id": "555666", "nickname": "李四"}}, status["monitored_friends"])
	})

	tale.section("3.4 get_group_list", func(s *section) {
		assert.Equal(s, map[string]any{"groups": []any{
			map[string]any{"group_id": "123456", "group_name": "技术交流群", "member_count": 2.},
			map[string]any{"group_id": "789012", "group_name": "摸鱼乐园", "member_count": 2.},
		}}, c.object(s, "get_group_list", map[string]any{}))
	})

	tale.section("3.1 get_recent_context 群聊", func(s *section) {
		tech.Say(zhangID, plain("有人用过 Tauri 吗？"))
		asked = fmt.Sprint(tech.Say(zhangID, onebot.Message{onebot.At(self), onebot.Text(" 你呢？")}))
		var context map[string]any
		s.eventually("both messages are there", func() bool {
			context = c.object(s, "get_recent_context", group)
			return context["message_count"] == 2.
		})
		assert.Equal(s, []string{"at_me_messages", "compressed_summary", "group_name", "has_at_me", "message_count", "messages", "target", "target_type"}, fields(context))
		assert.Equal(s, "技术交流群", context["group_name"])
		assert.Nil(s, context["compressed_summary"], "null until there is one")
		assert.Equal(s, true, context["has_at_me"])
		assert.Equal(s, []any{asked}, context["at_me_messages"])
		first := context["messages"].([]any)[0].(map[string]any)
		assert.Equal(s, "111222", first["sender_id"])
		assert.Equal(s, "张三", first["sender_name"])
		assert.Equal(s, "有人用过 Tauri 吗？", first["content"])
		_, err := time.Parse(time.RFC3339, first["timestamp"].(string))
		assert.NoError(s, err)
	})

	tale.section("3.1 get_recent_context 私聊", func(s *section) {
		li.Say(plain("最近那个QQ Agent做得怎么样了？"))
		var context map[string]any
		s.eventually("the message is there", func() bool {
			context = c.object(s, "get_recent_context", private)
			return context["message_count"] == 1.
		})
		assert.Equal(s, []string{"at_me_messages", "compressed_summary", "friend_name", "has_at_me", "message_count", "messages", "target", "target_type"}, fields(context))
		assert.Equal(s, "李四", context["friend_name"])
		assert.Equal(s, false, context["has_at_me"])
		assert.Equal(s, []any{}, context["at_me_messages"])
	})

	tale.section("3.2 send_message 引用回复", func(s *section) {
		sent := c.object(s, "send_message", with(with(group, "content", "用过，启动很快"), "reply_to", asked))
		assert.Equal(s, []string{"message_id", "success", "target", "timestamp"}, fields(sent))
		assert.Equal(s, true, sent["success"])
		assert.Equal(s, "123456", sent["target"])
		require.Len(s, qq.Sent(), 1)
		message := qq.Sent()[0]
		assert.Equal(s, sent["message_id"], fmt.Sprint(message.MessageID))
		assert.Equal(s, "用过，启动很快", message.Message[len(message.Message)-1].Param("text"))
		quoted, ok := message.Message[0].QuotedID()
		assert.True(s, ok)
		assert.Equal(s, asked, fmt.Sprint(quoted))
	})

	tale.section("4.3 白名单：其他群和私聊不读也不发", func(s *section) {
		fish.Say(zhangID, plain("摸鱼"))
		stranger.Say(plain("加个好友"))
		tech.Say(zhangID, plain("刚才那个群在摸鱼"))
		s.eventually("a later message is there", func() bool {
			return c.object(s, "get_recent_context", group)["message_count"] == 4.
		})
		for _, other := range []map[string]any{{"target": fmt.Sprint(fishID)}, {"target": fmt.Sprint(strangerID), "target_type": "private"}} {
			c.refuses(s, "get_recent_context", other)
			c.refuses(s, "send_message", with(other, "content", "在吗"))
		}
		assert.Len(s, qq.Sent(), 1)
		stats := c.object(s, "check_status", map[string]any{})["buffer_stats"].(map[string]any)
		assert.Equal(s, map[string]any{"total_messages_buffered": 5., "groups_tracked": 1., "friends_tracked": 1.}, stats)
	})

	tale.section("4.3 过滤：撤回的消息和入群通知不在上下文里", func(s *section) {
		taken := tech.Say(zhangID, plain("发错群了"))
		s.eventually("the message is there", func() bool { return c.object(s, "get_recent_context", group)["message_count"] == 5. })
		require.True(s, qq.Recall(taken))
		tech.Join(1234, "新人")
		s.eventually("the message is gone", func() bool { return c.object(s, "get_recent_context", group)["message_count"] == 4. })
	})

	tale.section("4.3 滑动窗口：保留最近 100 条，更早的压缩成摘要", func(s *section) {
		for n := range 126 {
			tech.Say(zhangID, plain(fmt.Sprintf("第 %d 条：Tauri 的 benchmark 结果", n+1)))
		}
		var context map[string]any
		s.eventually("there is a summary", func() bool {
			context = c.object(s, "get_recent_context", with(group, "limit", 50))
			return context["compressed_summary"] != nil
		})
		assert.Contains(s, context["compressed_summary"], "30 条")
		messages := context["messages"].([]any)
		require.Len(s, messages, 50)
		assert.Equal(s, "第 126 条：Tauri 的 benchmark 结果", messages[49].(map[string]any)["content"])
		stats := c.object(s, "check_status", map[string]any{})["buffer_stats"].(map[string]any)
		assert.Equal(s, 101., stats["total_messages_buffered"], "100 of the group and one of the friend")
		c.refuses(s, "get_recent_context", with(group, "limit", 51))
	})

	tale.section("5 合一调用：沉默就不调用 send_message", func(s *section) {
		c.refuses(s, "send_message", with(group, "content", "[skip]"))
		assert.Len(s, qq.Sent(), 1)
	})

	tale.section("6 发送频率限制：同一个群 3 秒一条", func(s *section) {
		var early map[string]any
		n := 0
		s.eventually("a send is too early", func() bool {
			n++
			early, _ = c.call(s, "send_message", with(group, "content", fmt.Sprintf("说第 %d 句", n)))
			return early["success"] == false
		})
		assert.Equal(s, "rate_limited", early["error"])
		assert.Greater(s, early["retry_after"], 0.)
		assert.Len(s, qq.Sent(), n, "one before, and all but the last of these")
		s.eventually("a later send succeeds", func() bool {
			_, ok := c.call(s, "send_message", with(group, "content", "等到了"))
			return ok
		})
		assert.Equal(s, "等到了", qq.Sent()[n].Message.Text())
	})

	tale.section("4.4 关闭：客户端断开，程序退出", func(s *section) {
		require.NoError(s, c.Close())
		s.eventually("the link is closed", func() bool { return qq.Links() == 0 })
	})
}
