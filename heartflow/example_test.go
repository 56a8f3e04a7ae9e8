package heartflow_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A bot that comes when it is called.
func Example() {
	heart, err := heartflow.New[int64](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	const group = 1001

	fmt.Println(heart.Observe(noon, group, heartflow.Message{From: "42", Text: "晚上吃什么"}).Addressed)
	fmt.Println(heart.Judge(noon.Add(20*time.Second), group))

	fmt.Println(heart.Observe(noon.Add(time.Minute), group, heartflow.Message{From: "42", Text: "小炉你说呢"}).Addressed)
	fmt.Println(heart.Judge(noon.Add(62*time.Second), group))
	fmt.Println(heart.Speak(noon.Add(65*time.Second), group, "火锅！"))
	fmt.Println(heart.State(noon.Add(65*time.Second), group))
	// Output:
	// false
	// silent 0: not_called
	// true
	// ask 1: named
	// <nil>
	// active
}

// Words that come too late are refused, and so is one word too many.
func ExampleAttention_Speak() {
	heart, err := heartflow.New[string](heartflow.Options{})
	if err != nil {
		panic(err)
	}
	heart.Observe(noon, "g", heartflow.Message{From: "42", AtMe: true})
	heart.Judge(noon, "g")
	for i := range 4 {
		err := heart.Speak(noon.Add(time.Duration(i)*time.Second), "g", "在")
		fmt.Println(errors.Is(err, heartflow.ErrCapped), err)
	}
	heart.Observe(noon.Add(10*time.Second), "g", heartflow.Message{From: "42"})
	fmt.Println(heart.Speak(noon.Add(3*time.Minute), "g", "还在"))
	// Output:
	// false <nil>
	// false <nil>
	// false <nil>
	// true heartflow: refused to speak: capped_in_row
	// heartflow: refused to speak: stale
}

// questions is a policy of one's own: it also answers what sounds like a question.
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
	heart, err := heartflow.New[string](heartflow.Options{Policy: questions{}})
	if err != nil {
		panic(err)
	}
	heart.Observe(noon, "g", heartflow.Message{From: "42", Text: "有人会 Go 吗"})
	fmt.Println(heart.Judge(noon, "g"))
	heart.Observe(noon, "g", heartflow.Message{From: "7", Text: "你会吗", Addressees: []string{"42"}})
	fmt.Println(heart.Judge(noon, "g"))
	// Output:
	// ask 0.7: question
	// silent 0: not_called
}

// Every decision is told, and can be asked for later: "why did you not answer?"
func ExampleAttention_Traces() {
	heart, err := heartflow.New[string](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	heart.Mute(noon, "g", noon.Add(10*time.Minute))
	heart.Observe(noon.Add(time.Minute), "g", heartflow.Message{From: "42", Text: "小炉在吗"})
	heart.Judge(noon.Add(time.Minute), "g")
	for _, t := range heart.Traces("g") {
		fmt.Println(t, "-", t.Why[0].Text("zh"))
	}
	// Output:
	// 12:00:00 g state observing: muted next 12:10:00 - 我在这里被禁言
	// 12:01:00 g state summoned: named next 12:03:00 - 有人叫了我的名字
	// 12:01:00 g judge silent: muted [!muted] next 12:10:00 - 我在这里被禁言
	// 12:01:00 g state observing: muted - 我在这里被禁言
}

// A chat differs from the others, from now on and without a restart.
func ExampleAttention_Configure() {
	heart, err := heartflow.New[string](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(heart.Configure("g", heartflow.Settings{Names: []string{"阿炉"}, Keywords: []string{"空洞骑士"}}))
	fmt.Println(heart.Observe(noon, "g", heartflow.Message{Text: "小炉在吗"}).Addressed)
	fmt.Println(heart.Observe(noon, "g", heartflow.Message{Text: "空洞骑士打折了"}).Addressed)
	fmt.Println(heart.Configure("g", heartflow.Settings{Names: []string{"阿炉", ""}}))
	// Output:
	// <nil>
	// false
	// true
	// heartflow: Names[1] "" has nothing to look for: it must have a character that can be seen
}

// Next says when a state changes by itself; Due tells what has changed.
func ExampleAttention_Due() {
	heart, err := heartflow.New[string](heartflow.Options{})
	if err != nil {
		panic(err)
	}
	heart.Observe(noon, "g", heartflow.Message{Private: true, Text: "你好"})
	heart.Judge(noon, "g")
	_ = heart.Speak(noon, "g", "你好呀")
	for _, c := range heart.Due(noon) {
		fmt.Println(c.Chat, c.From, "->", c.To)
	}
	next, _ := heart.Next()
	for _, c := range heart.Due(next) {
		fmt.Println(next.Format("15:04"), c.Chat, c.From, "->", c.To)
	}
	// Output:
	// g observing -> active
	// 12:02 g active -> observing
}

// While a model thinks, only the one whom it is answering makes the turn begin again.
func ExampleAttention_Observe() {
	heart, err := heartflow.New[string](heartflow.Options{Names: []string{"小炉"}})
	if err != nil {
		panic(err)
	}
	heart.Observe(noon, "g", heartflow.Message{From: "42", Text: "小炉帮我看看"})
	fmt.Println(heart.Judge(noon, "g"))
	fmt.Println(heart.Observe(noon, "g", heartflow.Message{From: "7", Text: "我也想看"}).Supersedes)
	if heart.Observe(noon, "g", heartflow.Message{From: "42", Text: "就是这段代码"}).Supersedes {
		// stop the model, and judge all three again
		heart.SkipTurn(noon, "g", heartflow.WhySuperseded)
		fmt.Println(heart.Judge(noon, "g"))
	}
	// Output:
	// ask 1: named
	// false
	// ask 1: named
}

// The more of a limit is used, the less a model is asked. Whoever meters the models says what they cost.
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
	// 6 full full
	// 7 no_judge full
	// 8 no_judge full
	// 9 mentions_only full
	// 10 off full
}

// At night it answers who calls, and does not join in.
func ExampleQuietHours() {
	var night heartflow.Span
	if err := night.UnmarshalText([]byte("23:00-07:30")); err != nil {
		fmt.Println(err)
	}
	heart, err := heartflow.New[string](heartflow.Options{QuietHours: heartflow.QuietHours{Spans: []heartflow.Span{night}}})
	if err != nil {
		panic(err)
	}
	midnight := noon.Add(12 * time.Hour)
	until, quiet := heart.InQuietHours(midnight, "g")
	fmt.Println(quiet, until.Format("15:04"))
	heart.Observe(midnight, "g", heartflow.Message{From: "42", AtMe: true})
	fmt.Println(heart.Judge(midnight, "g"))
	// Output:
	// true 07:30
	// ask 1: mentioned
}
