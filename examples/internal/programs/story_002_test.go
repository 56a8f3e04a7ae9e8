package programs

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
)

// plan is a call of add_schedule with the four parts of a task.
func plan(delay, outdated int, title, motivation, plan, expected string) modeltest.Step {
	args := map[string]any{"delay_seconds": delay, "content": map[string]any{
		"title": title, "motivation": motivation, "plan": plan, "expected_outcome": expected,
	}}
	if outdated > 0 {
		args["outdated_seconds"] = outdated
	}
	return modeltest.Call("add_schedule", args)
}

// patch is a call of apply_patch_to_character_state.
func patch(text string) modeltest.Step {
	return modeltest.Call("apply_patch_to_character_state", map[string]any{"patch": "*** Begin Patch\n" + text + "\n*** End Patch"})
}

// activityWatch serves an ActivityWatch with half an hour of work in two windows.
func activityWatch(t *testing.T) string {
	began := time.Now().UTC().Add(-30 * time.Minute)
	var events []any
	for i, app := range []string{"Code", "Firefox", "Code", "Firefox"} {
		events = append(events, map[string]any{
			"id": i, "timestamp": began.Add(time.Duration(i) * 7 * time.Minute).Format(time.RFC3339Nano), "duration": 400.0,
			"data": map[string]string{"app": app, "title": "文档"},
		})
	}
	mux := http.NewServeMux()
	for path, body := range map[string]any{
		"info":                  map[string]any{"hostname": "desk", "version": "v0.13.2"},
		"buckets/":              map[string]any{"window": map[string]any{"id": "window", "type": "currentwindow", "hostname": "desk", "created": began.Format(time.RFC3339Nano)}},
		"buckets/window/events": events,
	} {
		mux.HandleFunc("GET /api/0/"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			assert.NoError(t, json.NewEncoder(w).Encode(body))
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// TestStory_002_Proactivity follows the document on the proactive companion: idle planning with patches, a task that comes
// due, a talk with its archive, and a task that was missed. Time passes 60 times faster, so five minutes are five seconds.
func TestStory_002_Proactivity(t *testing.T) {
	tale := newStory(t)
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	t.Cleanup(qq.Close)
	flags := []string{"-onebot", qq.Start(), "-db", filepath.Join(tale.dir, "a.db"), "-activity", activityWatch(t), "-speed", "60"}
	const reminder = "5 分钟后提醒用户喝水"

	// The plan of section 5, "组合示例": a patch, a task and a notification from the observed activity.
	tale.model.next("打算",
		patch("@@ ## 对主人的了解\n+- 用户当前在进行开发调研。"),
		plan(5, 3600, reminder, "用户一直在写代码", "说一句，不打断", "用户喝了水"),
		modeltest.Call("add_notification", map[string]any{"title": "休息", "content": "看看窗外吧"}),
		modeltest.Say("他在查文档，五分钟后提醒他喝水。"),
	)
	tale.model.always("做计划好的事", modeltest.Say("<item>主人，记得喝水哦～</item><item>喝完再写也来得及</item>"))
	tale.model.always("记下结果", modeltest.Say("提醒了，他应了一声。"))
	c := tale.startCompanion(flags...)

	tale.section("3 心跳空闲：后台会话读事件和角色状态", func(s *section) {
		p := s.read("打算")
		s.has(p, "<events>", "Code", "Firefox", "## 角色背景")
		for _, tool := range []string{"add_schedule", "delete_schedule", "add_notification", "apply_patch_to_character_state", "apply_patch_to_history_tasks"} {
			assert.Contains(s, p.ToolNames(), tool)
		}
		s.eventually("the task is planned", func() bool { return c.day(t).status(reminder) != "" })
		assert.Contains(s, c.day(t).document("character_state"), "- 用户当前在进行开发调研。")
		s.eventually("the notification is shown", func() bool { return len(c.shown("notice")) == 1 })
		assert.Contains(s, c.shown("notice")[0], "看看窗外吧")
		assert.NotContains(s, c.screen.Printed(), "reply: 他在查文档", "the text of a background talk is archived")
	})

	tale.section("3 任务到点：前台对话按 <item> 推送", func(s *section) {
		p := s.read("做计划好的事", reminder)
		s.has(p, "用户一直在写代码", "说一句，不打断", "用户喝了水", "用户当前在进行开发调研。")
		assert.NotContains(s, p.ToolNames(), "apply_patch_to_character_state", "only background talks change documents")
		s.eventually("both items are shown", func() bool { return len(c.shown("reply")) == 2 })
		assert.Equal(s, []string{"主人，记得喝水哦～", "喝完再写也来得及"}, c.shown("reply"))
		s.eventually("the task is accomplished", func() bool { return c.day(t).status(reminder) == "accomplished" })
	})

	tale.section("9.6 每个任务执行后写回结果", func(s *section) {
		s.read("记下结果", reminder)
		s.eventually("the outcome is kept", func() bool {
			for _, task := range c.day(t).Tasks {
				if task.Title == reminder && task.Reflection == "提醒了，他应了一声。" {
					return true
				}
			}
			return false
		})
	})

	tale.section("4 用户手动输入：前台流式对话", func(s *section) {
		s.model.next("我在写发布说明", modeltest.Say("<item>加油</item><item>写完告诉我</item>"))
		c.say(t, "我在写发布说明")
		p := s.read("我在写发布说明")
		for _, tool := range []string{"add_schedule", "delete_schedule", "add_notification"} {
			assert.Contains(s, p.ToolNames(), tool)
		}
		assert.NotContains(s, p.ToolNames(), "apply_patch_to_history_tasks")
		s.eventually("the answer is shown", func() bool { return len(c.shown("reply")) == 4 })
	})

	tale.section("2.3 三分钟没有消息：归档并复盘", func(s *section) {
		s.model.next("回想", patch("@@ ## 发生过的事\n+- 主人写了发布说明。"), modeltest.Say("记下了。"))
		s.read("回想", "我在写发布说明", "写完告诉我")
		s.eventually("the review changes the document", func() bool {
			return strings.Contains(c.day(t).document("character_state"), "- 主人写了发布说明。")
		})
	})

	tale.section("6 对不上的删除：报错，什么也不改", func(s *section) {
		before := c.day(t).document("character_state")
		s.model.next("打算", patch("@@ ## 对主人的了解\n-- 喜欢下雨天。\n+- 喜欢晴天。"), modeltest.Say("改不了"))
		s.read("打算", "什么也没有改")
		assert.Contains(s, strings.Join(s.model.results("打算"), "\n"), "error: ")
		assert.Equal(s, before, c.day(t).document("character_state"))
	})

	tale.section("8 任务过期：记下来，重新排期", func(s *section) {
		const call = "问问进展"
		s.model.always("没赶上的事", plan(1, 3600, "补："+call, "还是想知道", "问一句", "知道进展"), modeltest.Say("重新排一次"))
		c.ask(s, "晚点问我进展", plan(1, 2, call, "他说晚点再说", "问一句", "知道进展"), modeltest.Say("好"))
		c.end(t)
		time.Sleep(2 * time.Second)
		c = tale.startCompanion(flags...)
		p := s.read("没赶上的事", call)
		assert.Subset(s, p.ToolNames(), []string{"add_schedule", "reschedule"})
		s.eventually("the task ended as outdated", func() bool { return c.day(t).status(call) == "outdated" })
		s.eventually("its replacement runs", func() bool { return c.day(t).status("补："+call) == "accomplished" })
		assert.Contains(s, c.day(t).document("character_state"), "- 主人写了发布说明。", "documents survive a restart")
	})
	c.end(t)
}
