package programs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/stretchr/testify/require"
)

// groupbotAnswers are the answers of the group bot's model.
var groupbotAnswers = Script{
	"@小炉 在吗":     {modeltest.Say("在呢，小满")},
	"晚上好":        {modeltest.Say("晚上好呀")},
	"@小炉 戳我一下":   {modeltest.Call("qq_poke", nil), modeltest.Say("戳了")},
	"@小炉 把老王禁言":  {modeltest.Call("qq_group_ban", map[string]any{"user_id": "31003", "duration": 600}), modeltest.Say("我没有这样的本事")},
	"@小炉 阿澈说了什么": {modeltest.Say("他什么也没说")},
	"有人找过我吗":     {modeltest.Call("qq_send_text", map[string]any{"content": "阿澈找过你"}), modeltest.Say("[skip]")},
	"我回来了":       {modeltest.Say("欢迎回来")},
	"判断申请":       {modeltest.Say(`{"decision": "approve", "reason": "在群里见过", "notify": true, "greeting": true}`)},
	"打招呼":        {modeltest.Say("你好呀，阿澈")},
	"看人：@小炉 在吗":  {modeltest.Say(`{"people": [{"id": "31002", "feeling": "happy", "stance": 1, "impression": "爱打招呼"}], "names": []}`)},
	"看人":         {modeltest.Say(`{"people": [], "names": []}`)},
}

// The program over real sockets with a restart. The golden file has its model requests, QQ calls and output.
func TestGroupbot_Recorded(t *testing.T) {
	t.Parallel()
	qq := onebottest.New(onebottest.Options{SelfID: self, Nickname: "小炉", Token: "secret"})
	defer qq.Close()
	url := qq.Start()
	group, friend, boss := qq.Group(hearthGroup, "炉边夜话"), qq.Friend(man, "小满"), qq.Friend(you, "主人")
	for id, name := range map[int64]string{cheID: "阿澈", man: "小满", wang: "老王"} {
		group.Member(id, name)
	}
	group.Member(self, "小炉").WithRole("admin")
	r := record(t, qq, groupbotAnswers)
	r.refused = []string{"体会", "打算", "回想"}
	dir := t.TempDir()
	key, db := filepath.Join(dir, "key"), filepath.Join(dir, "bot.db")
	require.NoError(t, os.WriteFile(key, []byte("sk-of-the-test"), 0o600))
	var end func()
	begin := func() {
		cmd := command(t, "groupbot", "-onebot", url, "-token", "secret", "-owner", "31000", "-attention", "mention", "-db", db,
			"-speed", "10", "-seed", "106", "-model", "openai", "-model-name", "m", "-base-url", r.URL, "-key-file", key)
		cmd.Stdout = r
		start(t, cmd)
		end = func() {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			require.NoError(t, cmd.Wait())
		}
	}
	plain := func(text string) onebot.Message { return onebot.Message{onebot.Text(text)} }
	mention := func(text string) onebot.Message { return onebot.Message{onebot.At(self), onebot.Text(" " + text)} }
	effects := func(requests, calls, lines int) Effects {
		return Effects{Requests: requests, Calls: calls, Lines: lines}
	}

	r.Step("It starts", effects(0, 2, 2), begin)
	r.Step("One talks past it, and another mentions it", effects(2, 1, 4), func() {
		group.Say(cheID, plain("我家的猫年糕不肯动"))
		group.Say(man, mention("在吗"))
	})
	waitKept(t, db, "爱打招呼", "mood/", string(memory.KindClaim)+" 猫\n")
	r.Step("A friend talks to it", effects(2, 1, 3), func() { friend.Say(plain("晚上好")) })
	r.Step("It uses a tool", effects(3, 2, 4), func() { group.Say(cheID, mention("戳我一下")) })
	r.Step("The model tries a tool that it has not", effects(3, 1, 3), func() { group.Say(man, mention("把老王禁言")) })
	r.Step("A message is recalled", effects(2, 1, 5), func() {
		qq.Recall(group.Say(cheID, plain("我的密码是 123456")))
		group.Say(wang, mention("阿澈说了什么"))
	})
	r.Step("The owner gives a command in private", effects(0, 1, 2), func() { boss.Say(plain("状态")) })
	r.Step("The owner wants it to be quiet", effects(0, 1, 2), func() { group.Say(you, mention("安静 10分钟")) })
	r.Step("Somebody mentions it while it is quiet", effects(0, 0, 2), func() { group.Say(man, mention("在吗")) })
	r.Step("The owner lets it speak", effects(0, 1, 2), func() { group.Say(you, mention("说话")) })
	// With this seed the answer comes after five seconds, the minimum.
	r.Step("Somebody asks to be its friend", effects(2, 4, 2), func() { qq.FriendRequest(cheID, "阿澈", "我是阿澈") })
	r.Step("It ends, and a friend writes meanwhile", effects(0, 0, 0), func() {
		end()
		friend.Say(plain("有人找过我吗"))
	})
	r.Step("It starts again", effects(3, 3, 4), begin)
	r.Step("The friend goes on", effects(2, 1, 3), func() { friend.Say(plain("我回来了")) })
	end()
	r.Compare("testdata/recorded/groupbot.txt", *update)
}
