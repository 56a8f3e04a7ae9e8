package social_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cost is the number of model calls, tokens and turns for an evening of a thousand messages. Background calls are
// counted separately.
type cost struct{ calls, tokens, turns, spoken, background, backgroundTokens int64 }

// evening sends a thousand messages of six people in three groups. Some of them address the bot and some conversations
// continue. The model answers addressed messages and half of the others that it is asked about.
func evening(t *testing.T, change func(*social.Options)) (c cost) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 0))
		answered := rand.New(rand.NewPCG(4, 1))
		model := modeltest.Func(answering(func(p modeltest.Prompt) string {
			human := p.Human()
			_, task, _ := strings.Cut(human, "## 现在：")
			task, _, _ = strings.Cut(task, "\n")
			wants := strings.Contains(human, "<current_state>summoned") || strings.Contains(human, "<current_state>active") && answered.IntN(2) == 0
			switch {
			case task == "记":
				return "大家在聊今天的事。"
			case task == "梦":
				return `{"insights": []}`
			case task == "看人":
				return `{"people": []}`
			case task == "想":
				return "大家在聊天，我听听看。"
			case task == "决定" && wants:
				return `{"action": "text_reply", "reasoning": "有人在等我说话"}`
			case task == "决定":
				return `{"action": "no_reply", "reasoning": "没什么要说的"}`
			case task == "要不要看":
				return `{"decision": true, "reason": "看看"}`
			case task == "写" || wants:
				return fmt.Sprintf("嗯，有道理 %d", answered.IntN(1000))
			}
			return "[skip]"
		}))
		qq := onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉"})
		f := &fixture{T: t, model: model, qq: qq, store: memory.NewMemStore()}
		var groups []*onebottest.Group
		for i := range 3 {
			g := qq.Group(int64(i+1), fmt.Sprintf("群%d", i))
			for j := range 6 {
				g.Member(int64(1001+j), fmt.Sprintf("人%d", j))
			}
			groups = append(groups, g)
		}
		f.group = groups[0]
		f.start(func(o *social.Options) {
			o.When.Attention.Seed = 4
			o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: -1, DayTokens: -1})
			change(o)
		})
		for range 1000 {
			time.Sleep(time.Duration(r.ExpFloat64() * float64(12*time.Second)))
			who, text := int64(1001+r.IntN(6)), say(fmt.Sprintf("今天的事 %d，大家怎么看", r.IntN(1000)))
			if r.IntN(12) == 0 {
				text = at(botID, "你觉得呢？")
			}
			groups[r.IntN(3)].Say(who, text)
		}
		f.advance(10 * time.Minute)
		s := f.bot.Stats()
		c = cost{calls: s.ModelCalls - s.BackgroundCalls, tokens: s.Tokens - s.BackgroundTokens, turns: s.Turns, spoken: s.Sent, background: s.BackgroundCalls, backgroundTokens: s.BackgroundTokens}
		f.stop()
		qq.Close()
	})
	return c
}

// deciders are the deciders in front of the two strategies. With the same answers they give both strategies the same
// verdicts.
var deciders = []struct {
	name   string
	change func(*social.Options)
}{
	{"mention", func(o *social.Options) { o.When.Attention.Policy = heartflow.MentionOnly{} }},
	{"interject", func(o *social.Options) { o.When.Attention.Policy = heartflow.Interject{} }},
	{"hfc", func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: hfc.FocusedChat}}
	}},
}

// If the bot is asked only when it has something to say, one call replaces three. Each silence that a model chooses
// costs one call instead of two.
func TestStrategy_OneCallInsteadOfThree(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: two evenings for each decider")
	}
	for _, m := range deciders {
		one := evening(t, m.change)
		three := evening(t, func(o *social.Options) { m.change(o); threeCalls(o) })
		require.Positive(t, one.spoken)
		assert.LessOrEqual(t, one.calls, three.calls/2, m.name)
		if m.name == "mention" {
			assert.LessOrEqual(t, 3*one.calls, three.calls)
			both := evening(t, func(o *social.Options) { m.change(o); withDigest(nil)(o) })
			assert.Positive(t, both.background)
			assert.Equal(t, []int64{one.calls, one.turns, one.spoken}, []int64{both.calls, both.turns, both.spoken}, "background calls are counted separately")
		}
	}
}

// BenchmarkStrategies prints the cost of a thousand messages for each strategy, and separately the cost of background
// calls.
func BenchmarkStrategies(b *testing.B) {
	for _, m := range deciders {
		for _, s := range []struct {
			name   string
			change func(*social.Options)
		}{{"one", func(*social.Options) {}}, {"three", threeCalls}} {
			b.Run(m.name+"/"+s.name, func(b *testing.B) {
				var c cost
				for b.Loop() {
					live := func(t *testing.T) {
						c = evening(t, func(o *social.Options) { m.change(o); s.change(o); withDigest(nil)(o) })
					}
					all := func(string, string) (bool, error) { return true, nil }
					if !testing.RunTests(all, []testing.InternalTest{{Name: b.Name(), F: live}}) { // only tests may use fake time
						b.Fatal("the evening failed")
					}
				}
				b.ReportMetric(float64(c.calls), "calls/1000msg")
				b.ReportMetric(float64(c.tokens), "tokens/1000msg")
				b.ReportMetric(float64(c.turns), "turns/1000msg")
				b.ReportMetric(float64(c.spoken), "spoken/1000msg")
				b.ReportMetric(float64(c.background), "asides/1000msg")
				b.ReportMetric(float64(c.backgroundTokens), "asidetokens/1000msg")
			})
		}
	}
}
