package when_test

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/memory/when"
)

func ExampleFind() {
	now := time.Date(2026, 3, 5, 15, 0, 0, 0, time.FixedZone("", 8*3600)) // a Thursday
	for _, text := range []string{"上周五谁说要搬家", "前天晚上那局", "what did we plan last week?"} {
		span, loc, _ := when.Find(text, now)
		fmt.Println(text[loc[0]:loc[1]], span.Since.Format("01-02 15:04"), span.Until.Format("01-02 15:04"))
	}
	// Output:
	// 上周五 02-27 00:00 02-28 00:00
	// 前天晚上 03-03 18:00 03-04 05:00
	// last week 02-23 00:00 03-02 00:00
}
