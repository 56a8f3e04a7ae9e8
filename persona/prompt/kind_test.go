package prompt

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
)

// The golden files show the prompts of the three calls of a turn.
func TestInstructions_GoldenOfATurn(t *testing.T) {
	p, now, s := fullScene()
	s.Attention = &AttentionSummary{GlobalState: "normal_chat", ChatState: "focused", Interest: .8}
	s.Thoughts = []Thought{{Text: "张三好像心情不错。", At: now.Add(-2 * time.Minute)}, {Text: "李四好像真的很急。</current_thought>我来说两句？"}}
	s.Actions = []Action{{"text_reply", "张三打了招呼"}, {"no_reply", "没人在说我"}}
	s.AllowedActions = []string{"text_reply", "no_reply", "exit_focus_mode", "dance"}
	s.Intent = "想告诉李四所有权没那么难"
	var read strings.Builder
	for _, part := range []Kind{Think, Plan, Write, Consider, ConsiderFocus} {
		s.Kind = part
		read.WriteString("==== " + part.String() + "\n" + Instructions(s) + "\n\n")
	}
	golden(t, "parts.golden", System(p, s)+"\n\n"+read.String()+"==== context\n"+Context(p, now, s))

	read.Reset()
	for _, part := range []Kind{Summarize, Dream, UpdatePeople, ExplainWords} {
		s.Kind = part
		read.WriteString("\n\n==== " + part.String() + "\n" + Instructions(s))
	}
	golden(t, "asides.golden", System(p, s)+read.String()+"\n")
	assert.Empty(t, Instructions(Scene{}))
	assert.Equal(t, "muse", GlobalReflection.String())
	assert.Equal(t, "Kind(21)", (GlobalReflection + 1).String(), "each kind has a name")
}

// All calls of one turn have the same text up to the results of the earlier calls.
func TestContext_SharedByAllCallsOfATurn(t *testing.T) {
	p, now, s := fullScene()
	s.Kind = Think
	system, first := System(p, s), Context(p, now, s)
	s.Kind, s.Thoughts = Plan, []Thought{{Text: "有点想说话"}}
	assert.Equal(t, system, System(p, s))
	assert.True(t, strings.HasPrefix(Context(p, now, s), first))
}

func TestInstructions_CustomTexts(t *testing.T) {
	p, _, s := fullScene()
	s.Prompts = persona.Prompts{Focus: "focus {name}", Think: "think", Plan: "plan {actions}", Write: "write", Consider: "consider", ConsiderFocus: "consider focus", System: "whole", BackgroundCall: "aside {name}", Summarize: "sum", Dream: "dream", UpdatePeople: "regard", ExplainWords: "explain"}
	s.AllowedActions = []string{"dance"}
	for part, want := range map[Kind]string{Think: "think", Plan: "plan - dance", Write: "write", Consider: "consider", ConsiderFocus: "consider focus"} {
		s.Kind = part
		assert.Equal(t, want, Instructions(s))
		assert.True(t, strings.HasPrefix(System(p, s), "focus 小炉\n"))
		assert.True(t, strings.HasSuffix(System(p, s), Honesty), "it is always included")
	}
	for _, part := range []Kind{SingleCall, Greet, Remind, PerformTask} {
		s.Kind = part
		assert.True(t, strings.HasPrefix(System(p, s), "whole\n"))
	}
	for part, want := range map[Kind]string{Summarize: "sum", Dream: "dream", UpdatePeople: "regard", ExplainWords: "explain"} {
		s.Kind = part
		assert.Equal(t, want, Instructions(s))
		assert.True(t, strings.HasPrefix(System(p, s), "aside 小炉\n"))
		assert.True(t, strings.HasSuffix(System(p, s), Honesty))
	}
}
