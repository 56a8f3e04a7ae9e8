package social_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withHFC enables Heart Flow Chat with wide limits.
func withHFC(also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
		o.When.Attention.Seed = 7
		for _, f := range also {
			f(o)
		}
	}
}

// A private chat is focused: the cycle thinks, plans, writes, looks again, waits, and gives up.
func TestFocus_ThreeCalls(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人找我"}`}
	withFixture(t, p.model(), withHFC(threeCalls), func(f *fixture) {
		f.qq.Friend(alice, "张三").Say(say("在吗"))
		f.advance(3 * time.Second)
		require.Equal(t, []string{"想", "决定", "写"}, p.asked()[:3])
		assert.Equal(t, []string{"在的"}, f.sent(f.qq.Friend(alice, "张三").Chat()))
		assert.Contains(t, p.read("决定"), "exit_focus_mode")
		assert.NotContains(t, p.read("决定"), "emoji_reply", "no stickers")

		p.decide(`{"action": "no_reply", "reasoning": "等等看"}`)
		f.advance(time.Minute)
		require.Equal(t, []string{"想", "决定"}, p.asked()[3:], "a second cycle, then the pause")
		assert.Contains(t, p.read("想"), `<deed did="text_reply">有人找我</deed>`)
		assert.Contains(t, p.read("想"), "<current_thought>第 1 个想法</current_thought>")

		f.advance(20 * time.Minute)
		assert.Equal(t, strings.Split("想 决定 想 决定 想 决定", " "), p.asked()[3:], "two more cycles, 300 s apart, then focus ends")
		assert.Len(t, f.sent(f.qq.Friend(alice, "张三").Chat()), 1)
	})
}

// With a single call no model is asked if there are no new messages.
func TestFocus_OneCall(t *testing.T) {
	withFixture(t, numbered(), withHFC(), func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		friend.Say(say("在吗"))
		f.advance(3 * time.Second)
		assert.Equal(t, []string{"第 1 句"}, f.sent(friend.Chat()))
		f.advance(2 * time.Minute)
		assert.Len(t, f.model.Prompts(), 1)
		friend.Say(say("吃了吗"))
		f.advance(3 * time.Second)
		assert.Len(t, f.sent(friend.Chat()), 2, "a message ends the pause")
		f.advance(time.Hour)
		assert.Len(t, f.model.Prompts(), 2)
		friend.Say(say("晚安"))
		f.advance(3 * time.Second)
		assert.Len(t, f.sent(friend.Chat()), 3, "focus had ended and begins again")
	})
}

// After exit_focus_mode the planner is not asked again for a while.
func TestFocus_PlannerExits(t *testing.T) {
	p := &planner{plan: `{"action": "exit_focus_mode", "reasoning": "没意思"}`}
	withFixture(t, p.model(), withHFC(threeCalls), func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		friend.Say(say("在吗"))
		f.advance(10 * time.Minute)
		assert.Equal(t, []string{"想", "决定"}, p.asked())
		assert.Empty(t, f.sent(friend.Chat()))
	})
}

// With ThinkPlanReply a model decides whether to look at a group, otherwise a rule does.
func TestFocus_WhetherToLook(t *testing.T) {
	for _, ask := range []struct {
		model bool
		said  string
		looks bool
	}{{true, `{"decision": true, "reason": "有意思"}`, true}, {true, `{"decision": false}`, false}, {true, "不知道", false}, {false, "", true}} {
		var asked []string
		model := modeltest.Func(answering(func(prompt modeltest.Prompt) string {
			if strings.Contains(prompt.Human(), "## 现在：要不要看\n") {
				asked = append(asked, prompt.Human())
				return ask.said
			}
			return "[skip]"
		}))
		withFixture(t, model, withHFC(func(o *social.Options) {
			if ask.model {
				o.Reply.Strategy = social.ThinkPlanReply
			}
		}), func(f *fixture) {
			for _, text := range []string{"今天吃什么", "火锅吧", "好"} {
				f.group.Say(alice, say(text))
				f.advance(20 * time.Second)
			}
			f.advance(2 * time.Minute)
			var in bool
			for _, tr := range f.bot.Traces(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}) {
				for _, why := range tr.Why {
					in = in || why == hfc.WhyJudgedIn
				}
			}
			assert.Equal(t, ask.looks, in, "%+v", ask)
			if !ask.model {
				assert.Empty(t, asked)
				return
			}
			require.NotEmpty(t, asked)
			assert.Contains(t, asked[0], "今天吃什么")
		})
	}
}

// A restart during focus sends nothing twice, and focus continues.
func TestFocus_Restart(t *testing.T) {
	withFixture(t, numbered(), withHFC(), func(f *fixture) {
		friend := f.qq.Friend(alice, "张三")
		for i, text := range []string{"一", "二", "三", "四"} {
			friend.Say(say(text))
			f.advance(time.Second) // before, during and after the answer
			f.stop()
			f.start(withHFC())
			f.advance(time.Duration(i) * time.Second)
		}
		f.advance(5 * time.Minute)
		texts := f.sent(friend.Chat())
		assert.NotEmpty(t, texts)
		assert.LessOrEqual(t, len(texts), 4)
		seen := map[string]bool{}
		for _, text := range texts {
			assert.False(t, seen[text], text)
			seen[text] = true
		}
		friend.Say(say("还在吗"))
		f.advance(10 * time.Second)
		assert.Len(t, f.sent(friend.Chat()), len(texts)+1)
	})
}
