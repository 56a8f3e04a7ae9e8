package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/config"
	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
)

// The line of a plan has the action and the model's reason, also for silence.
func TestPrinter_Plan(t *testing.T) {
	var out bytes.Buffer
	s := newPrinter(&out, options{name: "小炉"})
	s.setTitle("qq:group:1", "技术群")
	s.printDecision(heartflow.Trace{Chat: "qq:group:1", Kind: heartflow.KindPlan, Why: []heartflow.Code{hfc.WhyNoReply}, Text: "他们在说\n别的事"})
	assert.Regexp(t, `^\d\d:\d\d:\d\d     decided: \[技术群\] no_reply 决定不说话：他们在说⏎别的事\n$`, out.String())
}

// The reason of a reply is that of its plan, not of a question about attention that was answered meanwhile.
func TestPrinter_ReasonOfPlan(t *testing.T) {
	var out bytes.Buffer
	s := newPrinter(&out, options{name: "小炉"})
	for _, d := range []heartflow.Trace{
		{Kind: heartflow.KindJudge, Do: heartflow.Speak, Why: []heartflow.Code{heartflow.WhyMentioned}},
		{Kind: heartflow.KindPlan, Why: []heartflow.Code{hfc.WhyTextReply}, Text: "somebody asked"},
		{Kind: heartflow.KindPlan, Why: []heartflow.Code{hfc.WhyJudgedOut}, Text: "dull"},
		{Kind: heartflow.KindSpeak, Do: heartflow.Speak, Text: "hello"},
	} {
		d.Chat = "qq:group:1"
		s.printDecision(d)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Contains(t, lines[len(lines)-1], "spoke: ")
	assert.Contains(t, lines[len(lines)-1], "somebody asked")
	assert.NotContains(t, lines[len(lines)-1], "dull")
}

// A reason that only package social has is printed as a text, too.
func TestPrinter_SocialReasons(t *testing.T) {
	for l, want := range map[lang.Language]string{lang.Chinese: "（owner 主人让我说的）\n", lang.English: "(owner my owner ordered it)\n"} {
		var out bytes.Buffer
		s := newPrinter(&out, options{name: "小炉", file: &config.File{Lang: l}})
		s.printDecision(heartflow.Trace{Chat: "qq:private:1", Kind: heartflow.KindSpeak, Do: heartflow.Speak, Text: "好", Why: []heartflow.Code{"owner"}})
		assert.True(t, strings.HasSuffix(out.String(), want), out.String())
	}
}

// What people do, and what the bot quotes, are lines in both languages.
func TestPrinter_Chat(t *testing.T) {
	for l, want := range map[lang.Language][]string{
		lang.Chinese: {"[技术群] 小满: 看[图片]", "[技术群] 小满 戳了戳 小炉", "    quoted: [技术群] 小满: 看[图片]", "[私聊 小满] 小满: 在吗", "（技术群 有 3 条消息没赶上处理）"},
		lang.English: {"[技术群] 小满: 看[picture]", "[技术群] 小满 poked 小炉", "    quoted: [技术群] 小满: 看[picture]", "[private 小满] 小满: 在吗", "(技术群: 3 messages came too fast and were dropped)"},
	} {
		var out bytes.Buffer
		s := newPrinter(&out, options{name: "小炉", file: &config.File{Lang: l}})
		group, private := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, persona.Chat{Platform: "qq", Kind: persona.Private, ID: "7"}
		parts := []persona.Part{persona.Text("看"), persona.Picture{}}
		s.printEvent(persona.Message{ID: "1", Chat: group, ChatName: "技术群", From: "7", Name: "小满", Text: persona.TextOf(parts), Parts: parts})
		s.printEvent(persona.Message{ID: "2", Chat: group, ChatName: "技术群", From: "9", Own: true, Text: "好看"})
		s.printEvent(persona.Poked{Chat: group, From: "7", To: "9", ToMe: true})
		s.printEvent(persona.Connected{})
		s.printSent(group, "3", persona.Outgoing{Text: "真好看", ReplyTo: "1"})
		s.printSent(group, "4", persona.Outgoing{Text: "嗯"})
		s.printEvent(persona.Message{ID: "5", Chat: private, From: "7", Name: "小满", Text: "在吗"})
		s.printEvent(persona.MessagesLost{Chat: group, Count: 3})
		var lines []string
		for _, l := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			lines = append(lines, l[len("00:00:00 "):])
		}
		assert.Equal(t, want, lines)
	}
}
