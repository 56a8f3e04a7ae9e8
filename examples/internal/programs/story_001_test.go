package programs

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aPixel is a PNG of one pixel.
const aPixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// left matches the line of -trace for the end of a focus by the planner.
var left = regexp.MustCompile(`: (chat|absent) left`)

// planned is an answer of the planner.
func planned(action, more string) modeltest.Step {
	return modeltest.Say(fmt.Sprintf(`{"action": %q, "reasoning": "因为%s"%s}`, action, action, more))
}

// TestStory_001_HeartFlowChat follows the document on Heart Flow Chat: the bot looks at a chat, answers in it, focuses on it, and
// leaves the focus. Time passes 20 times faster.
func TestStory_001_HeartFlowChat(t *testing.T) {
	tale := newStory(t)
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉"})
	t.Cleanup(qq.Close)
	group := qq.Group(hearthGroup, "炉边夜话")
	for id, name := range map[int64]string{cheID: "阿澈", man: "小满", wang: "老王", self: "小炉"} {
		group.Member(id, name)
	}
	stickers := filepath.Join(tale.dir, "stickers")
	picture, err := base64.StdEncoding.DecodeString(aPixel)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(stickers, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(stickers, "笑死.png"), picture, 0o600))
	settings := filepath.Join(tale.dir, "groupbot.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("chats:\n  default:\n    banned_words: [彩票]\n"), 0o600))
	out := &screen{}
	cmd := command(t, "groupbot", append(tale.modelFlags(), "-onebot", qq.Start(), "-db", filepath.Join(tale.dir, "a.db"), "-speed", "20", "-seed", "1", "-interests", "年糕,咖啡",
		"-config", settings, "-stickers", stickers, "-trace")...)
	cmd.Stdout = out
	start(t, cmd)
	until(t, func() bool { return qq.Links() == 1 })
	// sent returns the messages that the group has received and that fit.
	sent := func(fits func(onebot.Message) bool) (found []onebot.Message) {
		for _, m := range qq.Sent() {
			if m.Chat == group.Chat() && fits(m.Message) {
				found = append(found, m.Message)
			}
		}
		return found
	}
	saying := func(text string) []onebot.Message {
		return sent(func(m onebot.Message) bool { return strings.Contains(m.Text(), text) })
	}
	said := 0
	// talk lets people say something every two seconds until ok returns true.
	talk := func(s *section, what string, ok func() bool, people []int64, before ...onebot.Segment) {
		s.Helper()
		var last time.Time
		s.eventually(what, func() bool {
			if time.Since(last) > 2*time.Second {
				last = time.Now()
				for _, who := range people {
					said++
					group.Say(who, append(before[:len(before):len(before)], onebot.Text(fmt.Sprintf("年糕又睡着了（%d）", said))))
				}
			}
			return ok()
		})
	}
	one, all := []int64{man}, []int64{cheID, man, wang, cheID, man, wang}
	mention := []onebot.Segment{onebot.At(self), onebot.Text(" ")}
	const focused = "exit_focus_mode" // the planner may choose it in a focus only

	tale.section("3.1 预处理：屏蔽词", func(s *section) {
		group.Say(wang, onebot.Message{onebot.At(self), onebot.Text(" 买彩票吗")})
		s.eventually("it is received", func() bool { return strings.Contains(out.Printed(), "买彩票吗") })
	})

	tale.section("3.2 ABSENT → CHAT：由模型决定要不要看", func(s *section) {
		s.model.always("要不要看", modeltest.Say(`{"decision": true, "reason": "在聊猫"}`))
		talk(s, "the model is asked", func() bool { return strings.Contains(out.Printed(), "judged_in") }, one)
		s.read("要不要看", "年糕")
	})

	tale.section("3.3 普通聊天：被提及，想、决定、写", func(s *section) {
		s.model.always("想", modeltest.Say("年糕真懒，想逗逗它。"))
		s.model.always("决定", planned("text_reply", ""))
		s.model.always("写", modeltest.Say("让它睡吧"))
		talk(s, "the group receives an answer", func() bool { return len(saying("让它睡吧")) > 0 }, one, mention...)
		s.has(s.read("决定", "年糕真懒，想逗逗它。"), "- text_reply", "- no_reply")
		s.has(s.read("写", "因为text_reply"), "年糕真懒，想逗逗它。")
		s.read("看人", "让它睡吧")
	})

	tale.section("3.2 CHAT → FOCUSED：兴趣够高", func(s *section) {
		s.model.always("决定", planned("no_reply", ""))
		talk(s, "the bot focuses", func() bool { return len(s.model.prompts("决定", focused)) > 0 }, slices.Concat(all, all))
		assert.Contains(s, out.Printed(), ": focused interest")
		s.has(s.read("决定", focused), "- text_reply", "- no_reply", "- exit_focus_mode")
	})

	tale.section("3.4 no_reply：不说话，记下原因", func(s *section) {
		talk(s, "the next plan knows the reason", func() bool { return len(s.model.prompts("决定", focused, "因为no_reply")) > 0 }, all, mention...)
	})

	tale.section("3.4 text_reply：带 @ 和戳一戳", func(s *section) {
		s.model.always("写", modeltest.Say("年糕几岁了"))
		s.model.always("决定", planned("text_reply", fmt.Sprintf(`, "at_user": "%d", "poke_user": "%d"`, man, wang)))
		talk(s, "the group receives the text and the poke", func() bool { return len(saying("年糕几岁了")) > 0 && len(qq.Calls("group_poke")) > 0 }, all, mention...)
		first := saying("年糕几岁了")[0]
		assert.True(s, first.Mentions(man), "%v", first)
		assert.Contains(s, string(qq.Calls("group_poke")[0].Params), fmt.Sprint(wang))
	})

	tale.section("3.4 emoji_reply：按 emoji_query 找表情", func(s *section) {
		s.model.always("决定", planned("emoji_reply", `, "emoji_query": "笑死"`))
		talk(s, "the group receives a picture", func() bool {
			return len(sent(func(m onebot.Message) bool { return len(m) > 0 && m[0].Type == "image" })) > 0
		}, all, mention...)
	})

	tale.section("3.4 坏的 JSON 当作不回复", func(s *section) {
		s.model.always("决定", modeltest.Say("我要说话！"))
		before := len(s.model.prompts("决定", focused))
		talk(s, "another plan is asked for", func() bool { return len(s.model.prompts("决定", focused)) > before+1 }, all, mention...)
	})

	tale.section("3.4 exit_focus_mode：结束专注", func(s *section) {
		s.model.always("决定", planned("exit_focus_mode", ""))
		talk(s, "the bot leaves", func() bool { return left.MatchString(out.Printed()) }, all, mention...)
	})
	for _, p := range tale.model.served.Prompts() {
		assert.NotContains(t, p.Text(), "彩票", "no prompt contains a banned word")
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
}
