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

// withPublic is withDays with a second group, which everybody may read.
func withPublic(t *testing.T, test func(l *lively, say func(text string))) {
	withDays(t, func(o *social.Options) {
		o.When.Chats = func(c persona.Chat) social.ChatOptions { return social.ChatOptions{Public: c.ID == "2"} }
	}, func(l *lively) {
		open := l.qq.Group(2, "广场")
		open.Member(bob, "李四")
		test(l, func(text string) { open.Say(bob, onebot.Message{onebot.At(bot), onebot.Text(" " + text)}) })
	})
}

func (l *lively) last(head string) string {
	l.Helper()
	all := l.prompts(head)
	require.NotEmpty(l, all, head)
	return all[len(all)-1].Text()
}

// TestTheMainMind is made of how it feels in public chats, once an hour, and all chats are shown it.
func TestTheMainMind(t *testing.T) {
	withPublic(t, func(l *lively, say func(string)) {
		felt := map[string]string{"技术群": "在技术群提心吊胆", "广场": "在广场很自在"}
		l.mu.Lock()
		l.says[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		l.says[inward] = func(p modeltest.Prompt) modeltest.Step {
			for name, text := range felt {
				if strings.Contains(p.Text(), name) {
					return modeltest.Say(text)
				}
			}
			return modeltest.Say(noAnswer)
		}
		l.says[wide] = func(p modeltest.Prompt) modeltest.Step { return modeltest.Say("生活很自在") }
		l.mu.Unlock()
		for i := range 4 {
			say(fmt.Sprint("广场上的话", i))
			l.group.Say(alice, at(bot, fmt.Sprint("群里的话", i)))
			l.pass(2 * time.Minute)
		}
		mused := l.prompts(wide)
		require.Len(t, mused, 1)
		assert.Contains(t, mused[0].Text(), "在广场很自在")
		assert.NotContains(t, mused[0].Text(), "提心吊胆", "the other group is nobody else's")
		l.group.Say(alice, at(bot, "还在吗"))
		l.pass(time.Minute)
		assert.Contains(t, l.last(""), "生活很自在")
		assert.Contains(t, l.last(""), "在技术群提心吊胆")
		assert.NotContains(t, l.last(""), "在广场很自在")
		for i := range 20 {
			say(fmt.Sprint("再说", i))
			l.pass(time.Minute)
		}
		assert.Len(t, l.prompts(wide), 1, "once an hour")
	})
}

// TestPublicChatsAreBackground in the prompts of others, and others are not in theirs.
func TestPublicChatsAreBackground(t *testing.T) {
	withPublic(t, func(l *lively, say func(string)) {
		l.group.Say(alice, at(bot, "群里的秘密"))
		l.pass(time.Minute)
		say("广场上都听得见")
		l.pass(time.Minute)
		assert.Contains(t, l.last(""), "广场上都听得见")
		assert.NotContains(t, l.last(""), "群里的秘密")
		l.group.Say(alice, at(bot, "在吗"))
		l.pass(time.Minute)
		assert.Regexp(t, `(?s)<session type="group" id="2"[^>]*background="true">.*广场上都听得见`, l.last(""))
		l.pass(2 * time.Hour)
		l.group.Say(alice, at(bot, "还在吗"))
		l.pass(time.Minute)
		assert.NotContains(t, l.last(""), "广场上都听得见", "long ago")
	})
}

// TestReflectionOverANewerOne is made anew of what was written meanwhile.
func TestReflectionOverANewerOne(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		notes := memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1")
		l.mu.Lock()
		l.says[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		n := 0
		l.says[inward] = func(p modeltest.Prompt) modeltest.Step {
			if n++; n == 1 {
				require.NoError(t, notes.SetInnerState(l.Context(), time.Now(), "别处写下的"))
				return modeltest.Say("旧的之上")
			}
			return modeltest.Say("新的之上")
		}
		l.mu.Unlock()
		for i := range 5 {
			l.group.Say(alice, at(bot, fmt.Sprint("话", i)))
			l.pass(time.Minute)
		}
		prompts := l.prompts(inward)
		require.GreaterOrEqual(t, len(prompts), 2)
		assert.Contains(t, prompts[1].Text(), "话1", "what was said is felt of that one, too")
		assert.Contains(t, prompts[1].Text(), "别处写下的")
	})
}

// TestNotesAndPlansAreShown where they were made, also to each part of a turn, and nowhere else.
func TestNotesAndPlansAreShown(t *testing.T) {
	withDays(t, func(o *social.Options) { o.Reply.Strategy = social.ThinkPlanReply }, func(l *lively) {
		space := memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1")
		require.NoError(t, space.SetSlot(l.Context(), time.Now(), "约定", "周五聚餐"))
		l.answer("想", modeltest.Say("想安排一下"))
		_, err := l.being.OwnerMessage(l.Context(), "在吗")
		require.NoError(t, err)
		assert.NotContains(t, l.last(""), "周五聚餐")
		l.mu.Lock()
		l.says[""] = func(p modeltest.Prompt) modeltest.Step {
			if len(p.ToolResults()) == 0 {
				return modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": "备份"}})
			}
			return modeltest.Say("好")
		}
		l.mu.Unlock()
		_, err = l.being.OwnerMessage(l.Context(), "两小时后备份")
		require.NoError(t, err)
		l.group.Say(alice, at(bot, "周五做什么"))
		l.pass(time.Minute)
		for _, head := range []string{"想", "决定"} {
			assert.Contains(t, l.last(head), "周五聚餐", head)
			assert.NotContains(t, l.last(head), `title="备份"`, "the owner's plans are not theirs")
		}
		_, err = l.being.OwnerMessage(l.Context(), "还有什么")
		require.NoError(t, err)
		assert.Contains(t, l.last(""), `title="备份"`)
	})
}

// TestActivityIsToldOnce: what the owner has been doing is told from the mark on, which moves when the talk went well.
func TestActivityIsToldOnce(t *testing.T) {
	var since []time.Time
	withDays(t, func(o *social.Options) {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
		o.Background.Autonomy.RecentActivity = func(_ context.Context, at time.Time) ([]social.OwnerActivity, error) {
			since = append(since, at)
			if len(since) == 3 {
				return nil, errors.New("no answer")
			}
			return []social.OwnerActivity{{App: fmt.Sprint("第", len(since), "次")}}, nil
		}
	}, func(l *lively) {
		l.answer(ahead, modeltest.Say("嗯"), modeltest.Fail(errModel), modeltest.Say("嗯"), modeltest.Say("嗯"))
		l.pass(3 * time.Hour)
		require.Greater(t, len(since), 4)
		assert.True(t, since[1].After(since[0]))
		assert.Contains(t, l.last(ahead), "次")
		for i := 2; i < len(since); i++ {
			assert.False(t, since[i].Before(since[i-1]))
		}
		same := 0
		for i := 1; i < len(since); i++ {
			if since[i].Equal(since[i-1]) {
				same++
			}
		}
		assert.Positive(t, same, "what failed is told again: %v", since)
	})
}

// TestActivity_FailedTalkKeepsTheMark: what the owner has been doing is told again after a talk that failed, from the same time on, and
// is told from that talk on after one that went well.
func TestActivity_FailedTalkKeepsTheMark(t *testing.T) {
	var since []time.Time
	fails := false // guarded by l.mu
	withDays(t, func(o *social.Options) {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
		o.Background.Autonomy.RecentActivity = func(_ context.Context, at time.Time) ([]social.OwnerActivity, error) {
			since = append(since, at)
			return []social.OwnerActivity{{App: "写代码"}}, nil
		}
	}, func(l *lively) {
		l.mu.Lock()
		l.says[ahead] = func(modeltest.Prompt) modeltest.Step {
			if fails {
				return modeltest.Fail(errModel)
			}
			return modeltest.Say("嗯")
		}
		l.mu.Unlock()
		for hour := range 4 {
			l.mu.Lock()
			fails = hour%2 == 1
			l.mu.Unlock()
			l.pass(time.Hour)
		}
		l.stop()
		talks := l.did(schedule.WakeIdle)
		require.GreaterOrEqual(t, len(since), len(talks))
		well, failed := 0, 0
		for i, talk := range talks[:len(talks)-1] {
			if talk.Err == nil {
				well++
				assert.True(t, since[i+1].After(since[i]), "talk %d went well", i)
			} else if i > 0 {
				failed++
				assert.True(t, since[i+1].Equal(since[i]), "talk %d failed: %v, %v", i, since[i], since[i+1])
			}
		}
		assert.Greater(t, well, 1)
		assert.Greater(t, failed, 1)
	})
}

// TestTheMainMind_IsMadeOfThoughts: where turns think, the wider thought is of what was thought last in a public chat.
func TestTheMainMind_IsMadeOfThoughts(t *testing.T) {
	thoughtOf := regexp.MustCompile(`<current_thought>(.*)</current_thought>`)
	withDays(t, func(o *social.Options) {
		o.Reply.Strategy = social.ThinkPlanReply
		o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{Public: true} }
	}, func(l *lively) {
		thoughts := strings.Split("天好像要下雨了 猫又跑到屋顶上去 谁还记得钥匙放哪 晚饭不如煮面 那首歌真好听 明早得去寄信", " ")
		n := 0
		l.mu.Lock()
		l.says["想"] = func(modeltest.Prompt) modeltest.Step {
			n++
			return modeltest.Say(thoughts[n%len(thoughts)])
		}
		l.says["决定"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(`{"action": "text_reply"}`) }
		l.says["写"] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		l.says[inward] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("在广场很自在") }
		l.says[wide] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("生活很自在") }
		l.mu.Unlock()
		for i := 0; len(l.prompts(wide)) == 0; i++ {
			require.Less(t, i, 10)
			l.group.Say(alice, at(bot, fmt.Sprint("群里的话", i)))
			l.pass(2 * time.Minute)
		}
		last := inPrompt(thoughtOf, l.prompts("决定")[len(l.prompts("决定"))-1])
		require.NotEmpty(t, last)
		assert.Contains(t, l.last(wide), last)
	})
}

// TestALongHistoryIsCondensed by a patch of the background, and only then forgotten.
func TestALongHistoryIsCondensed(t *testing.T) {
	withDays(t, func(o *social.Options) {
		o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
		o.Background.Autonomy.Tasks.CondenseAt = 60
		o.Background.Autonomy.Planner.TaskInterval = time.Second
	}, func(l *lively) {
		l.mu.Lock()
		l.says[planned] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		l.says[looked] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(strings.Repeat("很顺利", 10)) }
		n := 0
		l.says[""] = func(p modeltest.Prompt) modeltest.Step {
			if len(p.ToolResults()) == 0 {
				n++
				return modeltest.Call("add_schedule", map[string]any{"delay_seconds": 1, "content": map[string]any{"title": fmt.Sprint("事", n)}})
			}
			return modeltest.Say("好")
		}
		l.mu.Unlock()
		for range 4 {
			_, err := l.being.OwnerMessage(l.Context(), "做一件事")
			require.NoError(t, err)
			l.pass(10 * time.Minute)
		}
		l.pass(2 * time.Hour) // reviews come first
		day, err := l.being.Agenda(l.Context())
		require.NoError(t, err)
		require.Len(t, day.Past, 4, "nothing was written down, so nothing is forgotten")
		assert.Contains(t, l.last(ahead), "事1")
		l.answer(ahead, modeltest.Call("apply_patch_to_history_tasks", map[string]any{"patch": "*** Begin Patch\n@@ ## 做过的\n+- 几件事，都顺利\n*** End Patch"}), modeltest.Say("记下了"))
		l.pass(2 * time.Hour)
		day, err = l.being.Agenda(l.Context())
		require.NoError(t, err)
		assert.Less(t, len(day.Past), 4)
		assert.Contains(t, l.last(ahead), "几件事，都顺利")
	})
}

// TestReflectionOnWhatIsTakenBack is made anew without it.
func TestReflectionOnWhatIsTakenBack(t *testing.T) {
	withDays(t, func(o *social.Options) { o.Background.Autonomy.NoGlobalReflection = true }, func(l *lively) {
		l.mu.Lock()
		l.says[""] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say("嗯") }
		l.says[inward] = func(p modeltest.Prompt) modeltest.Step {
			if strings.Contains(p.Text(), "金丝雀") {
				return modeltest.Say("想着金丝雀").After(20 * time.Second)
			}
			return modeltest.Say("平静").After(20 * time.Second)
		}
		l.mu.Unlock()
		said := l.group.Say(bob, say("金丝雀"))
		for i := 0; len(l.prompts(inward)) == 0; i++ {
			require.Less(t, i, 100, "it never reflects")
			if i%10 == 0 {
				l.group.Say(alice, at(bot, fmt.Sprint("话", i)))
			}
			l.pass(5 * time.Second)
		}
		require.Contains(t, l.prompts(inward)[0].Text(), "金丝雀")
		l.qq.Recall(said) // while it thinks
		l.pass(2 * time.Minute)
		prompts := l.prompts(inward)
		require.Len(t, prompts, 2)
		assert.NotContains(t, prompts[1].Text(), "金丝雀")
		inner, err := memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1").InnerState(l.Context())
		require.NoError(t, err)
		assert.Equal(t, "平静", inner.Text)
	})
}

// TestNoteOfWhatIsTakenBack: what was taken back while a turn had it before it does not come back by a note.
func TestNoteOfWhatIsTakenBack(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		said := l.group.Say(bob, say("金丝雀"))
		l.pass(time.Minute)
		l.answer("",
			modeltest.Call("set_slot", map[string]string{"name": "a", "text": "金丝雀"}).After(10*time.Second),
			modeltest.Call("set_scratch", map[string]string{"name": "b", "text": "别的"}), modeltest.Say("好"))
		l.group.Say(alice, at(bot, "记一下"))
		l.pass(5 * time.Second)
		l.qq.Recall(said)
		l.pass(time.Minute)
		prompts := l.prompts("")
		require.Len(t, prompts, 3)
		require.Contains(t, prompts[0].Text(), "金丝雀")
		for _, r := range prompts[2].ToolResults() {
			assert.Contains(t, r.Content, "撤回")
		}
		slots, err := memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1").Slots(l.Context())
		require.NoError(t, err)
		assert.Empty(t, slots)
		assert.Equal(t, []string{"好"}, l.sent(l.group.Chat()))

		l.answer("", modeltest.Call("set_slot", map[string]string{"name": "a", "text": "喜欢猫"}), modeltest.Say("记了"))
		l.group.Say(alice, at(bot, "我喜欢猫"))
		l.pass(time.Minute)
		slots, err = memorytest.New(l, l.store, memory.Options{}).Notes("qq:group:1").Slots(l.Context())
		require.NoError(t, err)
		require.Len(t, slots, 1, "the next turn has not read it")
	})
}
