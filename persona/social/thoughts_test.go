package social_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fewThoughts are unlike each other, so that none is rewritten.
var fewThoughts = strings.Fields("天好像要下雨了 猫又跑到屋顶上去 谁还记得钥匙放哪 晚饭不如煮面 那首歌真好听 明早得去寄信 灯泡坏了两天")

// A thinker thinks the next of fewThoughts with each call, and keeps its prompts by task.
type thinker struct {
	n       int
	plan    string
	prompts map[string][]string
}

func (m *thinker) model() *modeltest.Model {
	m.prompts = map[string][]string{}
	return modeltest.Func(answering(func(p modeltest.Prompt) string {
		for _, task := range []string{"想", "决定", "写"} {
			if !strings.Contains(p.Human(), "## 现在："+task+"\n") {
				continue
			}
			m.prompts[task] = append(m.prompts[task], p.Human())
			switch task {
			case "想":
				m.n++
				return fewThoughts[(m.n-1)%len(fewThoughts)]
			case "决定":
				return m.plan
			}
		}
		return fmt.Sprint("第", m.n, "句")
	}))
}

// last returns the last prompt of a task.
func (m *thinker) last(t *testing.T, task string) string {
	t.Helper()
	require.NotEmpty(t, m.prompts[task])
	return m.prompts[task][len(m.prompts[task])-1]
}

var thoughtLine = regexp.MustCompile(`<thought time="[^"]*">(.*)</thought>`)

// thoughts returns the thoughts in a prompt, oldest first.
func thoughts(text string) (all []string) {
	for _, m := range thoughtLine.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	if _, rest, ok := strings.Cut(text, "\n<current_thought>"); ok {
		last, _, _ := strings.Cut(rest, "<")
		all = append(all, last)
	}
	return all
}

// focusOn makes the bot interested in messages with a word, and in no others.
func focusOn(word string) func(*social.Options) {
	return func(o *social.Options) {
		o.When.HFC.MessageInterest = func(_ string, m heartflow.Message, _ bool) float64 {
			if strings.Contains(m.Text, word) {
				return 15
			}
			return 0
		}
	}
}

// Requirement H12: a chat has one list of thoughts, over the borders of a focus and over a restart.
func TestThoughts_OneListPerChat(t *testing.T) {
	m := &thinker{plan: `{"action": "text_reply", "reasoning": "有人叫我"}`}
	options := withHFC(threeCalls, focusOn("屋顶"))
	withFixture(t, m.model(), options, func(f *fixture) {
		state := func() string {
			return f.bot.ChatStatus(persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}).State
		}
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		require.Equal(t, "absent", state())
		require.Empty(t, thoughts(m.last(t, "想")), "the first thought")

		m.plan = `{"action": "no_reply", "reasoning": "听着"}`
		f.group.Say(bob, say("屋顶上"))
		f.advance(90 * time.Second)
		require.Equal(t, "focused", state())
		assert.Equal(t, fewThoughts[:1], thoughts(m.prompts["想"][1]), "the first thought of the focus sees the one before it")

		f.stop()
		f.start(options)
		f.group.Say(bob, say("还在屋顶上"))
		f.advance(time.Minute)
		assert.Equal(t, fewThoughts[:m.n-1], thoughts(m.last(t, "想")), "a restart keeps them")

		m.plan = `{"action": "exit_focus_mode", "reasoning": "没意思"}`
		f.group.Say(bob, say("屋顶下来了"))
		f.advance(20 * time.Second)
		require.NotEqual(t, "focused", state())
		m.plan = `{"action": "no_reply", "reasoning": "听着"}`
		f.group.Say(alice, at(botID, "还在吗"))
		f.advance(30 * time.Second)
		before := m.n - 1
		assert.Equal(t, fewThoughts[max(0, before-5):before], thoughts(m.last(t, "想")), "a thought outside of the focus sees those of the focus")
		assert.Equal(t, fewThoughts[max(0, before-5):before+1], thoughts(m.last(t, "决定"))[:min(before, 5)+1])

		for range 4 {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
		}
		assert.Len(t, thoughts(m.last(t, "想")), 5, "no more are kept")
	})
}

// Requirement H12: a repeated thought is rewritten in a focus and outside of it. TestThinkPlanReply_RewritesRepeatedThought
// has the case outside.
func TestThoughts_RepeatedInFocusIsRewritten(t *testing.T) {
	const thought = "他们在聊周末爬山的事，我也想去"
	var decides []string
	model := modeltest.Func(answering(func(p modeltest.Prompt) string {
		if strings.Contains(p.Human(), "## 现在：决定\n") {
			decides = append(decides, p.Human())
			return `{"action": "no_reply"}`
		}
		return thought
	}))
	withFixture(t, model, withHFC(threeCalls), func(f *fixture) {
		for range 2 {
			f.qq.Friend(alice, "张三").Say(say("去吗"))
			f.advance(10 * time.Second)
		}
		require.Len(t, decides, 2)
		assert.Contains(t, decides[0], "<current_thought>"+thought+"</current_thought>", "the first thought")
		assert.NotContains(t, decides[1], "<current_thought>"+thought+"</current_thought>")
		assert.Contains(t, decides[1], "<current_thought>")
	})
}

// A thought of a focus that repeats one from before the focus is rewritten.
func TestThoughts_RepeatedAcrossFocusIsRewritten(t *testing.T) {
	const thought = "他们在聊周末爬山的事，我也想去"
	var decides []string
	plan := `{"action": "no_reply"}`
	model := modeltest.Func(answering(func(p modeltest.Prompt) string {
		if strings.Contains(p.Human(), "## 现在：决定\n") {
			decides = append(decides, p.Human())
			return plan
		}
		return thought
	}))
	withFixture(t, model, withHFC(threeCalls, focusOn("屋顶")), func(f *fixture) {
		f.group.Say(alice, at(botID, "去吗"))
		f.advance(time.Minute)
		require.Len(t, decides, 1)
		assert.NotContains(t, decides[0], string(hfc.ExitFocus), "outside of the focus")
		plan = `{"action": "exit_focus_mode"}`
		f.group.Say(bob, say("屋顶上"))
		f.advance(90 * time.Second)
		require.Greater(t, len(decides), 1)
		assert.Contains(t, decides[1], string(hfc.ExitFocus), "in the focus")
		assert.NotContains(t, decides[1], "<current_thought>"+thought+"</current_thought>")
	})
}

// A retracted message takes the thoughts about it along, and so does an erasure.
func TestThoughts_DeletedWithTheirSources(t *testing.T) {
	for name, remove := range map[string]func(f *fixture, id int64){
		"retracted": func(f *fixture, id int64) { f.qq.Recall(id) },
		"erased": func(f *fixture, _ int64) {
			_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
			require.NoError(f, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &thinker{plan: `{"action": "no_reply"}`}
			withFixture(t, m.model(), threeCalls, func(f *fixture) {
				id := f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				f.group.Say(bob, at(botID, "在的"))
				f.advance(time.Minute)
				require.Len(t, thoughts(m.last(t, "想")), 1, "it is shown before")
				remove(f, id)
				f.advance(time.Minute)
				f.group.Say(bob, at(botID, "在不在"))
				f.advance(time.Minute)
				assert.Empty(t, thoughts(m.last(t, "想")))
			})
		})
	}
}

// A thought is deleted with the messages behind the thoughts that it continues, also if they were no longer shown.
func TestThoughts_DeletedWithSourcesOfEarlierOnes(t *testing.T) {
	m := &thinker{plan: `{"action": "no_reply"}`}
	withFixture(t, m.model(), func(o *social.Options) { threeCalls(o); o.Reply.History = 1 }, func(f *fixture) {
		first := f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		for i := range 12 { // more than recall shows
			f.group.Say(bob, at(botID, fmt.Sprint("别的事", i)))
			f.advance(time.Minute)
		}
		require.Len(t, thoughts(m.last(t, "想")), 5)
		require.NotContains(t, m.last(t, "想"), "@小炉 在吗")
		f.qq.Recall(first)
		f.advance(time.Minute)
		f.group.Say(bob, at(botID, "在不在"))
		f.advance(time.Minute)
		assert.Empty(t, thoughts(m.last(t, "想")))
	})
}
