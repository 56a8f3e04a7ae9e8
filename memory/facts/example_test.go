package facts_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
)

// A group tells where its people live. The later statement holds, and the earlier one can still be asked for.
func Example() {
	ctx, store := context.Background(), memory.NewMemStore()
	mem, err := memory.New(store, memory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f := facts.New(mem, store, "qq:group:1")
	for i, text := range []string{"我住在北京", "我养了一只橘猫", "我搬到成都了，现在在一家设计院上班", "要是我住在海边就好了"} {
		at := time.Date(2026, time.Month(3+i), 5, 20, 0, 0, 0, time.UTC)
		m := memory.Record{ID: fmt.Sprint(i), Space: "qq:group:1", Person: "10001", Name: "小王", Text: text, At: at}
		if err := mem.Put(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := f.CatchUp(ctx, nil); err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, t := range []time.Time{now, now.AddDate(0, -2, 0)} {
		known, err := f.At(ctx, t, "10001")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Format("1月2日"))
		for _, fact := range known {
			fmt.Println(" ", f.NameOf(fact.Subject)+"："+fact.Text(now, time.UTC, f.NameOf))
		}
	}
	// Output:
	// 7月1日
	//   小王：工作 = 一家设计院（5月5日起，本人说）
	//   小王：住处 = 成都（5月5日起，本人说）
	//   小王：宠物 = 橘猫（4月5日起，本人说）
	// 5月1日
	//   小王：住处 = 北京（3月5日起，本人说）
	//   小王：宠物 = 橘猫（4月5日起，本人说）
}
