package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
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
