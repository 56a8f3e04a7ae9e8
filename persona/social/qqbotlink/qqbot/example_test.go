package qqbot_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
)

// A bot replies to everything that is said to it.
func Example() {
	platform := qqbottest.New(qqbottest.Options{})
	defer platform.Close()
	ann := platform.Group("G1").Member("M1", "Ann")

	client := platform.Client(qqbot.Options{}) // for the real platform: qqbot.New(appID, secret, qqbot.Options{})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- client.Run(ctx, func(ctx context.Context, e qqbot.Event) {
			m, ok := e.(*qqbot.Message)
			if !ok || m.Own || !m.ToMe() {
				return
			}
			_, err := client.Send(ctx, m.Chat, qqbot.Out{Text: "你说：" + m.Text(), MsgID: m.ID, Seq: 1})
			if kind, refused := qqbot.KindOf(err); refused {
				log.Print(kind, ": ", kind.Advice())
			}
		})
	}()
	_ = platform.WaitLink(ctx)
	ann.At("在吗")
	sent, _ := platform.WaitSent(ctx, 1)
	fmt.Println(sent[0].Text)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 你说：在吗
	// <nil>
}
