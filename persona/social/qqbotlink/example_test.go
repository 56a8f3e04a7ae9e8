package qqbotlink_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
)

// A bot in a group of the official platform.
func Example() {
	s := qqbottest.New(qqbottest.Options{})
	defer s.Close()
	ann := s.Group("G1").Member("M1", "Ann")

	client := s.Client(qqbot.Options{}) // for the real platform: qqbot.New(appID, secret, qqbot.Options{})
	bot, err := social.New(social.Options{
		Profile: persona.Profile{Name: "小炉"},
		Model:   modeltest.New(modeltest.Say("在呢")), // any llms.Model
		Link:    qqbotlink.New(client, qqbotlink.Options{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- bot.Run(ctx) }()

	_ = s.WaitLink(ctx)
	said := ann.At("在吗")
	sent, _ := s.WaitSent(ctx, 1)
	fmt.Println(sent[0].Text, sent[0].MsgID == said.ID, sent[0].Seq)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 在呢 true 1
	// <nil>
}

// The owner proves who they are by a code that only they can see.
func ExamplePairing() {
	code := qqbotlink.NewPairingCode()
	fmt.Println("发给机器人的私聊：", code)
	_ = qqbotlink.Options{Pairing: &qqbotlink.Pairing{
		Code: code, Until: time.Now().Add(10 * time.Minute),
		Found: func(owner persona.Account) { fmt.Println("Access.Owners:", owner) }, // save it for the next start
	}}
}
