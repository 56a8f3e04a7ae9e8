package social_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var wholeDay = flag.Bool("whole-day", false, "TestBudget_LivelyGroup plays all 24 hours instead of the two busiest")

// dayMessages is the number of messages of a lively group in a day.
const dayMessages = 3000

// hourShares are the shares of a group's messages in each hour of the day, in thousandths.
var hourShares = [24]int{22, 11, 5, 3, 3, 4, 9, 20, 34, 44, 47, 50, 60, 52, 40, 40, 44, 48, 60, 82, 106, 104, 73, 39}

// A spending is what one strategy spent in a group.
type spending struct {
	messages, calls, tokens, spoken, backgroundTokens int64
	cacheShare                                        float64
	peak                                              int // tokens of the worst 60 minutes
	refused                                           map[heartflow.Code]int
}

// livelyGroup plays the hours [from, to) of a seeded day with the default budget: twelve people who talk in bursts
// about the bot's topics and others, and mention the bot in one of fourteen messages. Whoever was answered often goes on.
// All that presets turn on in the background is on.
func livelyGroup(t *testing.T, from, to int, change func(*social.Options)) spending {
	s, _ := livelyHours(t, from, to, livelyText, change)
	return s
}

// livelyHours is livelyGroup with messages by write. It also returns the prompts in the order of the calls.
func livelyHours(t *testing.T, from, to int, write func(r *rand.Rand, topic int) string, change func(*social.Options)) (s spending, prompts []modeltest.Prompt) {
	text := func(_ *onebottest.Server, r *rand.Rand, topic int) onebot.Message { return say(write(r, topic)) }
	return livelyMessages(t, from, to, text, change)
}

// livelyMessages is livelyHours with messages of any kind.
func livelyMessages(t *testing.T, from, to int, write func(qq *onebottest.Server, r *rand.Rand, topic int) onebot.Message, change func(*social.Options)) (s spending, prompts []modeltest.Prompt) {
	s.refused = map[heartflow.Code]int{}
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 0))
		qq := onebottest.New(onebottest.Options{SelfID: botID, Nickname: "小炉"})
		model := modeltest.Func(answering(lively))
		f := &fixture{T: t, model: model, qq: qq, store: memory.NewMemStore()}
		f.group = qq.Group(1, "炉边夜话")
		for i := range 12 {
			f.group.Member(int64(1001+i), fmt.Sprintf("群友%d号", i+1))
		}
		budget := newBudget(heartflow.BudgetOptions{})
		time.Sleep(time.Duration(from) * time.Hour)
		f.start(func(o *social.Options) {
			o.Profile.About = "在杭州开二手书店，喜欢猫、咖啡、爬山和独立游戏。说话简短，爱讲冷笑话，不爱说教。"
			o.When.Attention.Seed, o.When.Attention.Budget = 7, budget
			o.Background.Digest, o.Background.Autonomy = &social.Digest{}, &social.Autonomy{}
			o.Tools.Builtin = &social.BuiltinTools{Notes: true}
			o.Hooks.Notify = new(notices).add
			change(o)
		})
		said := 0
		for hour := from; hour < to; hour++ {
			n := dayMessages * hourShares[hour] / 1000
			for left := n; left > 0; {
				burst := min(left, 3+r.IntN(15))
				topic := r.IntN(len(livelyTopics))
				pair := []int64{int64(1001 + r.IntN(12)), int64(1001 + r.IntN(12)), int64(1001 + r.IntN(12))}
				for range burst {
					who, m := pair[r.IntN(3)], write(qq, r, topic)
					if now := len(f.sent(f.group.Chat())); now > said && r.IntN(2) == 0 { // goes on with the bot
						said = now
					} else if r.IntN(14) == 0 {
						m = append(at(botID, ""), write(qq, r, topic)...)
					}
					f.group.Say(who, m)
					s.messages++
					time.Sleep(time.Duration(r.ExpFloat64() * float64(4*time.Second)))
					s.peak = max(s.peak, budget.Usage(time.Now(), "").HourTokens)
				}
				left -= burst
				f.advance(time.Duration(r.ExpFloat64() * float64(time.Hour) / float64(n) * float64(burst) * .6))
				s.peak = max(s.peak, budget.Usage(time.Now(), "").HourTokens)
			}
			end := time.Date(2000, 1, 1, hour+1, 0, 0, 0, time.UTC)
			f.advance(max(0, time.Until(end)))
		}
		f.advance(10 * time.Minute)
		s.peak = max(s.peak, budget.Usage(time.Now(), "").HourTokens)
		all := f.bot.Stats()
		s.calls, s.tokens, s.spoken, s.backgroundTokens = all.ModelCalls, all.Tokens, all.Sent, all.BackgroundTokens
		s.cacheShare, _ = f.bot.CacheShare()
		f.mu.Lock()
		for _, tr := range f.traces {
			for _, c := range tr.Why {
				switch c {
				case heartflow.WhySaving, heartflow.WhyShortContext, heartflow.WhyOneCall, heartflow.WhyNoJudge, heartflow.WhyMentionsOnly, heartflow.WhyOverBudget:
					s.refused[c]++
				}
			}
		}
		f.mu.Unlock()
		f.stop()
		qq.Close()
		prompts = model.Prompts()
	})
	return s, prompts
}

// lively answers like a model that is told to be brief. Its answer depends on the prompt alone, so the order of calls that are made
// at the same time does not matter.
func lively(p modeltest.Prompt) string {
	human := p.Human()
	seed := fnv.New64a()
	seed.Write([]byte(human))
	r := rand.New(rand.NewPCG(7, seed.Sum64()))
	_, task, _ := strings.Cut(human, "## 现在：")
	task, _, _ = strings.Cut(task, "\n")
	wants := strings.Contains(human, "<current_state>summoned") || r.IntN(3) == 0
	switch task {
	case "记":
		return strings.Repeat("大家聊了周末去爬山的事，约了早上八点在地铁口见。", 5)
	case "梦":
		return `{"insights": []}`
	case "看人":
		return `{"people": []}`
	case "想":
		return fmt.Sprintf("他们在聊周末的安排，群友%d号好像有点犹豫，我倒是挺想去的，可以问问几点出发，别显得太急。", r.IntN(12))
	case "决定":
		if wants {
			return `{"action": "text_reply", "reasoning": "话题有意思，而且有人在等回应，接一句轻松的"}`
		}
		return `{"action": "no_reply", "reasoning": "他们聊得正好，没有要我说的"}`
	case "要不要看":
		return `{"decision": true, "reason": "在聊我喜欢的东西"}`
	case "写":
		wants = true
	}
	if !wants {
		return "[skip]"
	}
	return livelyText(r, r.IntN(len(livelyTopics))) + livelyText(r, r.IntN(len(livelyTopics)))
}

var livelyTopics = [][]string{
	{"爬山", "周末去龙井那边爬山", "上次爬到一半下雨了", "带件外套吧山上风大"},
	{"咖啡", "这豆子是浅烘的", "手冲水温多少合适", "楼下咖啡店又涨价了"},
	{"猫", "我家猫又把杯子推下去了", "猫粮换了就不吃", "它昨晚三点跑酷"},
	{"上班", "今天的会开了三个小时", "需求又改了", "下周要出差去上海"},
	{"电影", "那片子看到一半睡着了", "结局没看懂", "周五有首映"},
	{"吃饭", "晚上吃什么", "火锅还是烤肉", "那家店要排两个小时队"},
}

func livelyText(r *rand.Rand, topic int) string {
	lines := livelyTopics[topic]
	text := lines[r.IntN(len(lines))]
	for range r.IntN(3) {
		text += "，" + []string{"真的假的", "我觉得还行", "你们怎么看", "反正我不去", "改天再说吧", "笑死我了", "等等我查一下", "有人一起吗"}[r.IntN(8)]
	}
	return text + []string{"", "。", "？", "哈哈"}[r.IntN(4)]
}

// budgetStrategies are the ways to decide and to answer. A focused Flow is in its most expensive global state all day.
var budgetStrategies = []struct {
	name   string
	change func(*social.Options)
}{
	{"mention", func(o *social.Options) { o.When.Attention.Policy = heartflow.MentionOnly{} }},
	{"interject", func(o *social.Options) { o.When.Attention.Policy = heartflow.Interject{} }},
	{"learned", func(o *social.Options) {
		policy, err := learned.New(learned.Options{})
		if err != nil {
			panic(err)
		}
		o.When.Attention.Policy = policy
	}},
	{"hfc, one call", flow(hfc.Offline)},
	{"hfc, three calls", func(o *social.Options) { flow(hfc.Offline)(o); threeCalls(o) }},
	{"focused, three calls", func(o *social.Options) { flow(hfc.FocusedChat)(o); threeCalls(o) }},
}

// flow is Heart Flow Chat in a fixed global state. Offline means that it changes by itself.
func flow(fixed hfc.GlobalState) func(*social.Options) {
	return func(o *social.Options) {
		o.When.HFC = &hfc.Options{GlobalState: hfc.GlobalStateOptions{Fixed: fixed}, Topics: []string{"猫", "咖啡", "爬山", "独立游戏"}}
	}
}

// The default budget refuses and shortens nothing in a lively group, whatever the strategy. With -v the test prints the
// cost: go test ./persona/social -run TestBudget_LivelyGroup -v -whole-day
func TestBudget_LivelyGroup(t *testing.T) {
	from, to, strategies := 20, 22, budgetStrategies
	if *wholeDay {
		from, to = 0, 24
	} else if testing.Short() {
		from, strategies = 21, budgetStrategies[len(budgetStrategies)-1:] // the most expensive one
	}
	table := fmt.Sprintf("%-21s %8s %6s %6s %12s %12s %14s", "strategy", "messages", "calls", "sent", "tokens", "background", "peak hour")
	for _, strategy := range strategies {
		s := livelyGroup(t, from, to, strategy.change)
		table += fmt.Sprintf("\n%-21s %8d %6d %6d %12d %12d %14d", strategy.name, s.messages, s.calls, s.spoken, s.tokens, s.backgroundTokens, s.peak)
		require.Positive(t, s.spoken, strategy.name)
		assert.Empty(t, s.refused, strategy.name)
	}
	t.Log("\n" + table)
}
