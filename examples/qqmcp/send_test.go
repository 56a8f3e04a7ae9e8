package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused calls send_message and expects a rejection.
func (s *session) refused(a args) sendOut {
	s.t.Helper()
	res := s.try("send_message", a)
	require.True(s.t, res.IsError, text(res))
	out := structured[sendOut](s.t, res)
	require.False(s.t, out.Success)
	return out
}

func to(content string) args { return args{"target": "123456", "content": content} }

// There are 3 s between replies to a chat and 1 s between any two. An early reply is rejected immediately and never queued.
func TestSend_Limits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		qq.Group(789012, "另一个群")
		s := start(t, qq)
		began := time.Now()
		require.True(t, call[sendOut](s, "send_message", to("一")).Success)
		out := s.refused(to("二"))
		assert.Equal(t, time.Duration(0), time.Since(began), "at once")
		assert.Equal(t, "rate_limited 3", fmt.Sprint(out.Error, " ", out.RetryAfter))
		out = s.refused(args{"target": 789012, "content": "另一个群也要等"})
		assert.Equal(t, "rate_limited 1", fmt.Sprint(out.Error, " ", out.RetryAfter))
		time.Sleep(time.Second)
		call[sendOut](s, "send_message", args{"target": 789012, "content": "另一个群也要等"})
		time.Sleep(1900 * time.Millisecond)
		assert.Equal(t, .1, s.refused(to("二")).RetryAfter)
		time.Sleep(100 * time.Millisecond)
		call[sendOut](s, "send_message", to("二"))
		time.Sleep(time.Minute)
		var texts []string
		for _, m := range qq.Sent() {
			texts = append(texts, m.Message.Text())
		}
		assert.Equal(t, []string{"一", "另一个群也要等", "二"}, texts)
	})
}

// An answer to a reply comes after it, even if the reply's quote had to be fetched.
func TestSend_AnswerOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		old := g.Say(zhang, says("很久以前"))
		for i := range 120 {
			g.Say(zhang, says(fmt.Sprint("第", i)))
		}
		s := start(t, qq)
		qq.DelayResponse("get_msg", 2*time.Second)
		go func() {
			_, err := qq.WaitSent(t.Context(), 1)
			assert.NoError(t, err)
			time.Sleep(time.Second)
			g.Say(wang, says("回答"))
		}()
		call[sendOut](s, "send_message", args{"target": "123456", "content": "提问", "reply_to": fmt.Sprint(old)})
		s.settle()
		c := s.context(2)
		assert.Equal(t, []string{"[回复 张三: 很久以前]提问", "回答"}, contents(c.Messages))
	})
}

// A repeated text is rejected for 60 s, however it is written. A failed text may be sent again.
func TestSend_Repeats(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		qq.Group(789012, "另一个群")
		s := start(t, qq)
		call[sendOut](s, "send_message", to("Hello，世界!"))
		time.Sleep(10 * time.Second)
		for _, same := range []string{"Hello，世界!", "  hello,\n世界！ ", "ＨＥＬＬＯ，世\u200b界!"} {
			out := s.refused(to(strings.ReplaceAll(same, "\n世界", "世界")))
			assert.Equal(t, "duplicate 50", fmt.Sprint(out.Error, " ", out.RetryAfter), same)
		}
		call[sendOut](s, "send_message", args{"target": 789012, "content": "Hello，世界!"})
		time.Sleep(50 * time.Second)
		call[sendOut](s, "send_message", to("Hello，世界!"))

		time.Sleep(10 * time.Second)
		qq.Fail("send_group_msg", 1200, 1)
		assert.Equal(t, "refused", s.refused(to("这句没发出去")).Error)
		time.Sleep(10 * time.Second)
		call[sendOut](s, "send_message", to("这句没发出去"))
		assert.Len(t, qq.Sent(), 4)
	})
}

// By default a reply is one message, sent at once and unchanged.
func TestSend_OneMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		for _, said := range []string{"今天真冷。", "第一句。第二句！\n\n- 第三句…… 1. 2, a@10001.com", strings.TrimSpace(strings.Repeat("很长的一句话，没有说完。\n", 150))} {
			began := time.Now()
			out := call[sendOut](s, "send_message", to(said))
			assert.Zero(t, time.Since(began))
			assert.Empty(t, out.Parts)
			sent := qq.Sent()
			assert.Equal(t, onebot.Message{onebot.Text(said)}, sent[len(sent)-1].Message)
			time.Sleep(3 * time.Second)
		}
		call[sendOut](s, "send_message", to(" @111222 看这里\u200b "))
		assert.Equal(t, onebot.Message{onebot.At(zhang), onebot.Text(" 看这里")}, qq.Sent()[3].Message, "as the description of content says")
		assert.Len(t, qq.Sent(), 4)
	})
}

// With --split a reply is split at the ends of sentences and sent at typing pace, from 1 to 3 s apart. It counts as one for the
// chat's limit. Quote and mention are in the first part.
func TestSend_Splits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--split")
		asked := g.Say(zhang, says("周末做什么"))
		synctest.Wait()
		reply := "周末想去爬山，听说山上的枫叶红了！要不要一起去？早上八点在地铁口见，记得带水。下雨的话就改成看电影吧。"
		began := time.Now()
		out := call[sendOut](s, "send_message", args{"target": "123456", "content": reply, "reply_to": asked, "at": []any{zhang, fmt.Sprint(wang)}})
		sent := qq.Sent()
		require.Greater(t, len(sent), 1)
		assert.Len(t, out.Parts, len(sent))
		assert.Equal(t, out.Parts[0], out.MessageID)
		assert.True(t, sent[0].At.Before(began.Add(time.Second)), "the first one at once")
		all := ""
		for i, m := range sent {
			said := m.Message
			if i == 0 {
				id, ok := said.ReplyID()
				assert.True(t, ok)
				assert.Equal(t, fmt.Sprint(asked), id)
				assert.True(t, said.Mentions(zhang) && said.Mentions(wang))
				said = said[5:]
			} else {
				pause := m.At.Sub(sent[i-1].At)
				typed := time.Duration(utf8.RuneCountInString(said.Text())) * 80 * time.Millisecond
				assert.GreaterOrEqual(t, pause, max(typed*7/10, time.Second))
				assert.LessOrEqual(t, pause, max(typed*13/10, time.Second)+10*time.Millisecond, "80 ms for each character, give or take three tenths")
			}
			all += said.Text()
		}
		assert.Equal(t, reply, all, "no character is lost")
		assert.Equal(t, "rate_limited", s.refused(to("紧接着")).Error, "3 s begin with the last part")
		var own []messageOutput
		for _, m := range s.context(20).Messages {
			if m.IsSelf {
				own = append(own, m)
			}
		}
		require.Len(t, own, len(sent))
		assert.Equal(t, fmt.Sprint(asked), own[0].ReplyTo)
		assert.Contains(t, own[0].Content, "[回复 张三: 周末做什么]@张三")
	})
}

// While the parts of a reply are sent, a reply to another chat is sent between them. Any two sends are 1 s apart.
func TestSend_PartsObeyAccountLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		qq.Group(789012, "另一个群")
		s := start(t, qq, "--split")
		var wg sync.WaitGroup
		wg.Go(func() { call[sendOut](s, "send_message", to(strings.Repeat("好的，我知道了。", 12))) })
		sent := 0
		for range 200 {
			time.Sleep(50 * time.Millisecond)
			if structured[sendOut](t, s.try("send_message", args{"target": 789012, "content": fmt.Sprint("插一句", sent)})).Success {
				sent++
			}
		}
		wg.Wait()
		assert.Positive(t, sent)
		all := qq.Sent()
		require.Greater(t, len(all), sent+1, "in several parts")
		for i := range all[1:] {
			assert.GreaterOrEqual(t, all[i+1].At.Sub(all[i].At), time.Second)
		}
	})
}

// No other reply is sent while one is being typed.
func TestSend_OneAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--split")
		var wg sync.WaitGroup
		wg.Go(func() {
			call[sendOut](s, "send_message", to(strings.Repeat("这是很长的一句话，说了很久还没有说完。", 8)))
		})
		time.Sleep(3500 * time.Millisecond)
		assert.Equal(t, "rate_limited", s.refused(to("插嘴")).Error)
		wg.Wait()
	})
}

// A reply that may have been sent is reported as such and not sent again.
func TestSend_Unclear(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{Quirks: onebottest.Quirks{PushOwnMessages: true}})
		s := start(t, qq)
		qq.UnconfirmSends(1)
		out := s.refused(to("发出去了吗"))
		assert.Equal(t, "unclear", out.Error)
		assert.Contains(t, out.Message, "不要重发")
		synctest.Wait()
		c := s.context(20)
		assert.Equal(t, []string{"发出去了吗"}, contents(c.Messages), "its echo tells that it was")
		time.Sleep(10 * time.Second)
		assert.Equal(t, "duplicate", s.refused(to("发出去了吗")).Error)

		qq.WithholdResponse("send_group_msg", 1) // no response
		began := time.Now()
		assert.Equal(t, "unclear", s.refused(to("这句呢")).Error)
		assert.LessOrEqual(t, time.Since(began), callTimeout)
		time.Sleep(10 * time.Second)
		qq.TruncateResponse("send_group_msg", 1) // an incomplete response
		assert.Equal(t, "unclear", s.refused(to("还有这句")).Error)
		time.Sleep(20 * time.Second)
		texts := map[string]int{}
		for _, m := range qq.Sent() {
			texts[m.Message.Text()]++
		}
		assert.Equal(t, map[string]int{"发出去了吗": 1, "这句呢": 1, "还有这句": 1}, texts)
		assert.Len(t, s.context(20).Messages, 3, "each once, by echo and history")
	})
}

// A failed reply is an error and is not sent later.
func TestSend_Fails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, g, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--split")
		g.Ban(self, time.Hour)
		out := s.refused(to("被禁言了"))
		assert.Equal(t, "refused", out.Error)
		assert.Contains(t, out.Message, "QQ 没有接受")
		g.Ban(self, 0)
		time.Sleep(10 * time.Second)
		qq.RefuseConnections(true)
		qq.DropLinks()
		time.Sleep(time.Second)
		assert.Equal(t, "offline", s.refused(to("断开了")).Error)
		qq.RefuseConnections(false)
		time.Sleep(time.Minute)
		assert.Empty(t, qq.Sent())

		// A reply that fails in the middle reports the sent parts.
		reply := strings.Repeat("这是很长的一句话，说了很久还没有说完。", 8)
		qq.OnSend(func(onebottest.ChatMessage) { qq.Fail("send_group_msg", 1200, 1) })
		out = s.refused(to(reply))
		assert.Equal(t, "refused", out.Error)
		assert.Len(t, out.Parts, 1)
		assert.Contains(t, out.Message, "前 1 条已经发出")
		time.Sleep(10 * time.Second)
		assert.Equal(t, "duplicate", s.refused(to(reply)).Error)
	})
}

// Empty, silent, too long and invisible contents are rejected, and so are invalid targets.
func TestSend_BadContent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq)
		for content, want := range map[string]string{
			"": "空的", "  \n": "空的", "\x07\u200b": "空的", "a\x00": "a NUL character", strings.Repeat("长", maxContent+1): "最多 2000 个",
			"[skip]": "沉默", "[沉默]": "沉默", "【SKIP】": "沉默", " [Skip]。": "沉默", "(沉默)": "沉默",
		} {
			assert.Contains(t, s.fails("send_message", to(content)), want, "%.20q", content)
		}
		assert.Contains(t, s.fails("send_message", to(strings.Repeat("长", 100_000))), "bad arguments: too long")
		for _, a := range []args{
			{"target": "12ab", "content": "x"}, {"target": "", "content": "x"}, {"target": -5, "content": "x"}, {"target": 0, "content": "x"},
			{"target": 1.5, "content": "x"}, {"target": nil, "content": "x"}, {"target": "123456", "content": 5}, {"target": "123456"}, {"content": "x"},
			{"target": "123456", "content": "x", "target_type": "guild"}, {"target": "99999999999999999999", "content": "x"}, {"target": []int{1}, "content": "x"},
			{"target": "123456", "content": "x", "reply_to": "abc"}, {"target": "123456", "content": "x", "reply_to": 4711},
			{"target": "123456", "content": "x", "at": []any{"all"}}, {"target": "123456", "content": "x", "at": "111222"},
			{"target": "123456", "content": "x", "image": "/etc/passwd"}, {"target": "123456", "content": "x", "image": "file:///etc/passwd"},
			{"target": "123456", "content": "x", "image": "http://127.0.0.1/a.png"}, {"target": "123456", "content": "x", "Content": "y"},
		} {
			assert.NotEmpty(t, s.fails("send_message", a), a)
		}
		assert.Empty(t, qq.Sent())
		for _, fine := range []string{"skipping", "沉默是金", "a\x07b\x1b[31mc", "[CQ:at,qq=all]"} {
			call[sendOut](s, "send_message", to(fine))
			time.Sleep(10 * time.Second)
		}
		sent := qq.Sent()
		assert.Equal(t, "ab[31mc", sent[2].Message.Text())
		assert.Equal(t, "text", sent[3].Message[0].Type, "text is text")
	})
}

// In private chats a number is no mention.
func TestSend_NoMentionsInPrivate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--friends", "555666")
		call[sendOut](s, "send_message", args{"target": li, "target_type": "private", "content": "@111222 是谁"})
		assert.Equal(t, onebot.Message{onebot.Text("@111222 是谁")}, qq.Sent()[0].Message)
	})
}

// Pictures come from the directory of the flag only.
func TestSend_Picture(t *testing.T) {
	dir := t.TempDir()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
	pics := filepath.Join(dir, "pics")
	require.NoError(t, os.Mkdir(pics, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(pics, "a.png"), picture.Bytes(), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(pics, "b.png"), []byte("no picture"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.png"), picture.Bytes(), 0o600))
	require.NoError(t, os.Symlink("../secret.png", filepath.Join(pics, "link.png")))
	bubble(t, func(t *testing.T) {
		qq, _, _ := newQQ(t, onebottest.Options{})
		s := start(t, qq, "--images", pics)
		for _, bad := range []string{"b.png", "c.png", "../secret.png", "link.png", filepath.Join(dir, "secret.png"), ".", "a.png\x00", "ftp://x/a.png"} {
			assert.NotEmpty(t, s.fails("send_message", args{"target": "123456", "content": "看", "image": bad}), bad)
		}
		call[sendOut](s, "send_message", args{"target": "123456", "content": "", "image": "a.png"})
		time.Sleep(10 * time.Second)
		out := call[sendOut](s, "send_message", args{"target": "123456", "content": "看图", "image": "a.png"})
		assert.Empty(t, out.Parts)
		sent := qq.Sent()
		require.Len(t, sent, 2)
		assert.Equal(t, []string{"[图片]", "看图[图片]"}, []string{sent[0].Message.Text(), sent[1].Message.Text()})
		assert.Equal(t, onebot.FileFromBytes(picture.Bytes()), sent[1].Message[1].Param("file"))
	})
}
