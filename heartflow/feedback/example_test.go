package feedback_test

import (
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/heartflow/feedback"
)

// The bot answers somebody, who laughs; then it joins in where nobody asked, and is told off.
func Example() {
	f, err := feedback.New[string](feedback.Options{})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 1, 20, 0, 0, 0, time.UTC)
	f.Said(now, "group", feedback.Said{ID: "17", To: "1001", Called: true})
	f.Observe(now.Add(5*time.Second), "group", feedback.Message{From: "1001", Text: "哈哈哈哈"})
	f.Said(now.Add(time.Minute), "group", feedback.Said{ID: "20"})
	f.Observe(now.Add(65*time.Second), "group", feedback.Message{From: "1002", Text: "没问你", QuoteID: "20", ToMe: true})
	now = now.Add(time.Hour)
	for _, r := range f.Due(now) {
		fmt.Println(r)
	}
	fmt.Printf("%+.2f %+.2f\n", f.Welcome(now, "group", "1001"), f.Welcome(now, "group", "1002"))
	// Output:
	// 17 got_answer got_laugh 1
	// 20 got_complaint -1
	// +0.04 -0.06
}
