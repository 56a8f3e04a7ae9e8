package hfc_test

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow/hfc"
)

// A focus in virtual time. The model takes two seconds for each step. After one reply it is silent.
func ExampleCycle() {
	start := time.Date(2026, 4, 1, 10, 0, 0, 0, time.UTC)
	c, err := hfc.NewCycle(start, 1, hfc.CycleOptions{})
	if err != nil {
		panic(err)
	}
	c.Observe(start)
	model := func(step hfc.Step) (a hfc.StepResult) {
		switch step.Kind {
		case hfc.Think:
			a.Thought = "…"
		case hfc.MakePlan:
			a.Plan, a.Err = hfc.ParsePlan("```json\n{\"action\": \"no_reply\", \"reasoning\": \"说过了\"}\n```")
			if step.LastPlan.Action == "" {
				a.Plan, a.Err = hfc.ParsePlan(`{"action": "text_reply", "reasoning": "有人问我"}`)
			}
		case hfc.Act:
			// send the reply
		}
		return a
	}
	for at, ok := c.Next(); ok; at, ok = c.Next() {
		now := at
		for step, ok := c.NextStep(now, hfc.Feeling{Energy: 1}); ok; step, ok = c.NextStep(now, hfc.Feeling{Energy: 1}) {
			now = now.Add(2 * time.Second)
			c.FinishStep(now, step.ID, model(step))
		}
	}
	for _, r := range c.Records() {
		fmt.Println(r.Began.Format(time.TimeOnly), r.Ended.Format(time.TimeOnly), r.Plan.Action, r.Plan.Reasoning)
	}
	fmt.Println(c.Ended(start))
	// Output:
	// 10:00:00 10:00:06 text_reply 有人问我
	// 10:00:06 10:00:10 no_reply 说过了
	// 10:05:10 10:05:14 no_reply 说过了
	// 10:10:14 10:10:18 no_reply 说过了
	// silent
}

func ExampleParsePlan() {
	p, err := hfc.ParsePlan("好的，我的决定是：｛“action”：“text_reply”，“at_user”：“10001，10002”｝")
	fmt.Println(p.Action, p.AtUser, err)
	_, err = hfc.ParsePlan(`{"action": "dance"}`)
	fmt.Println(err)
	// Output:
	// text_reply [10001 10002] <nil>
	// hfc: invalid plan: unknown action "dance"
}
