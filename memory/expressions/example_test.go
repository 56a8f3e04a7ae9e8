package expressions_test

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory/expressions"
)

// A group of people who answer good news with 狠狠羡慕.
func ExampleLearn() {
	begin := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	var messages []expressions.Message
	for day := range 10 {
		at := begin.AddDate(0, 0, day)
		messages = append(messages,
			expressions.Message{ID: fmt.Sprint("a", day), Person: "1", Text: []string{"今天真热", "刚开完会", "买了把伞", "又堵车", "周末爬山"}[day%5], At: at},
			expressions.Message{ID: fmt.Sprint("b", day), Person: "2", Text: "我考上了", At: at.Add(time.Hour)},
			expressions.Message{ID: fmt.Sprint("c", day), Person: fmt.Sprint(3 + day%2), Text: "狠狠羡慕", At: at.Add(time.Hour + time.Minute)})
	}
	now := begin.AddDate(0, 0, 10)
	found := expressions.Learn(now, messages, expressions.Options{})
	for _, e := range expressions.Fit(now, found, []string{"面试过了！"}, 5) {
		fmt.Println(e.Situation.Text(false), e.Form)
	}
	// Output: 有人赢了或报喜时 狠狠羡慕
}
