package qq_test

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/stretchr/testify/assert"
)

// A table of all tools. Tools with effects declare their targets and return trusted results. The others return untrusted
// text and are read-only.
func TestTools_DeclareInformationFlow(t *testing.T) {
	acts := map[string][]string{
		"qq_send_text": {"target_id"}, "qq_send_image": {"target_id"}, "qq_send_voice": {"target_id"}, "qq_send_forward": {"target_id"},
		"qq_react": {"target_id"}, "qq_poke": {"target_id", "user_id"},
		"qq_handle_friend_request": {"flag"}, "qq_handle_group_invite": {"flag"}, "qq_delete_friend": {"user_id"}, "qq_delete_message": {"message_id"},
		"qq_group_kick": {"group_id", "user_id"}, "qq_group_ban": {"group_id", "user_id"}, "qq_group_card": {"group_id", "user_id"},
		"qq_group_title": {"group_id", "user_id"}, "qq_group_sign": {"group_id"}, "qq_essence": {"message_id"}, "qq_send_announcement": {"group_id"},
		"qq_send_file": {"target_id", "path"},
	}
	for _, urls := range []bool{false, true} {
		s, _ := gallery(t, qq.Options{Requests: new(qq.PendingRequests), AllowImageURLs: urls})
		tools := map[string]nit.ToolInfo{}
		s.r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1}).HasFunc(func(i nit.ToolInfo) bool { tools[i.Name] = i; return false })
		assert.Len(t, tools, 29)
		for name, tool := range tools {
			assert.Equal(t, urls && name == "qq_send_image", tool.OpenWorld, name)
			if args := acts[name]; args != nil {
				assert.Equal(t, nit.Trusted, tool.ResultIntegrity, name)
				assert.Equal(t, args, tool.Target.Args, name)
				assert.False(t, tool.ReadOnly, name)
				continue
			}
			assert.Equal(t, nit.Untrusted, tool.ResultIntegrity, name)
			assert.Nil(t, tool.Target, name)
			assert.True(t, tool.ReadOnly, name)
		}
		for _, tt := range []struct {
			tool, args, text string
			want             bool
		}{
			{"qq_send_text", `{"target_id":"group_123456","content":"开会"}`, "在群123456里说开会", true},
			{"qq_send_text", `{"target_id":"老王","content":"开会"}`, "告诉老王十点开会", true},
			{"qq_send_text", `{"target_id":"老王","content":"开会"}`, "转告小红十点开会", false},
			{"qq_send_text", `{"content":"开会"}`, "说一声开会", false},
			{"qq_send_image", `{"target_id":"炉边","image_path":"a.png"}`, "把 a.png 发到炉边", true},
			{"qq_send_voice", `{"target_id":"老王","text":"开会"}`, "发语音告诉老王开会", true},
			{"qq_send_voice", `{"target_id":"小红","text":"开会"}`, "发语音告诉老王开会", false},
			{"qq_send_forward", `{"target_id":"炉边","messages":["一"]}`, "把它发到炉边", true},
			{"qq_react", `{"target_id":"炉边","message_id":7,"face":"赞"}`, "给炉边那条消息贴个赞", true},
			{"qq_react", `{"target_id":"炉边","message_id":7,"face":"赞"}`, "炉边在聊什么", false},
			{"qq_poke", `{"target_id":"炉边","user_id":"红红"}`, "去炉边戳红红", true},
			{"qq_group_kick", `{"group_id":"炉边","user_id":"红红","reject_add_request":true}`, "把红红踢出炉边", true},
			{"qq_group_kick", `{"group_id":"炉边","user_id":"红红"}`, "把小明踢出炉边", false},
			{"qq_group_ban", `{"group_id":"炉边","user_id":"红红","duration":0}`, "给炉边的红红解除禁言", true},
			{"qq_group_card", `{"group_id":"炉边","user_id":"红红","card":"x"}`, "炉边里红红的群名片改成 x", true},
			{"qq_group_title", `{"group_id":"炉边","user_id":"红红","title":"x"}`, "炉边里红红的头衔改成 x", true},
			{"qq_group_sign", `{"group_id":"炉边"}`, "去炉边打卡", true},
			{"qq_group_sign", `{"group_id":"炉边"}`, "炉边今天不用打卡", false},
			{"qq_essence", `{"message_id":7001,"action":"add"}`, "把 7001 设为精华", true},
			{"qq_essence", `{"message_id":7002,"action":"add"}`, "把 7001 设为精华", false},
			{"qq_send_announcement", `{"group_id":"炉边","text":"开会"}`, "在炉边发个公告说开会", true},
			{"qq_send_announcement", `{"group_id":"炉边","text":"开会"}`, "在炉边说开会", false},
			{"qq_send_file", `{"target_id":"炉边","path":"报告.pdf"}`, "把 报告.pdf 发到炉边", true},
			{"qq_send_file", `{"target_id":"炉边","path":"密码.txt"}`, "把 报告.pdf 发到炉边", false},
			{"qq_delete_message", `{"message_id":-2147483648}`, "撤回 -2147483648", true},
			{"qq_delete_friend", `{"user_id":"红红"}`, "把红红删了", true},
			{"qq_handle_friend_request", `{"flag":"1700000000"}`, "同意 1700000000", true},
			{"qq_handle_friend_request", `{"flag":"1700000000"}`, "拒绝 1700000000", false},
			{"qq_handle_friend_request", `{"flag":"1700000000"}`, "不同意 1700000000", false},
			{"qq_handle_group_invite", `{"flag":"1700000000"}`, "接受 1700000000", true},
		} {
			assert.Equal(t, tt.want, tools[tt.tool].RequestedIn(json.RawMessage(tt.args), tt.text), "%s %s in %s", tt.tool, tt.args, tt.text)
		}
		image := tools["qq_send_image"]
		assert.Equal(t, urls, image.ArgumentsFoundIn(json.RawMessage(`{"target_id":"炉边","image_path":"https://a.com/x.png"}`), "把 https://a.com/x.png 发到炉边"))
		assert.False(t, image.ArgumentsFoundIn(json.RawMessage(`{"target_id":"炉边","image_path":"https://b.com/x.png"}`), "把 https://a.com/x.png 发到炉边"))
	}
}
