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

// withHFC is Heart Flow Chat in its widest state.
func withHFC(also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
		o.When.Attention.Seed = 7
		for _, f := range also {
			f(o)
		}
	}
}

// A private chat has the being's full attention: the cycle thinks, plans, writes, looks again, waits, and gives up.
func TestFocusInThree(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人找我"}`}
	inBubble(t, p.model(), withHFC(inThree), func(b *bubble) {
		b.qq.Friend(alice, "张三").Say(say("在吗"))
		b.pass(3 * time.Second)
		require.Equal(t, []string{"想", "决定", "写"}, p.asked()[:3])
		assert.Equal(t, []string{"在的"}, b.sent(b.qq.Friend(alice, "张三").Chat()))
		assert.Contains(t, p.read("决定"), "exit_focus_mode")
		assert.NotContains(t, p.read("决定"), "emoji_reply", "there are no stickers")

		p.decide(`{"action": "no_reply", "reasoning": "等等看"}`)
		b.pass(time.Minute)
		require.Equal(t, []string{"想", "决定"}, p.asked()[3:], "it looked again, and waits")
		assert.Contains(t, p.read("想"), `<deed did="text_reply">有人找我</deed>`)
		assert.Contains(t, p.read("想"), "<current_thought>第 1 个想法</current_thought>")

		b.pass(20 * time.Minute)
		assert.Equal(t, strings.Split("想 决定 想 决定 想 决定", " "), p.asked()[3:], "twice more, 300 s apart, and focus is over")
		assert.Len(t, b.sent(b.qq.Friend(alice, "张三").Chat()), 1)
	})
}

// In one call no model is asked about nothing new.
func TestFocusInOne(t *testing.T) {
	inBubble(t, counted(), withHFC(), func(b *bubble) {
		friend := b.qq.Friend(alice, "张三")
		friend.Say(say("在吗"))
		b.pass(3 * time.Second)
		assert.Equal(t, []string{"第 1 句"}, b.sent(friend.Chat()))
		b.pass(2 * time.Minute)
		assert.Len(t, b.model.Prompts(), 1)
		friend.Say(say("吃了吗"))
		b.pass(3 * time.Second)
		assert.Len(t, b.sent(friend.Chat()), 2, "a message ends the wait")
		b.pass(time.Hour)
		assert.Len(t, b.model.Prompts(), 2)
		friend.Say(say("晚安"))
		b.pass(3 * time.Second)
		assert.Len(t, b.sent(friend.Chat()), 3, "focus had ended, and begins anew")
	})
}

// A planner that leaves is not asked again for a while.
func TestPlannerLeaves(t *testing.T) {
	p := &planner{plan: `{"action": "exit_focus_mode", "reasoning": "没意思"}`}
	inBubble(t, p.model(), withHFC(inThree), func(b *bubble) {
		friend := b.qq.Friend(alice, "张三")
		friend.Say(say("在吗"))
		b.pass(10 * time.Minute)
		assert.Equal(t, []string{"想", "决定"}, p.asked())
		assert.Empty(t, b.sent(friend.Chat()))
	})
}

// Whether to look at a group is asked of a model where turns are made in three, and else decided by a rule.
func TestWhetherToLook(t *testing.T) {
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
		inBubble(t, model, withHFC(func(o *social.Options) {
			if ask.model {
				o.Reply.Strategy = social.ThinkPlanReply
			}
		}), func(b *bubble) {
			for _, text := range []string{"今天吃什么", "火锅吧", "好"} {
				b.group.Say(alice, say(text))
				b.pass(20 * time.Second)
			}
			b.pass(2 * time.Minute)
			var in bool
			for _, tr := range b.being.Traces(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}) {
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

// Over a restart in the middle of a focus nothing is said twice, and it goes on.
func TestFocusOverARestart(t *testing.T) {
	inBubble(t, counted(), withHFC(), func(b *bubble) {
		friend := b.qq.Friend(alice, "张三")
		for i, text := range []string{"一", "二", "三", "四"} {
			friend.Say(say(text))
			b.pass(time.Second) // before, while and after it is answered
			b.stop()
			b.start(withHFC())
			b.pass(time.Duration(i) * time.Second)
		}
		b.pass(5 * time.Minute)
		texts := b.sent(friend.Chat())
		assert.NotEmpty(t, texts)
		assert.LessOrEqual(t, len(texts), 4)
		seen := map[string]bool{}
		for _, text := range texts {
			assert.False(t, seen[text], text)
			seen[text] = true
		}
		friend.Say(say("还在吗"))
		b.pass(10 * time.Second)
		assert.Len(t, b.sent(friend.Chat()), len(texts)+1)
	})
}
