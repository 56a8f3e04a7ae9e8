package main

import (
	"bytes"
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
