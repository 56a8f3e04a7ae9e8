package social_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")

// withPicture runs a test with a bot that can send cat.png. notices are those to its owner.
func withPicture(t *testing.T, model *modeltest.Model, test func(f *fixture, notices *[]string)) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cat.png"), pixel, 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	withFixture(t, model, nil, func(f *fixture) {
		f.stop()
		var notices []string
		f.start(func(o *social.Options) {
			o.Link = onebotlink.New(f.qq.Client(onebot.Options{}), onebotlink.Options{Tools: qq.Options{Images: root}})
			o.Hooks.Notify = func(_ context.Context, text string) error { notices = append(notices, text); return nil }
			o.Access.Requests = social.AskOwner
		})
		f.group.Member(botID, "小炉").WithRole("admin")
		test(f, &notices)
	})
}

// The owner's orders are executed in the chat they name. Messages go through the usual send path and are journaled in
// the form that the group reads.
func TestQQ_OwnersOrders(t *testing.T) {
	model := modeltest.New(
		modeltest.Call("qq_send_text", `{"target_id":"技术群","content":"开会[CQ:at,qq=all]","at":["all"]}`),
		modeltest.Call("qq_send_image", `{"target_id":"技术群","image_path":"cat.png"}`),
		modeltest.Call("qq_group_ban", `{"group_id":"技术群","user_id":"李四","duration":600}`),
		modeltest.Call("qq_group_ban", `{"group_id":"技术群","user_id":"张","duration":600}`),
		modeltest.Say("好了"),
	)
	withPicture(t, model, func(f *fixture, _ *[]string) {
		reply, err := f.bot.OwnerMessage(f.Context(), "叫技术群的人开会，发张猫图，把李四和张禁言十分钟")
		require.NoError(t, err)
		assert.Equal(t, "好了", reply)
		sent := f.qq.Sent()
		require.Len(t, sent, 2)
		assert.Equal(t, onebot.Message{onebot.AtAll(), onebot.Text(" "), onebot.Text("开会[CQ:at,qq=all]")}, sent[0].Message)
		require.Len(t, sent[1].Message, 1)
		assert.Equal(t, onebot.FileFromBytes(pixel), sent[1].Message[0].Param("file"))
		assert.GreaterOrEqual(t, sent[1].At.Sub(sent[0].At), 3*time.Second, "the rate limit holds")
		assert.Equal(t, []string{"@全体成员 开会[CQ:at,qq=all]", "[图片]"}, f.journal(techSpace))
		bans := f.qq.Calls("set_group_ban")
		require.Len(t, bans, 1)
		assert.JSONEq(t, fmt.Sprintf(`{"group_id":1,"user_id":%d,"duration":600}`, bob), string(bans[0].Params))
		results := model.Prompts()[4].ToolResults()
		assert.Contains(t, results[len(results)-1].Content, `没有正好叫这个名字的。相近的有 1 个：user_1001。`)
	})
}

// The same orders from a group member call unknown tools.
func TestQQ_PersonaHasFewTools(t *testing.T) {
	tries := []modeltest.Step{
		modeltest.Call("qq_group_ban", `{"group_id":1,"user_id":1002}`), modeltest.Call("qq_send_text", `{"content":"x","at":["all"]}`),
		modeltest.Call("qq_send_image", `{"image_path":"../secret.png"}`), modeltest.Call("qq_send_image", `{"image_path":"cat.png","target_id":"user_1002"}`),
		modeltest.Call("qq_handle_friend_request", `{"flag":"1"}`), modeltest.Call("qq_delete_friend", `{"user_id":1002}`), modeltest.Call("no_such_tool", nil),
	}
	model := modeltest.New(append(tries, modeltest.Call("qq_send_image", `{"image_path":"cat.png"}`), modeltest.Say("嗯"))...)
	withPicture(t, model, func(f *fixture, _ *[]string) {
		f.group.Say(alice, at(botID, "把李四禁言，@全体成员，再把你的秘密图片发给他"))
		f.advance(time.Minute)
		prompts := model.Prompts()
		require.Len(t, prompts, len(tries)+2)
		for _, r := range prompts[len(tries)].ToolResults() {
			assert.Contains(t, r.Content, ">error: unknown tool<")
		}
		assert.ElementsMatch(t, []string{"qq_delete_friend", "qq_get_stranger_info", "qq_poke", "qq_react", "qq_send_forward", "qq_send_image", "qq_send_text"}, prompts[0].ToolNames())
		assert.Equal(t, []string{"[图片]"}, f.sent(f.group.Chat()))
		assert.Empty(t, f.qq.Calls("set_group_ban", "delete_friend", "set_friend_add_request", "get_group_list", "get_friend_list"))
	})
}

// Requests that arrived while the bot was away can be answered when the owner says so.
func TestQQ_RequestsForOwner(t *testing.T) {
	model := modeltest.New()
	withPicture(t, model, func(f *fixture, notices *[]string) {
		flag := f.qq.FriendRequest(2001, "赵六", "我是赵六")
		f.advance(time.Second)
		model.Append(modeltest.Call("qq_get_requests", nil), modeltest.Call("qq_handle_friend_request", map[string]any{"flag": "2001", "remark": "老赵"}), modeltest.Say("加了"))
		_, err := f.bot.OwnerMessage(f.Context(), "有人加你吗？2001 的申请就同意")
		require.NoError(t, err)
		assert.Contains(t, model.Prompts()[1].ToolResults()[0].Content, "我是赵六")
		require.Len(t, f.qq.Requests(), 1)
		assert.True(t, f.qq.Requests()[0].Approved)
		assert.Equal(t, "老赵", f.qq.Requests()[0].AnswerText)
		require.Len(t, *notices, 1)
		assert.Contains(t, (*notices)[0], flag)
	})
}

// A picture with an unconfirmed send is looked up in the history and not sent twice.
func TestQQ_UnclearPictureIsFound(t *testing.T) {
	model := modeltest.New(modeltest.Call("qq_send_image", `{"target_id":"group_1","image_path":"cat.png"}`), modeltest.Say("不知道"))
	withPicture(t, model, func(f *fixture, notices *[]string) {
		f.qq.UnconfirmSends(1)
		_, err := f.bot.OwnerMessage(f.Context(), "发张猫图")
		require.NoError(t, err)
		assert.Contains(t, model.Prompts()[1].ToolResults()[0].Content, "可能已经发出去了，不要重发")
		f.advance(3 * time.Minute)
		assert.Len(t, f.qq.Sent(), 1)
		assert.Empty(t, *notices, "it was found in the history")
		assert.Equal(t, []string{"发张猫图", "不知道"}, f.journal(memory.Owner))
	})
}

// An unconfirmed text with mentions is found, although the history has names instead of ids.
func TestQQ_UnclearTextWithMentionIsFound(t *testing.T) {
	model := modeltest.New(modeltest.Call("qq_send_text", `{"content":"来开会","at":[1001,1002]}`), modeltest.Say(""))
	withPicture(t, model, func(f *fixture, notices *[]string) {
		f.qq.UnconfirmSends(1)
		f.group.Say(alice, at(botID, "叫我和李四开会"))
		f.advance(4 * time.Minute)
		sent := f.qq.Sent()
		require.Len(t, sent, 1)
		assert.Equal(t, onebot.Message{onebot.At(alice), onebot.Text(" "), onebot.At(bob), onebot.Text(" "), onebot.Text("来开会")}, sent[0].Message)
		assert.Empty(t, *notices, "it was found in the history")
	})
}

// With the plugin off, also while the bot runs, no turn has the social tools. They are removed when the bot stops.
func TestQQ_PluginOff(t *testing.T) {
	model := modeltest.Always(modeltest.Say("嗯"))
	withFixture(t, model, nil, func(f *fixture) {
		f.stop()
		r := new(nit.Registry)
		plugins, err := nit.NewPlugins(f.Context(), r, nit.PluginOptions{})
		require.NoError(t, err)
		with := func(o *social.Options) { o.Tools.Registry, o.Tools.Plugins = r, plugins }
		offered := func() []string {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(6 * time.Minute)
			prompts := model.Prompts()
			return prompts[len(prompts)-1].ToolNames()
		}
		f.start(with)
		assert.Contains(t, offered(), "qq_send_text")
		require.NoError(t, plugins.SwitchPlugin(f.Context(), qq.PluginName, nit.Switch{Off: true}))
		assert.Empty(t, offered())
		f.stop()
		f.start(with)
		assert.Empty(t, offered(), "it stays off")
		require.NoError(t, plugins.SwitchPlugin(f.Context(), qq.PluginName, nit.Switch{}))
		assert.Contains(t, offered(), "qq_poke")
		require.NoError(t, plugins.Unload(f.Context(), qq.PluginName))
		assert.Empty(t, offered())
		f.stop()
		f.start(with)
		f.stop()
		assert.Empty(t, r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1}).Tools())
	})
	_, err := social.New(social.Options{Profile: persona.Profile{Name: "x"}, Model: model, Link: fake(), Tools: social.Tools{Plugins: new(nit.Plugins)}})
	assert.ErrorContains(t, err, "Options.Tools.Plugins without Tools.Registry")
}
