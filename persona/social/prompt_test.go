package social_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	snapshotOf = regexp.MustCompile(`(?s)<owner_memory_snapshot>\n(.*)</owner_memory_snapshot>`)
	targetOf   = regexp.MustCompile(`<current_thought_target>(.*)</current_thought_target>`)
	pastOf     = regexp.MustCompile(`(?s)<past_tasks>\n(.*)</past_tasks>`)
)

// inPrompt is what a prompt has in an element; "" where there is none.
func inPrompt(element *regexp.Regexp, p modeltest.Prompt) string {
	if found := element.FindStringSubmatch(p.Human()); found != nil {
		return found[1]
	}
	return ""
}

// TestPrompt_ShowsOwnerMemories: every turn is shown what is known of the owner on its topic, redacted for all but the owner.
func TestPrompt_ShowsOwnerMemories(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		require.NoError(t, memorytest.New(l, l.store, memory.Options{}).Put(l.Context(), memory.Record{
			ID: "fact", Space: memory.Owner, Text: "主人爱吃火锅，订座打 13800138000", Importance: .9, At: time.Now(), Label: memory.Trusted(memory.Owner),
		}))
		l.again(nil) // it finds by words what was there when it began
		l.answer("", modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "火锅店开门了"}), modeltest.Say("好"))
		l.group.Say(alice, at(bot, "火锅店几点开门"))
		l.pass(2 * time.Minute)
		l.qq.Friend(2001, "小满").Say(say("去吃火锅吗"))
		l.pass(8 * time.Minute)
		chats := append(l.prompts(""), l.prompts(timed)...)
		require.Len(t, chats, 4, "two of the group, one in private, and one of the timer")
		for _, p := range chats {
			assert.Contains(t, inPrompt(snapshotOf, p), "主人爱吃火锅，订座打 [手机号]", p.Human())
		}
		_, err := l.being.OwnerMessage(l.Context(), "火锅店电话是多少")
		require.NoError(t, err)
		all := l.prompts("")
		assert.Contains(t, inPrompt(snapshotOf, all[len(all)-1]), "13800138000")

		l.group.Say(alice, at(bot, "明天考试吗"))
		l.pass(time.Minute)
		all = l.prompts("")
		assert.Empty(t, inPrompt(snapshotOf, all[len(all)-1]), "another topic")
	})
}

// TestPrompt_ShowsWhomToThinkOf: the target of a turn is the message that called, and the chat where none did.
func TestPrompt_ShowsWhomToThinkOf(t *testing.T) {
	inBubble(t, modeltest.Always(modeltest.Say("[skip]")), func(o *social.Options) { o.When.Attention.Policy = eager{} }, func(b *bubble) {
		asked := 0
		target := func() string {
			b.pass(time.Minute)
			prompts := b.model.Prompts()
			require.Len(t, prompts, asked+1)
			asked++
			return inPrompt(targetOf, prompts[asked-1])
		}
		b.group.Say(bob, say("早"))
		assert.Equal(t, "group_1", target())

		b.group.Say(bob, say("今天好冷"))
		id := b.group.Say(alice, at(bot, "在吗"))
		b.group.Say(bob, say("嗯"))
		assert.Equal(t, fmt.Sprint(id), target(), "not the last message")
	})
}

// An eager policy answers everything.
type eager struct{}

func (eager) Judge(*heartflow.PolicyInput) heartflow.Verdict {
	return heartflow.Verdict{Do: heartflow.Ask, Why: []heartflow.Code{"eager"}}
}

// TestPrompt_ShowsPastTasksToAWake: whoever does a task is shown those that were done before it in the same chat, and no others.
func TestPrompt_ShowsPastTasksToAWake(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		plan := func(title string) modeltest.Step {
			return modeltest.Call("add_schedule", map[string]any{"delay_seconds": 300, "content": map[string]any{"title": title}})
		}
		l.mu.Lock()
		l.says[planned] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		l.mu.Unlock()
		l.answer("", plan("给主人备份"), modeltest.Say("好"))
		_, err := l.being.OwnerMessage(l.Context(), "五分钟后备份")
		require.NoError(t, err)
		l.pass(10 * time.Minute)
		for _, title := range []string{"浇花", "喂猫"} {
			l.answer("", plan(title), modeltest.Say("好"))
			l.group.Say(alice, at(bot, "过五分钟"+title))
			l.pass(10 * time.Minute)
		}
		done := l.prompts(planned)
		require.Len(t, done, 3)
		assert.Empty(t, inPrompt(pastOf, done[1]), "the owner's is not the group's")
		assert.Contains(t, inPrompt(pastOf, done[2]), `title="浇花"`)
		assert.NotContains(t, done[2].Text(), "备份")
	})
}
