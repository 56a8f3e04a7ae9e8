package chatline

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var group = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

func said(id, name string, parts ...persona.Part) persona.Message {
	return persona.Message{ID: id, Chat: group, From: id, Name: name, At: time.Now(), Parts: parts, Text: persona.TextOf(parts)}
}

// Each part and each act reads well in both languages.
func TestWriter_Lines(t *testing.T) {
	quoting := said("3", "老王", persona.Text("我也去"))
	quoting.ReplyTo = "1"
	own := said("4", "炉子", persona.Text("好"))
	own.Own = true
	for _, test := range []struct {
		event  persona.Event
		zh, en string
	}{
		{said("1", "小满", persona.Text("周末去爬山，谁来")), "小满: 周末去爬山，谁来", "小满: 周末去爬山，谁来"},
		{said("2", "", persona.Mention{ID: "9", Name: "小炉"}, persona.Text(" 看 "), persona.Picture{}), "2: @小炉 看 [图片]", "2: @小炉 看 [picture]"},
		{said("a", "小满", persona.Mention{}, persona.Face{Name: "微笑"}, persona.Face{}), "小满: @全体成员[微笑][表情]", "小满: @everybody[微笑][face]"},
		{said("5", "小满", persona.Voice{Transcript: "我晚点到"}), "小满: [语音：我晚点到]", "小满: [voice: 我晚点到]"},
		{said("6", "小满", persona.Voice{}, persona.Video{}), "小满: [语音][视频]", "小满: [voice][video]"},
		{said("7", "小满", persona.File{Name: "名单.txt", Size: 1200, Excerpt: "一：二"}), "小满: [文件 名单.txt 1.2 kB：一：二]", "小满: [file 名单.txt 1.2 kB: 一：二]"},
		{said("8", "小满", persona.Card{Label: "小程序", Title: "天气：晴"}), "小满: [小程序：天气：晴]", "小满: [mini program: 天气：晴]"},
		{said("9", "小满", persona.Card{Label: "问卷", Title: "x"}), "小满: [问卷：x]", "小满: [问卷: x]"},
		{said("10", "小满", persona.Forward{Messages: []persona.Message{said("1", "阿澈", persona.Picture{})}}), "小满: [聊天记录：\n阿澈: [图片]]", "小满: [forwarded chat: \n阿澈: [picture]]"},
		{quoting, "老王: [回复 小满: 周末去爬山，谁来] 我也去", "老王: [to 小满: 周末去爬山，谁来] 我也去"},
		{own, "小炉: 好", "小炉: 好"},
		{persona.Poked{Chat: group, From: "1", Name: "小满", To: "9", ToMe: true}, "小满 戳了戳 小炉", "小满 poked 小炉"},
		{persona.Poked{Chat: group, From: "1", To: "2", ToName: "老王"}, "小满 戳了戳 老王", "小满 poked 老王"},
		{persona.Reacted{Chat: group, MessageID: "4", From: "1", Name: "小满", Face: persona.Face{Name: "赞"}}, "小满 给「小炉: 好」回应了 赞", "小满 reacted to “小炉: 好” with 赞"},
		{persona.Reacted{Chat: group, MessageID: "none", From: "1", Face: persona.Face{ID: "76"}}, "小满 给一条消息回应了 76", "小满 reacted to a message with 76"},
		{persona.Reacted{Chat: group, MessageID: "4", From: "1", Face: persona.Face{Name: "赞"}, Removed: true}, "小满 收回了表情回应 赞", "小满 took back the reaction 赞"},
		{persona.MemberJoined{Chat: group, ID: "1", Name: "新来的"}, "新来的 加入了群", "新来的 joined the group"},
		{persona.Poked{Chat: group, From: "99", Name: "account", To: "1"}, "小炉 戳了戳 小满", "小炉 poked 小满"},
		{persona.MemberJoined{Chat: group, ID: "77"}, "77 加入了群", "77 joined the group"},
		{persona.MemberLeft{Chat: group, ID: "1"}, "小满 退出了群", "小满 left the group"},
		{persona.MemberLeft{Chat: group, ID: "1", By: "2"}, "小满 被移出了群", "小满 was removed from the group"},
		{persona.MemberChanged{Chat: group, ID: "1", Kind: persona.AdminChanged, Value: "set"}, "小满 成了群管理员", "小满 became an admin of the group"},
		{persona.MemberChanged{Chat: group, ID: "1", Kind: persona.AdminChanged}, "小满 不再是群管理员", "小满 is no admin of the group any more"},
		{persona.MemberChanged{Chat: group, ID: "1", Kind: persona.TitleChanged, Value: "龙王"}, "小满 得到了头衔「龙王」", "小满 got the title “龙王”"},
		{persona.MemberChanged{Chat: group, ID: "1", Kind: persona.TitleChanged}, "小满 的头衔被取消了", "小满 lost the title"},
		{persona.MemberChanged{Chat: group, ID: "1", Kind: persona.CardChanged, Value: "x"}, "小满 把群名片改成了「x」", "小满 changed the name in the group to “x”"},
		{persona.MemberChanged{Chat: group, ID: "1", Kind: persona.CardChanged}, "小满 去掉了群名片", "小满 removed the name in the group"},
		{persona.Retracted{Chat: group, MessageID: "1", By: "1"}, "小满 撤回了一条消息", "小满 retracted a message"},
		{persona.Retracted{Chat: group, MessageID: "1", By: "3"}, "小满 的一条消息被撤回了", "小满 lost a message: somebody retracted it"},
	} {
		for l, want := range map[lang.Language]string{lang.Chinese: test.zh, lang.English: test.en} {
			w := New(l, "小炉")
			w.Event(persona.Connected{Self: persona.Account{Platform: "qq", ID: "99"}})
			for _, before := range []persona.Message{said("1", "小满", persona.Text("周末去爬山，谁来")), own} {
				w.Event(before)
			}
			line, ok := w.Event(test.event)
			require.True(t, ok)
			assert.Equal(t, want, line.String())
			assert.Equal(t, group, line.Chat)
		}
	}
	_, ok := New(lang.Chinese, "小炉").Event(persona.Connected{})
	assert.False(t, ok)
	_, ok = New(lang.Chinese, "小炉").Event(persona.Retracted{Chat: group, MessageID: "unknown"})
	assert.False(t, ok)
}

// What the bot sent can be quoted; a Writer remembers a limited number of messages.
func TestWriter_Quote(t *testing.T) {
	w := New(lang.Chinese, "小炉")
	w.Sent(group, "x", persona.Outgoing{Text: "带水，\n带外套，还有别的许多许多东西都要带上"})
	quote, ok := w.Quote(group, "x")
	require.True(t, ok)
	assert.Equal(t, "小炉: 带水， 带外套，还有别的许多许多东西都要…", quote)
	_, ok = w.Quote(persona.Chat{}, "x")
	assert.False(t, ok, "another chat")
	for range maxRemembered {
		w.Event(said("y", "小满", persona.Text("在")))
	}
	_, ok = w.Quote(group, "x")
	assert.False(t, ok)
	assert.Len(t, w.recent, maxRemembered)
}
