package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// demoLasts is how long somebody watches the demo.
const demoLasts = 90 * time.Second

// A demo is a demo that was played: the record of the simulated QQ, and the output.
type demo struct {
	*testing.T
	*simulation
	out string
}

// playDemo plays the demo in a bubble, where its time passes at once.
func playDemo(t *testing.T, check func(d demo), args ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o, err := parse(args, &bytes.Buffer{})
		require.NoError(t, err)
		w := newSimulation(o)
		defer w.Close()
		o.link.Forward, o.link.HTTPClient = "ws://onebottest", w.HTTPClient()
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(float64(demoLasts)*5/o.speed))
		defer stop()
		var out bytes.Buffer
		in, typed := io.Pipe()
		defer typed.Close()
		go io.WriteString(typed, "大家好\n/settings\n") // before the bot is connected
		require.NoError(t, runBot(ctx, o, w, in, newPrinter(&out, o), slog.New(slog.DiscardHandler)))
		check(demo{t, w, out.String()})
	})
}

// TestDemo checks by the record of the simulated QQ what somebody sees who starts the program without flags. It does so for
// several seeds, because much of it is drawn by chance.
func TestDemo(t *testing.T) {
	for seed := range 6 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			playDemo(t, testDemo, "-seed", fmt.Sprint(seed)) // 0 is random
		})
	}
}

func testDemo(d demo) {
	defer func() {
		if d.Failed() {
			d.Log(d.out)
		}
	}()
	assert.Equal(d, 9, d.answeredCalls(d.hearthGroup.Chat())+d.answeredCalls(d.friend.Chat()), "the script calls nine times")
	assert.NotEmpty(d, d.uncalled(d.hearthGroup.Chat()), "it continues a talk")
	assert.NotEmpty(d, d.uncalled(d.animeGroup.Chat()), "it joins a talk about what it likes, where nobody calls it")
	assert.Contains(d, d.answerTo(d.hearthGroup.Chat(), "阿澈的猫"), "我家的猫年糕", "it remembers what was said")
	assert.Contains(d, d.answerTo(d.hearthGroup.Chat(), "聊天记录里说了什么"), "里面先是阿澈说「周六八点东门集合」", "it opens a forward")
	assert.Contains(d, d.answerTo(d.friend.Chat(), "[语音]"), "我在图书馆三楼", "it hears a voice message")
	assert.Contains(d, d.answerTo(d.hearthGroup.Chat(), "rm -rf"), "没有这样的本事", "an injection meets nothing")
	for _, c := range d.Calls() {
		assert.Regexp(d, "^(get_|fetch_|send_(group|private)_msg$|set_input_status$|mark_|group_poke$|friend_poke$|set_msg_emoji_like$)", c.Action, "an injection meets nothing")
	}
	var poked []int64
	for _, p := range d.Pokes() {
		if p.UserID == self {
			poked = append(poked, p.TargetID)
		}
	}
	assert.Equal(d, []int64{wang, man}, poked, "it pokes back, and who asked for it")
	reacted := 0
	for _, m := range d.History(d.hearthGroup.Chat()) {
		if d.reacted(m.MessageID) {
			reacted++
			assert.Contains(d, m.Message.Text(), "谢谢")
		}
	}
	assert.Equal(d, 1, reacted, "thanks get a face")
	assert.True(d, strings.Contains(d.answerTo(d.owner.Chat(), ""), "服务器挂了") || strings.Contains(d.out, "report: [主人]"), "the owner is told")

	texts := map[string]bool{}
	for _, s := range d.Sent() {
		text := s.Message.Text()
		assert.False(d, texts[text], "said twice: %s", text)
		texts[text] = true
		for _, hidden := range []string{"system_control", "nit_", "L3", "工具"} {
			assert.NotContains(d, text, hidden)
		}
	}
	assert.NotContains(d, d.out, "你: /", "commands are not sent to the group")
	// Each is printed with its reason.
	for _, line := range []string{
		`spoke: \[炉边夜话\] 小炉: 在呢，林夕。.* （mentioned 有人 @ 我`, `spoke: \[炉边夜话\] 小炉: 林夕，接着你说的.* （\w+ \p{Han}+`, `spoke: \[番剧研究所\] .* （\w+ \p{Han}+`,
		`silent: \[炉边夜话\] （\w+ \p{Han}+`, `silent: \[番剧研究所\] （\w+ \p{Han}+`, `路人甲，我只是在群里聊天的，没有这样的本事。 （\w+ \p{Han}+`, `我家的猫年糕.*（named 有人叫了我的名字`,
		`\[炉边夜话\] 阿澈: \[图片\]`, `\[炉边夜话\] 小满 给「小炉: [^\n]*」回应了 赞`, `\[炉边夜话\] 31007 加入了群`, `\[炉边夜话\] 老王 戳了戳 小炉`, `\[炉边夜话\] 小炉 戳了戳 老王`, `\[私聊 小满\] 小炉 戳了戳 小满`,
		`\[炉边夜话\] 林夕: \[聊天记录\]`, `\[炉边夜话\] 林夕: \[回复 林夕: \[聊天记录\]\] 小炉，`, `\[炉边夜话\] 老王: \[小程序：周六 晴`, `\[炉边夜话\] 阿澈: \[文件 报名表.txt 26 B\]`, `quoted: \[炉边夜话\] \S+: 小炉，`,
		`spoke: \[炉边夜话\] 小炉: \[回应了 爱心\]`, `\[私聊 小满\] 小满: \[语音\]`,
		`noted: [^\n]*说：`, `noted: [^\n]*"impression":"说话客气。"`, "不是语言模型", "你: 大家好", "服务器挂了，很急",
	} {
		assert.Regexp(d, line, d.out)
	}
}

// answerTo returns the first text of the bot after a message that contains words.
func (d demo) answerTo(chat onebottest.Chat, words string) string {
	said := words == ""
	for _, s := range d.History(chat) {
		switch {
		case s.UserID != self:
			said = said || strings.Contains(s.Message.Text(), words)
		case said:
			return s.Message.Text()
		}
	}
	return ""
}

// answers reports whether the bot's is the next text after a message that contains words.
func (d demo) answers(chat onebottest.Chat, words string) bool {
	all := d.History(chat)
	i := slices.IndexFunc(all, func(m onebottest.ChatMessage) bool { return strings.Contains(m.Message.Text(), words) })
	return i >= 0 && i+1 < len(all) && all[i+1].UserID == self
}

// answeredCalls checks that the bot speaks or reacts after each message that addresses it, and returns their number. If two
// wait, it quotes.
func (d demo) answeredCalls(chat onebottest.Chat) (n int) {
	var open []string
	for _, s := range d.History(chat) {
		switch {
		case s.UserID == self:
			if _, quotes := s.Message.ReplyID(); len(open) > 1 {
				assert.True(d, quotes, s.Message.Text())
			}
			open = nil
		case d.called(chat, s.Message):
			n++
			if d.reacted(s.MessageID) {
				continue
			}
			if len(open) == 1 {
				assert.Contains(d, open[0], "东门在哪", "not answered")
			}
			open = append(open, s.Message.Text())
			assert.LessOrEqual(d, len(open), 2, "not answered: %q", open)
		}
	}
	assert.Empty(d, open, "not answered")
	return n
}

// uncalled returns the texts of the bot that answer no call.
func (d demo) uncalled(chat onebottest.Chat) (texts []string) {
	called := false
	for _, s := range d.History(chat) {
		switch {
		case s.UserID != self:
			called = called || d.called(chat, s.Message)
		case called:
			called = false
		case !strings.Contains(s.Message.Text(), "戳回去了"): // a poke is no message
			texts = append(texts, s.Message.Text())
		}
	}
	return texts
}

func (d demo) called(chat onebottest.Chat, m onebot.Message) bool {
	return chat == d.friend.Chat() || m.Mentions(self) || strings.Contains(m.Text(), d.name)
}

func TestFlags(t *testing.T) {
	bad := map[string][]string{
		"both links":    {"-onebot", "ws://x", "-listen", ":1"},
		"open listener": {"-listen", "0.0.0.0:18081"},
		"idle commands": {"-onebot", "ws://x", "-commands"},
		"idle key":      {"-key-file", "key"},
		"no name":       {"-name", ""},
		"slower":        {"-speed", "-1"},
		"model":         {"-model", "gpt"},
		"which model":   {"-model", "openai"},
		"argument":      {"start"},
		"unknown":       {"-nope"},
		"config":        {"-config", "/does/not/exist"},
		"negative time": {"-for", "-1s"},
		"layers":        {"-layers", "maybe"},
		"typing":        {"-typing", "maybe"},
		"stickers":      {"-stickers", "."},
		"quota":         {"-quota", "-1"},
		"bots":          {"-bots", "小明"},
		"owner":         {"-owner", "10001,小明"},
		"admin":         {"-admin", "小明"},
		"requests":      {"-requests", "always"},
		"quote":         {"-quote", "sometimes"},
		"idle voice":    {"-voice", "soft"},
	}
	for name, args := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := parse(args, &bytes.Buffer{})
			assert.Error(t, err)
		})
	}
	o, err := parse([]string{"-alias", "炉炉，小火,", "-interests", "猫，手冲咖啡", "-onebot", "ws://x"}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, []string{"炉炉", "小火"}, o.aliases)
	assert.Equal(t, []string{"猫", "手冲咖啡"}, o.interests)
	assert.EqualValues(t, 1, o.speed, "a real link is not hurried")
}

// The variants of -attention differ by what the bot says uncalled, and by their reasons.
func TestDemo_Attention(t *testing.T) {
	for attention, test := range map[string]struct {
		continues, joins, answers bool // answers: also a question to everybody, in a new talk
		because                   string
	}{
		"mention":   {},
		"interject": {continues: true, because: "partner 刚才和我说话的人接着说|active_window 刚说过话"},
		"learned":   {continues: true, answers: true, because: "partner 刚才和我说话的人接着说|goes_on 接着我在聊的话|welcome 看大家欢不欢迎我插话"},
		"hfc":       {continues: true, joins: true, because: "focused 在认真聊"},
	} {
		t.Run(attention, func(t *testing.T) {
			playDemo(t, func(d demo) {
				assert.Equal(d, test.continues, len(d.uncalled(d.hearthGroup.Chat())) > 0, "it continues a talk")
				assert.Equal(d, test.joins, len(d.uncalled(d.animeGroup.Chat())) > 0, "it joins a talk in which nobody has called it")
				if attention == "mention" || test.answers { // the others draw
					assert.Equal(d, test.answers, d.answers(d.hearthGroup.Chat(), "帐篷买哪种好"), "it joins a talk uncalled, because people welcome what it says")
				}
				assert.Equal(d, test.answers, strings.Contains(d.out, "welcome 看大家欢不欢迎我插话"))
				assert.Equal(d, 7, d.answeredCalls(d.hearthGroup.Chat()))
				for l := range strings.Lines(d.out) {
					if strings.Contains(l, "spoke: ") && !strings.Contains(l, "mentioned ") && !strings.Contains(l, "named ") && !strings.Contains(l, "[私聊") {
						assert.Regexp(d, test.because, l)
					}
				}
			}, "-seed", "4", "-attention", attention)
		})
	}
}

// clock matches the time of day in a report.
var clock = regexp.MustCompile(`\d\d:\d\d:\d\d`)

// All that has a time follows -speed: the bot says the same, only faster.
func TestDemo_Speed(t *testing.T) {
	for _, attention := range []string{"mention", "interject", "learned", "hfc"} {
		t.Run(attention, func(t *testing.T) {
			var want []string
			for _, speed := range []string{"1", "5", "25"} {
				playDemo(t, func(d demo) {
					var said []string
					for _, s := range d.Sent() {
						said = append(said, s.Chat.String()+" "+clock.ReplaceAllString(s.Message.Text(), "…"))
					}
					if want == nil {
						want = said
					}
					require.NotEmpty(d, said)
					assert.Equal(d, want, said, "speed %s", speed)
				}, "-seed", "4", "-attention", attention, "-speed", speed)
			}
		})
	}
}
