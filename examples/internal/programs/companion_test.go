package programs

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// companionAnswers are the answers of the companion's model.
var companionAnswers = Script{
	"早":          {modeltest.Say("<item>早，主人</item><item>今天也顺利</item>")},
	"把炉边夜话的老王禁言": {modeltest.Call("qq_get_group_list", nil), modeltest.Call("qq_group_ban", map[string]any{"group_id": "炉边夜话", "user_id": "老王", "duration": 600}), modeltest.Say("办好了")},
	"告诉小明三点开会":   {modeltest.Call("qq_send_text", map[string]any{"target_id": "user_31001", "content": "三点开会"}), modeltest.Say("带到了")},
	"记住我喜欢乌龙茶": {
		modeltest.Calls(
			modeltest.ToolCall("set_slot", map[string]any{"name": "茶", "text": "主人喜欢乌龙茶"}),
			modeltest.ToolCall("apply_patch_to_character_state", map[string]any{"patch": "*** Begin Patch\n@@ ## 对主人的了解\n+- 喜欢乌龙茶\n*** End Patch"}),
		),
		modeltest.Say("记住了"),
	},
	"提醒我喝水":   {modeltest.Call("set_timer", map[string]any{"when": "1h", "content": "喝水"}), modeltest.Say("好，到时候叫你")},
	"马上提醒我关火": {modeltest.Call("set_timer", map[string]any{"when": "1s", "content": "关火"}), modeltest.Say("好，到时候叫你")},
	"想起来":     {modeltest.Say("<item>主人，关火了</item>")},
	"一小时后跟进发布": {modeltest.Call("add_schedule", map[string]any{"delay_seconds": 3600, "outdated_seconds": 7200, "content": map[string]any{
		"title": "跟进发布", "motivation": "主人交代的", "plan": "问问主人", "expected_outcome": "主人放心",
	}}), modeltest.Say("记下了")},
	"打算":           {modeltest.Say("没有要做的")},
	"体会":           {modeltest.Say("心里是暖的")},
	"记":            {modeltest.Say("主人交代了几件事")},
	"看人：@小炉 在吗":    {modeltest.Say(`{"people": [{"id": "31002", "feeling": "happy", "stance": 1, "impression": "爱打招呼"}], "names": []}`)},
	"看人":           {modeltest.Say(`{"people": [], "names": []}`)},
	"@小炉 在吗":       {modeltest.Say("在呢")},
	"@小炉 你主人在吗，很急": {modeltest.Call("notify_master", map[string]any{"content": "小满在找你，很急"}), modeltest.Say("我去说一声")},
	"我喜欢喝什么":       {modeltest.Say("乌龙茶")},
}

// A runningCompanion is a companion process.
type runningCompanion struct {
	*exec.Cmd
	typed io.WriteCloser
}

const token = "a token of the test's own"

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

// startCompanion starts a companion that prints to out.
func startCompanion(t *testing.T, out io.Writer, args ...string) *runningCompanion {
	t.Helper()
	l := &runningCompanion{Cmd: command(t, "companion", append([]string{"-http-token", token}, args...)...)}
	l.Stdout = out
	typed, err := l.StdinPipe()
	require.NoError(t, err)
	l.typed = typed
	start(t, l.Cmd)
	return l
}

// The program over real sockets with a restart. The golden file has its model requests, QQ calls and output.
func TestCompanion_Recorded(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉", Token: "secret"})
	defer qq.Close()
	url := qq.Start()
	group := qq.Group(hearthGroup, "炉边夜话")
	group.Member(self, "小炉").WithRole("admin")
	group.Member(man, "小满")
	group.Member(wang, "老王")
	qq.Friend(mingID, "小明")
	r := record(t, qq, companionAnswers)
	dir := t.TempDir()
	key, db := filepath.Join(dir, "key"), filepath.Join(dir, "a.db")
	require.NoError(t, os.WriteFile(key, []byte("sk-of-the-test"), 0o600))
	var l *runningCompanion
	begin := func() {
		l = startCompanion(t, r, "-onebot", url, "-token", "secret", "-db", db, "-seed", "1",
			"-model", "openai", "-model-name", "m", "-base-url", r.URL, "-key-file", key)
		until(t, func() bool { return qq.Links() == 1 })
	}
	end := func() {
		require.NoError(t, l.typed.Close())
		require.NoError(t, l.Wait())
	}
	typed := func(text string) func() {
		return func() {
			_, err := fmt.Fprintln(l.typed, text)
			require.NoError(t, err)
		}
	}
	mentioned := func(text string) func() {
		return func() { group.Say(man, onebot.Message{onebot.At(self), onebot.Text(" " + text)}) }
	}
	effects := func(requests, calls, lines int) Effects {
		return Effects{Requests: requests, Calls: calls, Lines: lines}
	}

	r.Step("It starts", effects(1, 2, 4), begin)
	r.Step("The owner talks to it over HTTP", effects(1, 0, 3), func() {
		answer := talkTo(t, address.FindString(r.Printed()), token, "早")
		assert.Equal(t, "{\"text\":\"早，主人\",\"type\":\"item\"}\n{\"text\":\"今天也顺利\",\"type\":\"item\"}\n{\"text\":\"\",\"type\":\"done\"}\n", answer)
	})
	r.Step("The owner orders something on QQ", effects(3, 5, 3), typed("把炉边夜话的老王禁言"))
	r.Step("The owner has somebody told", effects(2, 1, 4), typed("告诉小明三点开会"))
	r.Step("It takes a note", effects(2, 0, 4), typed("记住我喜欢乌龙茶"))
	r.Step("It plans a task, and reflects", effects(3, 0, 4), typed("一小时后跟进发布"))
	waitKept(t, db, "心里是暖的")
	r.Step("It sets a timer, and sums up the talk", effects(3, 0, 3), typed("提醒我喝水"))
	waitKept(t, db, "主人交代了几件事")
	r.Step("A timer fires", effects(3, 0, 5), typed("马上提醒我关火"))
	r.Step("Somebody mentions it in the group", effects(2, 1, 1), mentioned("在吗"))
	waitKept(t, db, "爱打招呼", "mood/")
	r.Step("Somebody looks for the owner", effects(3, 1, 2), mentioned("你主人在吗，很急"))
	r.Step("The owner lists the plugins", effects(0, 0, 3), typed("/plugins"))
	r.Step("It ends, and starts again", effects(0, 2, 3), func() { end(); begin() })
	r.Step("It remembers, and reflects", effects(2, 0, 3), typed("我喜欢喝什么"))
	end()
	r.Compare("testdata/recorded/companion.txt", *update)
}
