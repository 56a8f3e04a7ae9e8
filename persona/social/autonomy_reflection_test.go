package social_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withPublicChat is withAutonomy with a second, public group.
func withPublicChat(t *testing.T, test func(f *autonomyFixture, say func(text string))) {
	withAutonomy(t, func(o *social.Options) {
		o.When.Chats = func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Public: c.ID == "2"} }
	}, func(f *autonomyFixture) {
		open := f.qq.Group(2, "广场")
		open.Member(bob, "李四")
		test(f, func(text string) { open.Say(bob, onebot.Message{onebot.At(botID), onebot.Text(" " + text)}) })
	})
}

func (f *autonomyFixture) lastPrompt(head string) string {
	f.Helper()
	all := f.prompts(head)
	require.NotEmpty(f, all, head)
	return all[len(all)-1].Text()
}

// The global reflection is made once an hour from inner states of public chats, and all chats see it.
func TestGlobalReflection_ShownInAllChats(t *testing.T) {
	withPublicChat(t, func(f *autonomyFixture, say func(string)) {
		felt := map[string]string{"技术群": "在技术群提心吊胆", "广场": "在广场很自在"}
		f.mu.Lock()
		f.answers[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		f.answers[headReflect] = func(p modeltest.Prompt) modeltest.Step {
			for name, text := range felt {
				if strings.Contains(p.Text(), name) {
					return modeltest.Say(text)
				}
			}
			return modeltest.Say(silence)
		}
		f.answers[headGlobal] = func(p modeltest.Prompt) modeltest.Step { return modeltest.Say("生活很自在") }
		f.mu.Unlock()
		for i := range 4 {
			say(fmt.Sprint("广场上的话", i))
			f.group.Say(alice, at(botID, fmt.Sprint("群里的话", i)))
			f.advance(2 * time.Minute)
		}
		prompts := f.prompts(headGlobal)
		require.Len(t, prompts, 1)
		assert.Contains(t, prompts[0].Text(), "在广场很自在")
		assert.NotContains(t, prompts[0].Text(), "提心吊胆", "the other group is not public")
		f.group.Say(alice, at(botID, "还在吗"))
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(""), "生活很自在")
		assert.Contains(t, f.lastPrompt(""), "在技术群提心吊胆")
		assert.NotContains(t, f.lastPrompt(""), "在广场很自在")
		for i := range 20 {
			say(fmt.Sprint("再说", i))
			f.advance(time.Minute)
		}
		assert.Len(t, f.prompts(headGlobal), 1, "once an hour")
	})
}

// Public chats are background in the prompts of other chats. Other chats are not in theirs.
func TestPublicChats_AreBackground(t *testing.T) {
	withPublicChat(t, func(f *autonomyFixture, say func(string)) {
		f.group.Say(alice, at(botID, "群里的秘密"))
		f.advance(time.Minute)
		say("广场上都听得见")
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(""), "广场上都听得见")
		assert.NotContains(t, f.lastPrompt(""), "群里的秘密")
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Regexp(t, `(?s)<session type="group" id="2"[^>]*background="true">.*广场上都听得见`, f.lastPrompt(""))
		f.advance(2 * time.Hour)
		f.group.Say(alice, at(botID, "还在吗"))
		f.advance(time.Minute)
		assert.NotContains(t, f.lastPrompt(""), "广场上都听得见", "too old")
	})
}

// If the inner state is written during a reflection, the reflection is repeated from the newer one.
func TestReflection_NewerInnerState(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		notes := memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1")
		f.mu.Lock()
		f.answers[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		n := 0
		f.answers[headReflect] = func(p modeltest.Prompt) modeltest.Step {
			if n++; n == 1 {
				require.NoError(t, notes.SetInnerState(f.Context(), time.Now(), "别处写下的"))
				return modeltest.Say("旧的之上")
			}
			return modeltest.Say("新的之上")
		}
		f.mu.Unlock()
		for i := range 5 {
			f.group.Say(alice, at(botID, fmt.Sprint("话", i)))
			f.advance(time.Minute)
		}
		prompts := f.prompts(headReflect)
		require.GreaterOrEqual(t, len(prompts), 2)
		assert.Contains(t, prompts[1].Text(), "话1", "the repeated reflection reads the messages, too")
		assert.Contains(t, prompts[1].Text(), "别处写下的")
	})
}

// Notes and plans are shown in their own chat, in each prompt of a turn, and nowhere else.
func TestAutonomy_NotesAndPlansAreShown(t *testing.T) {
	withAutonomy(t, func(o *social.Options) { o.Reply.Strategy = social.ThinkPlanReply }, func(f *autonomyFixture) {
		space := memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1")
		require.NoError(t, space.SetSlot(f.Context(), time.Now(), "约定", "周五聚餐"))
		f.answer("想", modeltest.Say("想安排一下"))
		_, err := f.bot.OwnerMessage(f.Context(), "在吗")
		require.NoError(t, err)
		assert.NotContains(t, f.lastPrompt(""), "周五聚餐")
		f.mu.Lock()
		f.answers[""] = func(p modeltest.Prompt) modeltest.Step {
			if len(p.ToolResults()) == 0 {
				return modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": "备份"}})
			}
			return modeltest.Say("好")
		}
		f.mu.Unlock()
		_, err = f.bot.OwnerMessage(f.Context(), "两小时后备份")
		require.NoError(t, err)
		f.group.Say(alice, at(botID, "周五做什么"))
		f.advance(time.Minute)
		for _, head := range []string{"想", "决定"} {
			assert.Contains(t, f.lastPrompt(head), "周五聚餐", head)
			assert.NotContains(t, f.lastPrompt(head), `title="备份"`, "the owner's plans are not shown")
		}
		_, err = f.bot.OwnerMessage(f.Context(), "还有什么")
		require.NoError(t, err)
		assert.Contains(t, f.lastPrompt(""), `title="备份"`)
	})
}

// Owner activity is shown from the cursor on. The cursor moves when the background turn succeeds.
func TestActivity_ShownOnce(t *testing.T) {
	var since []time.Time
	withAutonomy(t, func(o *social.Options) {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
		o.Background.Autonomy.RecentActivity = func(_ context.Context, at time.Time) ([]social.OwnerActivity, error) {
			since = append(since, at)
			if len(since) == 3 {
				return nil, errors.New("no answer")
			}
			return []social.OwnerActivity{{App: fmt.Sprint("第", len(since), "次")}}, nil
		}
	}, func(f *autonomyFixture) {
		f.answer(headPlan, modeltest.Say("嗯"), modeltest.Fail(errModel), modeltest.Say("嗯"), modeltest.Say("嗯"))
		f.advance(3 * time.Hour)
		require.Greater(t, len(since), 4)
		assert.True(t, since[1].After(since[0]))
		assert.Contains(t, f.lastPrompt(headPlan), "次")
		for i := 2; i < len(since); i++ {
			assert.False(t, since[i].Before(since[i-1]))
		}
		same := 0
		for i := 1; i < len(since); i++ {
			if since[i].Equal(since[i-1]) {
				same++
			}
		}
		assert.Positive(t, same, "activity of a failed turn is read again: %v", since)
	})
}

// After a failed background turn, the same activity is shown again. After a successful one, only newer activity is
// shown.
func TestActivity_FailedTurnKeepsCursor(t *testing.T) {
	var since []time.Time
	fails := false // guarded by l.mu
	withAutonomy(t, func(o *social.Options) {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
		o.Background.Autonomy.RecentActivity = func(_ context.Context, at time.Time) ([]social.OwnerActivity, error) {
			since = append(since, at)
			return []social.OwnerActivity{{App: "写代码"}}, nil
		}
	}, func(f *autonomyFixture) {
		f.mu.Lock()
		f.answers[headPlan] = func(modeltest.Prompt) modeltest.Step {
			if fails {
				return modeltest.Fail(errModel)
			}
			return modeltest.Say("嗯")
		}
		f.mu.Unlock()
		for hour := range 4 {
			f.mu.Lock()
			fails = hour%2 == 1
			f.mu.Unlock()
			f.advance(time.Hour)
		}
		f.stop()
		turns := f.resultsOf(schedule.WakeIdle)
		require.GreaterOrEqual(t, len(since), len(turns))
		well, failed := 0, 0
		for i, turn := range turns[:len(turns)-1] {
			if turn.Err == nil {
				well++
				assert.True(t, since[i+1].After(since[i]), "turn %d succeeded", i)
			} else if i > 0 {
				failed++
				assert.True(t, since[i+1].Equal(since[i]), "talk %d failed: %v, %v", i, since[i], since[i+1])
			}
		}
		assert.Greater(t, well, 1)
		assert.Greater(t, failed, 1)
	})
}

// With ThinkPlanReply the global reflection is made from the latest thoughts in public chats.
func TestGlobalReflection_FromThoughts(t *testing.T) {
	thoughtOf := regexp.MustCompile(`<current_thought>(.*)</current_thought>`)
	withAutonomy(t, func(o *social.Options) {
		o.Reply.Strategy = social.ThinkPlanReply
		o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{Public: true} }
	}, func(f *autonomyFixture) {
		thoughts := strings.Split("天好像要下雨了 猫又跑到屋顶上去 谁还记得钥匙放哪 晚饭不如煮面 那首歌真好听 明早得去寄信", " ")
		n := 0
		f.mu.Lock()
		f.answers["想"] = func(modeltest.Prompt) modeltest.Step {
			n++
			return modeltest.Say(thoughts[n%len(thoughts)])
		}
		f.answers["决定"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(`{"action": "text_reply"}`) }
		f.answers["写"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		f.answers[headReflect] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("在广场很自在") }
		f.answers[headGlobal] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("生活很自在") }
		f.mu.Unlock()
		for i := 0; len(f.prompts(headGlobal)) == 0; i++ {
			require.Less(t, i, 10)
			f.group.Say(alice, at(botID, fmt.Sprint("群里的话", i)))
			f.advance(2 * time.Minute)
		}
		last := inPrompt(thoughtOf, f.prompts("决定")[len(f.prompts("决定"))-1])
		require.NotEmpty(t, last)
		assert.Contains(t, f.lastPrompt(headGlobal), last)
	})
}

// Requirement H13: the global reflection uses the thoughts of a focus.
func TestGlobalReflection_FromThoughtsInFocus(t *testing.T) {
	withAutonomy(t, func(o *social.Options) {
		withHFC(threeCalls)(o)
		o.Background.Autonomy.NoInnerState = true
		o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{Public: true} }
	}, func(f *autonomyFixture) {
		n := 0
		f.mu.Lock()
		f.answers["想"] = func(modeltest.Prompt) modeltest.Step {
			n++
			return modeltest.Say(fewThoughts[n%len(fewThoughts)])
		}
		f.answers["决定"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(`{"action": "text_reply"}`) }
		f.answers["写"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		f.answers[headGlobal] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("生活很自在") }
		f.mu.Unlock()
		friend := f.qq.Friend(alice, "张三")
		for i := 0; len(f.prompts(headGlobal)) == 0; i++ {
			require.Less(t, i, 20)
			friend.Say(say(fmt.Sprint("私下的话", i)))
			f.advance(10 * time.Second)
			require.Equal(t, "focused", f.bot.ChatStatus(persona.Chat{Platform: "qq", Kind: persona.Private, ID: fmt.Sprint(alice)}).State)
			f.advance(time.Minute)
		}
		assert.Regexp(t, strings.Join(fewThoughts, "|"), f.lastPrompt(headGlobal))
	})
}

// A long task history is condensed by a patch of a background turn, and only then deleted.
func TestAutonomy_CondensesHistory(t *testing.T) {
	withAutonomy(t, func(o *social.Options) {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
		o.Background.Autonomy.Tasks.CondenseAt = 60
		o.Background.Autonomy.Planner.TaskInterval = time.Second
	}, func(f *autonomyFixture) {
		f.mu.Lock()
		f.answers[headTask] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		f.answers[headOutcome] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(strings.Repeat("很顺利", 10)) }
		n := 0
		f.answers[""] = func(p modeltest.Prompt) modeltest.Step {
			if len(p.ToolResults()) == 0 {
				n++
				return modeltest.Call("add_schedule", map[string]any{"delay_seconds": 1, "content": map[string]any{"title": fmt.Sprint("事", n)}})
			}
			return modeltest.Say("好")
		}
		f.mu.Unlock()
		for range 4 {
			_, err := f.bot.OwnerMessage(f.Context(), "做一件事")
			require.NoError(t, err)
			f.advance(10 * time.Minute)
		}
		f.advance(2 * time.Hour) // reviews come first
		day, err := f.bot.Agenda(f.Context())
		require.NoError(t, err)
		require.Len(t, day.Past, 4, "nothing condensed, nothing deleted")
		assert.Contains(t, f.lastPrompt(headPlan), "事1")
		f.answer(headPlan, modeltest.Call("apply_patch_to_history_tasks", map[string]any{"patch": "*** Begin Patch\n@@ ## 做过的\n+- 几件事，都顺利\n*** End Patch"}), modeltest.Say("记下了"))
		f.advance(2 * time.Hour)
		day, err = f.bot.Agenda(f.Context())
		require.NoError(t, err)
		assert.Less(t, len(day.Past), 4)
		assert.Contains(t, f.lastPrompt(headPlan), "几件事，都顺利")
	})
}

// A reflection is repeated if one of its messages is retracted meanwhile.
func TestReflection_RetractedMessage(t *testing.T) {
	withAutonomy(t, func(o *social.Options) { o.Background.Autonomy.NoGlobalReflection = true }, func(f *autonomyFixture) {
		f.mu.Lock()
		f.answers[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		f.answers[headReflect] = func(p modeltest.Prompt) modeltest.Step {
			if strings.Contains(p.Text(), "金丝雀") {
				return modeltest.Say("想着金丝雀").After(20 * time.Second)
			}
			return modeltest.Say("平静").After(20 * time.Second)
		}
		f.mu.Unlock()
		said := f.group.Say(bob, say("金丝雀"))
		for i := 0; len(f.prompts(headReflect)) == 0; i++ {
			require.Less(t, i, 100, "no reflection")
			if i%10 == 0 {
				f.group.Say(alice, at(botID, fmt.Sprint("话", i)))
			}
			f.advance(5 * time.Second)
		}
		require.Contains(t, f.prompts(headReflect)[0].Text(), "金丝雀")
		f.qq.Recall(said) // while it reflects
		f.advance(2 * time.Minute)
		prompts := f.prompts(headReflect)
		require.Len(t, prompts, 2)
		assert.NotContains(t, prompts[1].Text(), "金丝雀")
		inner, err := memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1").InnerState(f.Context())
		require.NoError(t, err)
		assert.Equal(t, "平静", inner.Text)
	})
}

// A message retracted during a turn does not survive in a note of that turn.
func TestNotes_RetractedMessage(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		said := f.group.Say(bob, say("金丝雀"))
		f.advance(time.Minute)
		f.answer("",
			modeltest.Call("set_slot", map[string]string{"name": "a", "text": "金丝雀"}).After(10*time.Second),
			modeltest.Call("set_scratch", map[string]string{"name": "b", "text": "别的"}), modeltest.Say("好"))
		f.group.Say(alice, at(botID, "记一下"))
		f.advance(5 * time.Second)
		f.qq.Recall(said)
		f.advance(time.Minute)
		prompts := f.prompts("")
		require.Len(t, prompts, 3)
		require.Contains(t, prompts[0].Text(), "金丝雀")
		for _, r := range prompts[2].ToolResults() {
			assert.Contains(t, r.Content, "撤回")
		}
		slots, err := memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1").Slots(f.Context())
		require.NoError(t, err)
		assert.Empty(t, slots)
		assert.Equal(t, []string{"好"}, f.sent(f.group.Chat()))

		f.answer("", modeltest.Call("set_slot", map[string]string{"name": "a", "text": "喜欢猫"}), modeltest.Say("记了"))
		f.group.Say(alice, at(botID, "我喜欢猫"))
		f.advance(time.Minute)
		slots, err = memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1").Slots(f.Context())
		require.NoError(t, err)
		require.Len(t, slots, 1, "the next turn has not read the message")
	})
}

// If a newer inner state and newer messages appear during a reflection, it reflects once more, on the newer ones. The
// conversation continues meanwhile.
func TestReflection_RepeatedOnConflict(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		notes := memorytest.New(f, f.store, memory.Options{}).Notes("qq:group:1")
		n := 0
		f.mu.Lock()
		f.answers[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		f.answers[headReflect] = func(p modeltest.Prompt) modeltest.Step {
			if n++; n > 1 {
				return modeltest.Say("新的之上")
			}
			return modeltest.Say("旧的之上").After(50 * time.Second)
		}
		f.mu.Unlock()
		for i := 0; len(f.prompts(headReflect)) == 0; i++ {
			require.Less(t, i, 10)
			f.group.Say(alice, at(botID, fmt.Sprint("话", i)))
			f.advance(10 * time.Second)
		}
		require.NoError(t, notes.SetInnerState(f.Context(), time.Now(), "别处写下的"))
		said := len(f.sent(f.group.Chat()))
		f.advance(time.Second)
		f.group.Say(alice, at(botID, "后来的话"))
		f.advance(20 * time.Second)
		assert.Len(t, f.sent(f.group.Chat()), said+1, "replies do not wait for it")
		require.Len(t, f.prompts(headReflect), 1)
		f.advance(time.Minute)
		prompts := f.prompts(headReflect)
		require.Len(t, prompts, 2)
		assert.NotContains(t, prompts[0].Text(), "别处写下的")
		assert.Contains(t, prompts[1].Text(), "别处写下的")
		assert.Contains(t, prompts[1].Text(), "后来的话")
		inner, err := notes.InnerState(f.Context())
		require.NoError(t, err)
		assert.Equal(t, "新的之上", inner.Text)
	})
}
