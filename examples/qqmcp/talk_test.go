package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Text, descriptions of pictures, mentions and quotes are stored. Notices, recalls and joins are not.
func TestReceive_StoredText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		said := g.Say(zhang, says("今天吃什么"))
		g.Join(999, "新人")
		g.Poke(zhang, self)
		g.Ban(wang, time.Minute)
		g.Ban(wang, 0)
		g.Leave(999)
		g.Say(wang, onebot.Message{onebot.Image("a.jpg")})
		g.Say(wang, onebot.Message{onebot.At(zhang), onebot.Text(" 看图")})
		quoting := g.Say(wang, onebot.Message{onebot.Reply(said), onebot.Text("火锅")})
		gone := g.Say(zhang, says("说错了"))
		qq.Recall(gone)
		g.Say(zhang, onebot.Message{onebot.AtAll(), onebot.Text(" 开会")})
		g.Say(zhang, says("  \u202e\x00\x07 "))
		g.Say(zhang, says("a\u200bb\x1b[31mc\x00"))
		g.Say(zhang, onebot.Message{})
		synctest.Wait()
		c := s.context(50)
		assert.Equal(t, []string{"今天吃什么", "[图片]", "@张三 看图", "[回复 张三: 今天吃什么]火锅", "@全体成员 开会", "ab[31mc"}, contents(c.Messages))
		assert.Equal(t, fmt.Sprint(said), c.Messages[3].ReplyTo)
		assert.Equal(t, fmt.Sprint(quoting), c.Messages[3].MessageID)
		assert.True(t, c.HasAtMe, "@all counts as at me")
		assert.Equal(t, []string{c.Messages[4].MessageID}, c.AtMeMessages)
	})
}

// Quoted messages are looked up, even old ones. Those of other chats are not shown.
func TestReceive_Quotes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		other := qq.Group(789012, "别的群")
		old := g.Say(zhang, says(strings.Repeat("很久以前说的话", 20)))
		secret := other.Say(wang, says("zq7 别的群里的话"))
		for i := range 150 {
			g.Say(wang, says(fmt.Sprint("第", i)))
		}
		s := start(t, qq, "--groups", "123456")
		g.Say(wang, onebot.Message{onebot.Reply(old), onebot.Text("你说的")})
		g.Say(wang, onebot.Message{onebot.Reply(secret), onebot.Text("咦")})
		g.Say(wang, onebot.Message{onebot.Reply(4711), onebot.Text("没有的")})
		synctest.Wait()
		got := contents(s.context(3).Messages)
		assert.True(t, strings.HasPrefix(got[0], "[回复 张三: 很久以前说的话很久"), got[0])
		assert.Less(t, utf8.RuneCountInString(got[0]), 80)
		assert.Equal(t, []string{"[回复]咦", "[回复]没有的"}, got[1:])
		m := call[messageOut](s, "get_message", args{"message_id": fmt.Sprint(old)})
		assert.Equal(t, strings.Repeat("很久以前说的话", 20), m.Content)
		assert.Equal(t, "123456 group 张三", m.Target+" "+m.TargetType+" "+m.SenderName)
	})
}

// A forward is written as text up to a limit.
func TestReceive_Forwards(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		deepest := qq.Forward(onebottest.Node{UserID: zhang, Message: says("第三层")})
		inner := qq.Forward(onebottest.Node{UserID: wang, Message: says("第二层")}, onebottest.Node{UserID: wang, Message: deepest})
		g.Say(zhang, qq.Forward(onebottest.Node{UserID: zhang, Message: says("第一层")}, onebottest.Node{UserID: zhang, Message: inner}))
		var many []onebottest.Node
		for i := range 60 {
			many = append(many, onebottest.Node{UserID: wang, Message: says(fmt.Sprint("第", i, strings.Repeat("长", 300)))})
		}
		g.Say(zhang, qq.Forward(many...))
		synctest.Wait()
		got := contents(s.context(20).Messages)
		require.Len(t, got, 2)
		assert.Equal(t, "[聊天记录\n张三: 第一层\n张三: [聊天记录]\n  王五: 第二层\n  王五: [聊天记录]]", got[0])
		assert.LessOrEqual(t, utf8.RuneCountInString(got[1]), maxForwardRunes+10)
		assert.Contains(t, got[1], "第7长")
		assert.NotContains(t, got[1], strings.Repeat("长", 101))
		assert.Len(t, qq.Calls("get_forward_msg"), 3)
		qq.Fail("get_forward_msg", 1200, -1)
		g.Say(zhang, qq.Forward(many...))
		synctest.Wait()
		assert.Equal(t, "[聊天记录]", s.context(1).Messages[0].Content)
	})
}

// get_message returns the URLs of pictures.
func TestGet_Pictures(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		id := g.Say(zhang, onebot.Message{
			onebot.Text("看 "), onebot.Image("a.jpg").With("url", "https://multimedia.nt.qq.com.cn/download?a=1").With("summary", "[动画表情]"),
			onebot.Image("b.jpg").With("url", "file:///etc/passwd"),
		})
		synctest.Wait()
		m := call[messageOut](s, "get_message", args{"message_id": id})
		assert.Equal(t, "看 [动画表情][图片]", m.Content)
		assert.Equal(t, []pictureOut{{"https://multimedia.nt.qq.com.cn/download?a=1", "[动画表情]"}}, m.Images)
	})
}

// Own messages are stored and marked once, whether the response or the echo comes first. They do not count as new.
func TestReceive_OwnMessages(t *testing.T) {
	for name, habits := range onebottest.Presets() {
		for _, echo := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " echo ", echo), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					habits := habits // a copy for the parallel test
					habits.PushOwnMessages = echo
					qq, g, f := newQQ(t, onebottest.Options{Quirks: habits})
					s := start(t, qq, "--friends", "555666", "--no-split")
					g.Say(zhang, says("在吗"))
					synctest.Wait()
					call[sendOut](s, "send_message", args{"target": "123456", "content": "在。怎么了？"})
					time.Sleep(10 * time.Second)
					call[sendOut](s, "send_message", args{"target": li, "target_type": "private", "content": "你好"})
					g.Say(self, says("手机上说的"))
					f.Say(says("嗯"))
					synctest.Wait()
					c := s.context(20)
					want := []string{"在吗", "在。怎么了？"}
					if echo {
						want = append(want, "手机上说的")
					}
					assert.Equal(t, want, contents(c.Messages))
					assert.Equal(t, "10001", c.Messages[1].SenderID)
					for i, m := range c.Messages {
						assert.Equal(t, i > 0, m.IsSelf)
					}
					private := call[contextOut](s, "get_recent_context", args{"target": li, "target_type": "private"})
					assert.Equal(t, []string{"你好", "嗯"}, contents(private.Messages))
					assert.Equal(t, uint64(1), s.p.chats.find(chat{id: 123456}).receivedCount(), "own ones are not new")
				})
			})
		}
	}
}

// --drop-own drops own messages.
func TestReceive_DropOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{Quirks: onebottest.Quirks{PushOwnMessages: true}})
		g.Say(self, says("以前自己说的"))
		s := start(t, qq, "--drop-own")
		g.Say(zhang, says("在吗"))
		call[sendOut](s, "send_message", args{"target": "123456", "content": "在"})
		g.Say(self, says("手机上说的"))
		g.Say(zhang, says("好"))
		synctest.Wait()
		assert.Equal(t, []string{"在吗", "好"}, contents(s.context(20).Messages))
	})
}

// If another account is logged in than --qq, nothing is received or sent.
func TestReceive_OtherAccount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq := onebottest.New(onebottest.Options{SelfID: 20002})
		defer qq.Close()
		g := qq.Group(123456, "群")
		s := start(t, qq, "--groups", "123456")
		g.Say(zhang, says("不是给你的"))
		synctest.Wait()
		assert.Empty(t, s.context(20).Messages)
		assert.Contains(t, s.fails("send_message", args{"target": "123456", "content": "在"}), `"error":"offline"`)
		st := call[statusOut](s, "check_status", nil)
		assert.False(t, st.QQLoggedIn)
		assert.Contains(t, st.Problem, "--qq")
		s.fails("get_group_list", nil)
		assert.Empty(t, qq.Sent())
	})
}
