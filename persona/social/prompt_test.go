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

// inPrompt returns the content of an element of a prompt; "" if it is missing.
func inPrompt(element *regexp.Regexp, p modeltest.Prompt) string {
	if found := element.FindStringSubmatch(p.Human()); found != nil {
		return found[1]
	}
	return ""
}

// Every turn is shown owner memories on its topic. They are redacted unless the turn is the owner's.
func TestPrompt_ShowsOwnerMemories(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		require.NoError(t, memorytest.New(f, f.store, memory.Options{}).Put(f.Context(), memory.Record{
			ID: "fact", Space: memory.Owner, Text: "主人爱吃火锅，订座打 13800138000", Importance: .9, At: time.Now(), Label: memory.Trusted(memory.Owner),
		}))
		f.restart(nil) // the word index is built at start
		f.answer("", modeltest.Call("set_timer", map[string]any{"when": "5min", "content": "火锅店开门了"}), modeltest.Say("好"))
		f.group.Say(alice, at(botID, "火锅店几点开门"))
		f.advance(2 * time.Minute)
		f.qq.Friend(2001, "小满").Say(say("去吃火锅吗"))
		f.advance(8 * time.Minute)
		chats := append(f.prompts(""), f.prompts(headTimer)...)
		require.Len(t, chats, 4, "two of the group, one private, one of the timer")
		for _, p := range chats {
			assert.Contains(t, inPrompt(snapshotOf, p), "主人爱吃火锅，订座打 [手机号]", p.Human())
		}
		_, err := f.bot.OwnerMessage(f.Context(), "火锅店电话是多少")
		require.NoError(t, err)
		all := f.prompts("")
		assert.Contains(t, inPrompt(snapshotOf, all[len(all)-1]), "13800138000")

		f.group.Say(alice, at(botID, "明天考试吗"))
		f.advance(time.Minute)
		all = f.prompts("")
		assert.Empty(t, inPrompt(snapshotOf, all[len(all)-1]), "another topic")
	})
}

// The target of a turn is the message that addressed the bot, and without one, the chat.
func TestPrompt_ShowsTarget(t *testing.T) {
	withFixture(t, modeltest.Always(modeltest.Say("[skip]")), func(o *social.Options) { o.When.Attention.Policy = eagerPolicy{} }, func(f *fixture) {
		asked := 0
		target := func() string {
			f.advance(time.Minute)
			prompts := f.model.Prompts()
			require.Len(t, prompts, asked+1)
			asked++
			return inPrompt(targetOf, prompts[asked-1])
		}
		f.group.Say(bob, say("早"))
		assert.Equal(t, "group_1", target())

		f.group.Say(bob, say("今天好冷"))
		id := f.group.Say(alice, at(botID, "在吗"))
		f.group.Say(bob, say("嗯"))
		assert.Equal(t, fmt.Sprint(id), target(), "the addressing message, not the last one")
	})
}

// An eagerPolicy answers every message.
type eagerPolicy struct{}

func (eagerPolicy) Judge(*heartflow.PolicyInput) heartflow.Verdict {
	return heartflow.Verdict{Do: heartflow.Ask, Why: []heartflow.Code{"eager"}}
}

// A task's prompt has the past tasks of its chat only.
func TestPrompt_ShowsPastTasks(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		plan := func(title string) modeltest.Step {
			return modeltest.Call("add_schedule", map[string]any{"delay_seconds": 300, "content": map[string]any{"title": title}})
		}
		f.mu.Lock()
		f.answers[headTask] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		f.mu.Unlock()
		f.answer("", plan("给主人备份"), modeltest.Say("好"))
		_, err := f.bot.OwnerMessage(f.Context(), "五分钟后备份")
		require.NoError(t, err)
		f.advance(10 * time.Minute)
		for _, title := range []string{"浇花", "喂猫"} {
			f.answer("", plan(title), modeltest.Say("好"))
			f.group.Say(alice, at(botID, "过五分钟"+title))
			f.advance(10 * time.Minute)
		}
		done := f.prompts(headTask)
		require.Len(t, done, 3)
		assert.Empty(t, inPrompt(pastOf, done[1]), "the owner's tasks are not shown")
		assert.Contains(t, inPrompt(pastOf, done[2]), `title="浇花"`)
		assert.NotContains(t, done[2].Text(), "备份")
	})
}
