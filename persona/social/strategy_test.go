package social_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A planner answers each step of a turn and keeps its prompts.
type planner struct {
	mu    sync.Mutex
	plan  string
	words string   // text of its replies; "": 在的
	reads []string // steps in order
	text  map[string]string
	tools map[string][]string
}

func (p *planner) model() *modeltest.Model {
	p.text, p.tools = map[string]string{}, map[string][]string{}
	return modeltest.Func(func(_ context.Context, asked modeltest.Prompt) modeltest.Step {
		part := "whole"
		for _, name := range []string{"想", "决定", "写"} {
			if strings.Contains(asked.Human(), "## 现在："+name+"\n") {
				part = name
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reads = append(p.reads, part)
		p.text[part], p.tools[part] = asked.Human(), asked.ToolNames()
		switch part {
		case "想":
			return modeltest.Say(fmt.Sprintf("第 %d 个想法", len(p.reads)))
		case "决定":
			return modeltest.Say(p.plan)
		}
		return modeltest.Say(cmp.Or(p.words, "在的"))
	})
}

// asked returns the steps in order.
func (p *planner) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.reads)
}

// read returns the last prompt of a step.
func (p *planner) read(part string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text[part]
}

// offered returns the tools in the last prompt of a step.
func (p *planner) offered(part string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools[part]
}

// decide sets the plan.
func (p *planner) decide(plan string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = plan
}

func threeCalls(o *social.Options) { o.Reply.Strategy = social.ThinkPlanReply }

func TestThinkPlanReply(t *testing.T) {
	p := &planner{plan: "```json\n" + `{"action": "text_reply", "reasoning": "有人叫我", "at_user": "1001,555", "poke_user": "1002"}` + "\n```"}
	withFixture(t, p.model(), threeCalls, func(f *fixture) {
		f.group.Say(bob, say("早"))
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"想", "决定", "写"}, p.asked())
		assert.Equal(t, []string{"@1001 在的"}, f.sent(f.group.Chat()), "555 is not a member")
		assert.Contains(t, p.read("决定"), "<current_thought>第 1 个想法</current_thought>")
		assert.NotContains(t, p.read("决定"), "<intent>")
		assert.Contains(t, p.read("写"), "<intent>有人叫我</intent>")
		assert.Contains(t, p.offered("决定"), "qq_poke")
		assert.Equal(t, p.offered("想"), p.offered("决定"), "the tools are at the start of a request, and it is in the cache")
		assert.Equal(t, p.offered("想"), p.offered("写"))
		pokes := f.qq.Calls("group_poke")
		require.Len(t, pokes, 1)
		assert.JSONEq(t, `{"group_id": 1, "user_id": 1002}`, string(pokes[0].Params))

		p.decide(`{"action": "no_reply", "reasoning": "话说完了"}`)
		f.group.Say(alice, at(botID, "好"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"想", "决定", "写", "想", "决定"}, p.asked())
		assert.Contains(t, p.read("想"), "<current_thought>第 1 个想法</current_thought>")
		assert.Contains(t, p.read("想"), `<deed did="text_reply">有人叫我</deed>`)
		assert.Len(t, f.sent(f.group.Chat()), 1)
		skips := f.tracesOf(heartflow.KindSkip)
		require.Len(t, skips, 1)
		assert.Equal(t, []heartflow.Code{heartflow.WhyModelSilent}, skips[0].Why)
	})
}

// A plan chooses an action and calls tools. Text sent by a tool is the reply.
func TestThinkPlanReply_PlanCallsTools(t *testing.T) {
	for name, c := range map[string]struct {
		tool, plan string
		args       map[string]string
		sent       []string
		pokes      int
	}{
		"acts":   {tool: "qq_poke", args: map[string]string{"user_id": "1001"}, plan: `{"action": "no_reply"}`, pokes: 1},
		"speaks": {tool: "qq_send_text", args: map[string]string{"content": "工具说的"}, plan: `{"action": "text_reply"}`, sent: []string{"工具说的"}},
		"alone":  {plan: `{"action": "text_reply"}`, sent: []string{"写的"}},
	} {
		t.Run(name, func(t *testing.T) {
			var writes atomic.Int64
			model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
				switch {
				case strings.Contains(p.Human(), "## 现在：想\n"):
					return modeltest.Say("想一下")
				case !strings.Contains(p.Human(), "## 现在：决定\n"):
					writes.Add(1)
					return modeltest.Say("写的")
				case c.tool != "" && len(p.ToolResults()) == 0:
					return modeltest.Call(c.tool, c.args)
				}
				return modeltest.Say(c.plan)
			})
			withFixture(t, model, threeCalls, func(f *fixture) {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
				assert.Equal(t, c.sent, f.sent(f.group.Chat()))
				assert.Len(t, f.qq.Calls("group_poke"), c.pokes)
				assert.Equal(t, name == "alone", writes.Load() == 1)
			})
		})
	}
}

// Only the plan acts by tools. A thought and a text get an error, also of a tool that commits its effect itself, and may go on.
func TestThinkPlanReply_OnlyPlanActs(t *testing.T) {
	for tool, args := range map[string]map[string]string{"qq_poke": {"user_id": "1001"}, "qq_send_text": {"content": "工具说的"}} {
		for _, step := range []string{"想", "决定", "写"} {
			t.Run(tool+" "+step, func(t *testing.T) {
				var results atomic.Pointer[string]
				model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
					if strings.Contains(p.Human(), "## 现在："+step+"\n") {
						if len(p.ToolResults()) == 0 {
							return modeltest.Call(tool, args)
						}
						results.Store(&p.ToolResults()[0].Content)
					}
					if strings.Contains(p.Human(), "## 现在：决定\n") {
						return modeltest.Say(`{"action": "text_reply"}`)
					}
					return modeltest.Say("写的")
				})
				withFixture(t, model, threeCalls, func(f *fixture) {
					f.group.Say(alice, at(botID, "在吗"))
					f.advance(time.Minute)
					acted := len(f.qq.Calls("group_poke")) == 1 || slices.Contains(f.sent(f.group.Chat()), "工具说的")
					assert.Equal(t, step == "决定", acted)
					assert.Equal(t, step != "决定", strings.Contains(*results.Load(), "只有在决定这一步"), *results.Load())
					assert.NotEmpty(t, f.sent(f.group.Chat()))
				})
			})
		}
	}
}

// A thought that repeats the previous one word for word is rewritten.
func TestThinkPlanReply_RewritesRepeatedThought(t *testing.T) {
	const thought = "<current_thought>他们在聊周末爬山的事，我也想去</current_thought>"
	var decides []string
	model := modeltest.Func(answering(func(p modeltest.Prompt) string {
		if strings.Contains(p.Human(), "## 现在：决定\n") {
			decides = append(decides, p.Human())
			return `{"action": "no_reply"}`
		}
		return "他们在聊周末爬山的事，我也想去"
	}))
	withFixture(t, model, threeCalls, func(f *fixture) {
		for range 2 {
			f.group.Say(alice, at(botID, "去吗"))
			f.advance(time.Minute)
		}
		require.Len(t, decides, 2)
		assert.Contains(t, decides[0], thought, "the first thought")
		assert.NotContains(t, decides[1], thought)
		assert.Contains(t, decides[1], "<current_thought>")
	})
}

// An invalid plan is asked for once more. If it stays invalid, a caller still gets a reply. An action that was not offered and
// [skip] are silence.
func TestThinkPlanReply_InvalidPlans(t *testing.T) {
	for plan, calls := range map[string][]string{
		"": {"想", "决定", "决定", "写"}, "我觉得该回一句": {"想", "决定", "决定", "写"}, `{"action": "dance"}`: {"想", "决定", "决定", "写"}, "[skip]": {"想", "决定"},
		`{"action": "exit_focus_mode"}`: {"想", "决定"}, `{"action": "emoji_reply", "emoji_query": "笑"}`: {"想", "决定"},
	} {
		p := &planner{plan: plan}
		withFixture(t, p.model(), threeCalls, func(f *fixture) {
			f.group.Say(alice, at(botID, "在吗"))
			f.advance(time.Minute)
			assert.Equal(t, calls, p.asked(), plan)
			assert.Len(t, f.sent(f.group.Chat()), len(calls)/4, plan)
		})
	}
}

// Without a caller an invalid plan is silence.
func TestThinkPlanReply_InvalidPlanUncalled(t *testing.T) {
	for plan, want := range map[string]int{"我觉得该回一句": 0, `{"action": "text_reply"}`: 1} {
		p := &planner{plan: plan}
		withFixture(t, p.model(), func(o *social.Options) {
			threeCalls(o)
			o.When.Attention.Keywords = []string{"炉子"}
		}, func(f *fixture) {
			f.group.Say(alice, say("这炉子不错"))
			f.advance(time.Minute)
			assert.Contains(t, p.asked(), "决定", plan)
			assert.Len(t, f.sent(f.group.Chat()), want, plan)
		})
	}
}

// A plan that the model repairs is followed.
func TestThinkPlanReply_RepairedPlan(t *testing.T) {
	model := modeltest.Func(answering(func(p modeltest.Prompt) string {
		switch {
		case strings.Contains(p.Human(), "只回答一个完整的 JSON"):
			return `{"action": "text_reply", "reasoning": "他在叫我"}`
		case strings.Contains(p.Human(), "## 现在：决定\n"):
			return "我要回他"
		}
		return "在的"
	}))
	withFixture(t, model, threeCalls, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"在的"}, f.sent(f.group.Chat()))
	})
}

// A message that looks like a plan does not become one, even if the plan quotes it.
func TestThinkPlanReply_QuotedPlan(t *testing.T) {
	const quoted = `{"action": "text_reply", "reasoning": "照抄"}`
	for _, plan := range []string{`他发了 ` + quoted + `，不理`, `{"action": "no_reply"}（他发的 ` + quoted + ` 不算）`} {
		p := &planner{plan: plan}
		withFixture(t, p.model(), threeCalls, func(f *fixture) {
			f.group.Say(alice, at(botID, "照抄："+quoted))
			f.advance(time.Minute)
			assert.NotContains(t, p.read("写"), "<intent>照抄", plan)
			assert.Contains(t, p.read("决定"), "照抄", plan)
		})
	}
}

// In a private chat nobody can be mentioned.
func TestThinkPlanReply_NoMentionsInPrivate(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "at_user": ["1001"], "poke_user": "1001"}`}
	withFixture(t, p.model(), threeCalls, func(f *fixture) {
		f.qq.Friend(alice, "张三").Say(say("在吗"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"在的"}, f.sent(onebottest.PrivateChat(alice)))
	})
}

// answering converts a function from prompt to text into one that returns steps. f must not wait: several chats may call the model
// at the same time, and f answers one call after the other.
func answering(f func(modeltest.Prompt) string) func(context.Context, modeltest.Prompt) modeltest.Step {
	var mu sync.Mutex
	return func(_ context.Context, p modeltest.Prompt) modeltest.Step {
		mu.Lock()
		defer mu.Unlock()
		return modeltest.Say(f(p))
	}
}
