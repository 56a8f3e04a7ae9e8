package social_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With every feature on, and with a custom system prompt and custom rules, each prompt contains the honesty rule
// exactly once, at the end of the system prompt.
func TestPrompts_AllHaveHonestyRule(t *testing.T) {
	heads := map[string]int{}
	var mu sync.Mutex
	for _, own := range []bool{false, true} {
		for _, strategy := range []social.Strategy{social.SingleCall, social.ThinkPlanReply} {
			withPublicChat(t, func(f *autonomyFixture, say func(string)) {
				f.stop()
				model := modeltest.Func(func(_ context.Context, p modeltest.Prompt) modeltest.Step {
					mu.Lock()
					defer mu.Unlock()
					heads[part(p)]++
					if !strings.HasSuffix(strings.TrimSpace(p.System()), prompt.Honesty) || strings.Count(p.Text(), prompt.Honesty) != 1 {
						t.Errorf("a prompt of %q has the rule %d times: …%s", part(p), strings.Count(p.Text(), prompt.Honesty), p.System()[max(0, len(p.System())-200):])
					}
					return frankly(p)
				})
				f.begin(f.options(func(o *social.Options) {
					f.change(o)
					o.Model, o.Reply.Strategy = model, strategy
					o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: -1, DayTokens: -1})
					o.Background.Digest = &social.Digest{}
					o.Background.Digest.Summary.Turns = 3
					o.Background.Autonomy.Planner.BackgroundPerHour, o.Background.Autonomy.Planner.IdleOrigin = 2, schedule.Origin{Mode: persona.Agent}
					o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat}}
					if own {
						o.Reply.Prompts = persona.Prompts{System: "只会喵喵叫。{name}", Rules: "随便说。"}
					}
				}))
				for i := range 12 {
					f.group.Say(alice, at(botID, fmt.Sprint("群里的话", i)))
					f.group.Say(bob, onebot.Message{onebot.Text("今天的事")})
					say(fmt.Sprint("广场上的话", i))
					f.advance(40 * time.Second)
				}
				_, err := f.bot.OwnerMessage(f.Context(), "在吗")
				require.NoError(t, err)
				f.qq.FriendRequest(3001, "小满", "加我")
				f.advance(26 * time.Hour)
			})
		}
	}
	for _, head := range []string{"", "想", "决定", "写", "判断申请", "打招呼", "想起来", "做计划好的事", "没赶上的事", "回想", "打算", "体会", "记下结果", "往大处想", "要不要看", "记", "看人", "梦"} {
		assert.Positive(t, heads[head], "no prompt of %q: %v", head, heads)
	}
}

// frankly returns answers that trigger further tasks.
func frankly(p modeltest.Prompt) modeltest.Step {
	switch part(p) {
	case "梦":
		return modeltest.Say(`{"insights": []}`)
	case "看人":
		return modeltest.Say(`{"people": []}`)
	case "判断申请":
		return modeltest.Say(approve)
	case "决定":
		return modeltest.Say(`{"action": "text_reply", "reasoning": "有人叫我"}`)
	case "", "想":
		if len(p.ToolResults()) == 0 {
			return modeltest.Calls(
				modeltest.ToolCall("set_timer", `{"when": "5min", "content": "喝水"}`),
				modeltest.ToolCall("add_schedule", `{"delay_seconds": 300, "content": {"title": "问候"}}`),
				modeltest.ToolCall("add_schedule", `{"delay_seconds": 1, "outdated_seconds": 2, "content": {"title": "晚了"}}`),
			)
		}
	}
	return modeltest.Say("嗯")
}
