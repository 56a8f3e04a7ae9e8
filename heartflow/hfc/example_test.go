package hfc_test

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// A private chat is Focused at once. Its turn consists of steps, and then the planner leaves.
func Example() {
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	flow, err := hfc.New[string](hfc.Options{
		Attention:   heartflow.Options{Seed: 1},
		GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
	})
	if err != nil {
		panic(err)
	}
	flow.Observe(now, "老王", heartflow.Message{From: "老王", Text: "睡了吗", Private: true})
	fmt.Println(flow.ChatState(now, "老王"), flow.Judge(now, "老王"))

	plans := []hfc.Plan{{Action: hfc.TextReply, Reasoning: "他在找我"}, {Action: hfc.ExitFocus, Reasoning: "说完了"}}
	for range plans {
		for step, ok := flow.NextStep(now, "老王"); ok; step, ok = flow.NextStep(now, "老王") {
			now = now.Add(2 * time.Second) // duration of the model call
			var a hfc.StepResult
			switch step.Kind {
			case hfc.Think:
				a.Thought = "老王问我睡没睡"
			case hfc.MakePlan:
				a.Plan, plans = plans[0], plans[1:]
			case hfc.Act:
				a.Err = flow.Speak(now, "老王", "还没呢")
			}
			flow.FinishStep(now, "老王", step.ID, a)
		}
		now = now.Add(time.Second)
	}
	for _, r := range flow.Records("老王") {
		fmt.Println(r.Plan.Action, r.Plan.Reasoning)
	}
	fmt.Println(flow.ChatState(now, "老王"))
	// Output:
	// focused ask 1: focused
	// text_reply 他在找我
	// exit_focus_mode 说完了
	// absent
}

// The caller answers questions about joining a chat: here by a rule, usually with a model.
func ExampleFlow_Due() {
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	flow, err := hfc.New[string](hfc.Options{
		Attention:   heartflow.Options{Seed: 1, Names: []string{"小炉"}},
		GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
		Topics:      []string{"空洞骑士"},
	})
	if err != nil {
		panic(err)
	}
	flow.Observe(now, "游戏群", heartflow.Message{From: "阿明", Text: "空洞骑士打折了"})
	for _, e := range flow.Due(now) {
		fmt.Println(e)
		if e.Kind == hfc.QuestionAsked {
			flow.AnswerQuestion(now, e.Chat, e.Question.ID, e.Question.Interest > 1)
		}
	}
	for _, e := range flow.Due(now) {
		fmt.Println(e)
	}
	fmt.Println(hfc.Text(hfc.WhyJudgedIn, "zh"))
	// Output:
	// 20:00:00 游戏群 judge 1: absent -> chat, interest 1.5, 1 messages, until 20:01:40
	// 20:00:00 游戏群 chat_changed absent -> chat: judged_in
	// 看了看，想参加
}
