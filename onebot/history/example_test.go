package history_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/history"
	"github.com/hearth-bot/hearth/onebot/onebottest"
)

// A bot that was offline reads back to its last known message.
func ExamplePages() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	qq := onebottest.New(onebottest.Options{})
	defer qq.Close()
	group := qq.Group(1, "炉边")
	var last int64
	for i := range 300 {
		if id := group.Say(7, onebot.Message{onebot.Text(fmt.Sprint(i))}); i == 49 {
			last = id
		}
	}
	client := qq.Client(onebot.Options{})
	go client.Run(ctx, nil)
	qq.WaitLink(ctx)

	known := func(e onebot.Event) bool {
		return onebot.MessageKey(e.(*onebot.GroupMessage).MessageID) == onebot.MessageKey(last)
	}
	var missed []onebot.Event
	for page, err := range history.Pages(ctx, client.Bot(), history.Chat{ID: 1}, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		missed = slices.Concat(page, missed)
		if i := slices.IndexFunc(missed, known); i >= 0 {
			missed = missed[i+1:]
			break
		}
	}
	fmt.Println(len(missed), "were missed, from", missed[0].(*onebot.GroupMessage).Message.Text())
	// Output: 250 were missed, from 50
}
