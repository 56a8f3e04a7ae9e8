package self_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	arrived := make(chan self.Report, 1)
	reports, err := self.NewReports(ctx, nil, func(_ context.Context, r self.Report) error { arrived <- r; return nil }, self.ReportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = reports.Run(ctx) }()
	tools, err := self.Tools(self.Options{Reports: reports})
	if err != nil {
		log.Fatal(err)
	}
	var registry nit.Registry
	if err := registry.Add(tools...); err != nil {
		log.Fatal(err)
	}
	inGroup := nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Person: "987", Session: "group_123"}
	fmt.Println(registry.View(inGroup).Do(ctx, "notify_master", `{"content":"李四问你在不在"}`))
	agent := nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1 | nit.L2 | nit.L3}
	fmt.Println(registry.View(agent).Do(ctx, "notify_master", `{"content":"李四问你在不在"}`))
	r := <-arrived
	fmt.Println(r.Session, r.Reason, r.Content)
	// Output:
	// {会转告主人 false} <nil>
	// { false} nit: unknown tool
	// group_123 judged 李四问你在不在
}

func ExampleWatch() {
	watch, err := self.NewWatch(self.WatchOptions{Names: []string{"老王"}, Watched: []persona.Account{{Platform: "qq", ID: "666"}}})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 4, 10, 9, 0, 0, 0, time.UTC)
	for _, m := range []struct{ from, text string }{{"1", "老王说得对"}, {"1", "有人看到老王了吗"}, {"2", "服务器没宕机"}, {"2", "服务器宕机了！"}, {"666", "大家好"}} {
		reason, ok := watch.Check(now, self.Message{Chat: "qq:group:1", From: persona.Account{Platform: "qq", ID: m.from}, Text: m.text})
		fmt.Println(m.text, reason, ok)
	}
	// Output:
	// 老王说得对  false
	// 有人看到老王了吗 asked_for_owner true
	// 服务器没宕机  false
	// 服务器宕机了！ urgent true
	// 大家好 watched_person true
}
