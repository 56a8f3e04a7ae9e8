package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// setTimer is a call of set_timer.
func setTimer(when, content string) modeltest.Step {
	return modeltest.Call("set_timer", map[string]any{"when": when, "content": content})
}

// instance writes the directory of a character, and returns the flags of a program that runs it.
func (s *story) instance(qq, name string) []string {
	s.Helper()
	dir := filepath.Join(s.dir, name)
	require.NoError(s, os.MkdirAll(dir, 0o700))
	require.NoError(s, os.WriteFile(filepath.Join(dir, "persona.json"), []byte(`{"name": "`+name+`"}`), 0o600))
	require.NoError(s, os.WriteFile(filepath.Join(dir, "about.md"), []byte(name+"守着一盏灯。"), 0o600))
	return []string{"-onebot", qq, "-persona", dir, "-db", filepath.Join(s.dir, name+".db"), "-speed", "30"}
}

// TestStory_003_LifeLoop follows the document on the life loop: timers in three forms, a timer that stays silent, a
// reflection after ten messages, a restart, and a second instance. Time passes 30 times faster, so the loop of 30 seconds runs
// every second. A timer keeps its own time, and a cron line fires at a full minute.
func TestStory_003_LifeLoop(t *testing.T) {
	tale := newStory(t)
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "阿灯"})
	t.Cleanup(qq.Close)
	url := qq.Start()
	flags := tale.instance(url, "阿灯")
	c := tale.startCompanion(flags...)

	tale.section("Timer 系统：相对、绝对、周期三种写法", func(s *section) {
		s.model.always("想起来", modeltest.Say("时间到了，去吧"))
		c.ask(s, "每分钟看一眼炉火", setTimer("cron:* * * * *", "看炉火"), modeltest.Say("好，每分钟看一眼"))
		c.ask(s, "一秒后叫我关火", setTimer("1s", "关火"), modeltest.Say("好，一秒后"))
		at := time.Now().Add(10 * time.Second).Format("once:2006-01-02 15:04:05")
		c.ask(s, "到点叫我开会", setTimer(at, "开会"), modeltest.Say("好，到点叫你"))
		assert.Equal(s, "cron:* * * * *", c.day(s.T).timer("看炉火"))
		for _, wrong := range []string{"once:2020-01-01 09:00", "cron:61 * * * *", "明天"} {
			c.ask(s, "叫我 "+wrong, setTimer(wrong, wrong), modeltest.Say("这个时间不行"))
			assert.Contains(s, strings.Join(s.model.results("叫我 "+wrong), "\n"), "error", "the tool refuses %s", wrong)
			assert.Empty(s, c.day(s.T).timer(wrong))
		}
	})

	tale.section("触发流程：人设、心境、时间、情感动机，没有对话历史", func(s *section) {
		for _, content := range []string{"关火", "开会"} {
			p := s.read("想起来：" + content)
			s.has(p, "阿灯守着一盏灯。", `<wake kind="timer"`, "因为在意", "<session_info time=")
			assert.Empty(s, strings.TrimSpace(element(p, "history_messages")))
			assert.Contains(s, p.ToolNames(), "set_inner_state")
			s.eventually("the timer is removed", func() bool { return c.day(s.T).timer(content) == "" })
		}
		s.eventually("it is shown", func() bool {
			return strings.Contains(strings.Join(c.shown("timer"), "\n"), "关火 → 时间到了，去吧")
		})
		chat := s.read("一秒后叫我关火")
		assert.NotContains(s, chat.ToolNames(), "set_inner_state", "the chat loop reads the inner state only")
		assert.Contains(s, chat.ToolNames(), "set_slot")
	})

	tale.section("触发流程：选择沉默", func(s *section) {
		s.model.next("想起来：看看她", modeltest.Call("set_inner_state", map[string]any{"text": "她在忙，我等着。"}), modeltest.Say("[skip]"))
		c.ask(s, "一秒后看看我在不在忙", setTimer("1s", "看看她"), modeltest.Say("好"))
		s.read("想起来：看看她")
		s.eventually("the timer ran", func() bool {
			return strings.Contains(strings.Join(c.shown("timer"), "\n"), "看看她 → （什么也没说）")
		})
		assert.Contains(s, strings.Join(s.model.results("想起来：看看她"), "\n"), "好", "it changed its inner state")
	})

	tale.section("自动反思：每 10 条消息后改写心境，不发消息", func(s *section) {
		s.model.always("体会", modeltest.Say("她今天交代了很多事，我想把它们都记住。"))
		for range 5 {
			c.ask(s, "还在吗", modeltest.Say("在"))
		}
		p := s.read("体会", "还在吗")
		assert.Empty(s, p.ToolNames())
		s.eventually("the inner state is new", func() bool { return c.day(s.T).Inner == "她今天交代了很多事，我想把它们都记住。" })
		assert.NotContains(s, c.screen.Printed(), "reply: 她今天交代了")
		c.ask(s, "你现在怎么样", modeltest.Say("挺好"))
		s.has(s.read("你现在怎么样"), "我想把它们都记住")
	})

	tale.section("Timer 系统：cron 自动重新调度", func(s *section) {
		s.read("想起来：看炉火")
		s.eventually("it fired", func() bool { return strings.Contains(strings.Join(c.shown("timer"), "\n"), "看炉火") })
		assert.Equal(s, "cron:* * * * *", c.day(s.T).timer("看炉火"), "it is still there")
	})

	tale.section("状态层级：重启以后都还在", func(s *section) {
		c.ask(s, "记住我喜欢乌龙茶", modeltest.Call("set_slot", map[string]any{"name": "茶", "text": "喜欢乌龙茶"}), modeltest.Say("记住了"))
		c.end(s.T)
		c = tale.startCompanion(flags...)
		s.eventually("it is back", func() bool { return c.day(s.T).Inner != "" })
		assert.Equal(s, "她今天交代了很多事，我想把它们都记住。", c.day(s.T).Inner)
		assert.Equal(s, "cron:* * * * *", c.day(s.T).timer("看炉火"))
		c.ask(s, "我喜欢喝什么", modeltest.Say("乌龙茶"))
		s.has(s.read("我喜欢喝什么"), "喜欢乌龙茶", "我想把它们都记住", "记住我喜欢乌龙茶")
	})

	tale.section("实例隔离：另一个实例什么也不知道", func(s *section) {
		first := c
		c = tale.startCompanion(tale.instance(url, "阿烛")...)
		c.ask(s, "你是谁，知道我喜欢什么吗", modeltest.Say("我是阿烛，还不知道"))
		p := s.read("你是谁，知道我喜欢什么吗")
		s.has(p, "阿烛守着一盏灯。")
		s.lacks(p, "阿灯", "乌龙茶", "我想把它们都记住", "看炉火")
		c.end(s.T)
		first.end(s.T)
	})
}
