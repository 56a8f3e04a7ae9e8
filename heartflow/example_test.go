package heartflow_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A bot that answers only messages to it.
func Example() {
	attention, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	const group = 1001

	fmt.Println(attention.Observe(noon, group, heartflow.Message{From: "42", Text: "晚上吃什么"}).Addressed)
	fmt.Println(attention.Judge(noon.Add(20*time.Second), group))

	fmt.Println(attention.Observe(noon.Add(time.Minute), group, heartflow.Message{From: "42", Text: "小炉你说呢"}).Addressed)
	fmt.Println(attention.Judge(noon.Add(62*time.Second), group))
	fmt.Println(attention.Speak(noon.Add(65*time.Second), group, "火锅！"))
	fmt.Println(attention.State(noon.Add(65*time.Second), group))
	// Output:
	// false
	// silent 0: not_called
	// true
	// ask 1: named
	// <nil>
	// active
}

// Speak refuses a fourth message in a row, and a reply that comes too late.
func ExampleAttention_Speak() {
	attention, err := heartflow.New[string](heartflow.Options{})
	if err != nil {
		panic(err)
	}
	attention.Observe(noon, "g", heartflow.Message{From: "42", AtMe: true})
	attention.Judge(noon, "g")
	for i := range 4 {
		err := attention.Speak(noon.Add(time.Duration(i)*time.Second), "g", "在")
		fmt.Println(errors.Is(err, heartflow.ErrCapped), err)
	}
	attention.Observe(noon.Add(10*time.Second), "g", heartflow.Message{From: "42"})
	fmt.Println(attention.Speak(noon.Add(3*time.Minute), "g", "还在"))
	// Output:
	// false <nil>
	// false <nil>
	// false <nil>
	// true heartflow: refused to speak: capped_in_row
	// heartflow: refused to speak: stale
}

// questions is a custom policy. It also asks a model about questions to nobody in particular.
type questions struct{}

func (questions) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	if v := (heartflow.MentionOnly{}).Judge(m); v.Do != heartflow.Silent {
		return v
	}
	for _, h := range m.Batch {
		asked := strings.HasSuffix(h.Text, "吗") && !h.ToOthers()
		if m.Gate(heartflow.Gate{Code: "question", Pass: asked}) {
			return heartflow.Verdict{Do: heartflow.Ask, Score: .7, Why: []heartflow.Code{"question"}}
		}
	}
	return heartflow.Verdict{Why: []heartflow.Code{heartflow.WhyNotCalled}}
}

func ExamplePolicy() {
	attention, err := heartflow.New[string](heartflow.Options{Policy: questions{}})
	if err != nil {
		panic(err)
	}
	attention.Observe(noon, "g", heartflow.Message{From: "42", Text: "有人会 Go 吗"})
	fmt.Println(attention.Judge(noon, "g"))
	attention.Observe(noon, "g", heartflow.Message{From: "7", Text: "你会吗", Addressees: []string{"42"}})
	fmt.Println(attention.Judge(noon, "g"))
	// Output:
	// ask 0.7: question
	// silent 0: not_called
}

// Traces explain every decision afterwards: "why did you not answer?"
func ExampleAttention_Traces() {
	attention, err := heartflow.New[string](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	attention.Mute(noon, "g", noon.Add(10*time.Minute))
	attention.Observe(noon.Add(time.Minute), "g", heartflow.Message{From: "42", Text: "小炉在吗"})
	attention.Judge(noon.Add(time.Minute), "g")
	for _, t := range attention.Traces("g") {
		fmt.Println(t, "-", t.Why[0].Text("zh"))
	}
	// Output:
	// 12:00:00 g state observing: muted next 12:10:00 - 我在这里被禁言，或者有人叫我安静
	// 12:01:00 g state summoned: named next 12:03:00 - 有人叫了我的名字
	// 12:01:00 g judge silent: muted [!muted] next 12:10:00 - 我在这里被禁言，或者有人叫我安静
	// 12:01:00 g state observing: muted - 我在这里被禁言，或者有人叫我安静
}

// Configure changes one chat at run time.
func ExampleAttention_Configure() {
	attention, err := heartflow.New[string](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(attention.Configure("g", heartflow.Settings{Names: []string{"阿炉"}, Keywords: []string{"空洞骑士"}}))
	fmt.Println(attention.Observe(noon, "g", heartflow.Message{Text: "小炉在吗"}).Addressed)
	fmt.Println(attention.Observe(noon, "g", heartflow.Message{Text: "空洞骑士打折了"}).Addressed)
	fmt.Println(attention.Configure("g", heartflow.Settings{Names: []string{"阿炉", ""}}))
	// Output:
	// <nil>
	// false
	// true
	// heartflow: Names[1] "" has no visible character
}

// Next returns when a state changes, and Due returns the changes.
func ExampleAttention_Due() {
	attention, err := heartflow.New[string](heartflow.Options{})
	if err != nil {
		panic(err)
	}
	attention.Observe(noon, "g", heartflow.Message{Private: true, Text: "你好"})
	attention.Judge(noon, "g")
	_ = attention.Speak(noon, "g", "你好呀")
	for _, c := range attention.Due(noon) {
		fmt.Println(c.Chat, c.From, "->", c.To)
	}
	next, _ := attention.Next()
	for _, c := range attention.Due(next) {
		fmt.Println(next.Format("15:04"), c.Chat, c.From, "->", c.To)
	}
	// Output:
	// g observing -> active
	// 12:02 g active -> observing
}

// During a model call, only the author of the answered message can supersede the turn.
func ExampleAttention_Observe() {
	attention, err := heartflow.New[string](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	attention.Observe(noon, "g", heartflow.Message{From: "42", Text: "小炉帮我看看"})
	fmt.Println(attention.Judge(noon, "g"))
	fmt.Println(attention.Observe(noon, "g", heartflow.Message{From: "7", Text: "我也想看"}).Supersedes)
	if attention.Observe(noon, "g", heartflow.Message{From: "42", Text: "就是这段代码"}).Supersedes {
		// cancel the model call, and judge all three messages again
		attention.SkipTurn(noon, "g", heartflow.WhySuperseded)
		fmt.Println(attention.Judge(noon, "g"))
	}
	// Output:
	// ask 1: named
	// false
	// ask 1: named
}

// The level falls as usage grows. The caller reports the usage after each call.
func ExampleBudget() {
	budget, err := heartflow.NewBudget(heartflow.BudgetOptions{PerChat: heartflow.Limits{DayCalls: 10}})
	if err != nil {
		panic(err)
	}
	for i := range 10 {
		budget.AddCall(noon, "g", 1200)
		if i >= 5 {
			fmt.Println(i+1, budget.Level(noon, "g"), budget.Level(noon, "another"))
		}
	}
	// Output:
	// 6 saving full
	// 7 no_judge full
	// 8 no_judge full
	// 9 mentions_only full
	// 10 off full
}

// At night the bot answers messages to it, but makes no interjections.
func ExampleQuietHours() {
	var night heartflow.Span
	if err := night.UnmarshalText([]byte("23:00-07:30")); err != nil {
		fmt.Println(err)
	}
	attention, err := heartflow.New[string](heartflow.Options{QuietHours: heartflow.QuietHours{Spans: []heartflow.Span{night}}})
	if err != nil {
		panic(err)
	}
	midnight := noon.Add(12 * time.Hour)
	until, quiet := attention.InQuietHours(midnight, "g")
	fmt.Println(quiet, until.Format("15:04"))
	attention.Observe(midnight, "g", heartflow.Message{From: "42", AtMe: true})
	fmt.Println(attention.Judge(midnight, "g"))
	// Output:
	// true 07:30
	// ask 1: mentioned
}
