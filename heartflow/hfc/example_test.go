package hfc_test

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// A private chat is focused at once. Its turn is made of steps; then the planner leaves.
func Example() {
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	heart, err := hfc.New[string](hfc.Options{
		Attention:   heartflow.Options{Seed: 1},
		GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
	})
	if err != nil {
		panic(err)
	}
	heart.Observe(now, "老王", heartflow.Message{From: "老王", Text: "睡了吗", Private: true})
	fmt.Println(heart.ChatState(now, "老王"), heart.Judge(now, "老王"))

	plans := []hfc.Plan{{Action: hfc.TextReply, Reasoning: "他在找我"}, {Action: hfc.ExitFocus, Reasoning: "说完了"}}
	for range plans {
		for ask, ok := heart.NextStep(now, "老王"); ok; ask, ok = heart.NextStep(now, "老王") {
			now = now.Add(2 * time.Second) // the model takes its time
			var a hfc.StepResult
			switch ask.Kind {
			case hfc.Think:
				a.Thought = "老王问我睡没睡"
			case hfc.MakePlan:
				a.Plan, plans = plans[0], plans[1:]
			case hfc.Act:
				a.Err = heart.Speak(now, "老王", "还没呢")
			}
			heart.FinishStep(now, "老王", ask.ID, a)
		}
		now = now.Add(time.Second)
	}
	for _, r := range heart.Records("老王") {
		fmt.Println(r.Plan.Action, r.Plan.Reasoning)
	}
	fmt.Println(heart.ChatState(now, "老王"))
	// Output:
	// focused ask 1: focused
	// text_reply 他在找我
	// exit_focus_mode 说完了
	// absent
}

// A judge decides which chats are worth a look: a rule here, a model otherwise.
func ExampleFlow_Due() {
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	heart, err := hfc.New[string](hfc.Options{
		Attention:   heartflow.Options{Seed: 1, Names: []string{"小炉"}},
		GlobalState: hfc.GlobalStateOptions{Fixed: hfc.NormalChat},
		Topics:      []string{"空洞骑士"},
	})
	if err != nil {
		panic(err)
	}
	heart.Observe(now, "游戏群", heartflow.Message{From: "阿明", Text: "空洞骑士打折了"})
	for _, e := range heart.Due(now) {
		fmt.Println(e)
		if e.Kind == hfc.QuestionAsked {
			heart.AnswerQuestion(now, e.Chat, e.Question.ID, e.Question.Interest > 1)
		}
	}
	for _, e := range heart.Due(now) {
		fmt.Println(e)
	}
	fmt.Println(hfc.Text(hfc.WhyJudgedIn, "zh"))
	// Output:
	// 20:00:00 游戏群 judge 1: absent -> chat, interest 1.5, 1 messages, until 20:01:40
	// 20:00:00 游戏群 chat_changed absent -> chat: judged_in
	// 看了看，想参加
}
